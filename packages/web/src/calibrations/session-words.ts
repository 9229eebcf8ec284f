import { ProblemError, type SessionEnvelope, type SessionField, type SessionStep } from '@lcs/contract';
import { wordsOf } from '../units/job-forms.ts';

type Fields = Readonly<Record<string, unknown>>;
const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** A further button of a step: what it says, and what it sends. */
export interface StepAction {
  readonly label: string;
  readonly inputs: Fields;
}

/** The further buttons of a step. */
export function actionsOf({ metadata }: Pick<SessionStep, 'metadata'>): readonly StepAction[] {
  const { actions } = metadata;
  if (!Array.isArray(actions)) return [];
  return actions.flatMap((one: unknown) =>
    isRecord(one) && typeof one.label === 'string' && isRecord(one.inputs)
      ? [{ label: one.label, inputs: one.inputs }]
      : [],
  );
}

/** How far the work of a step is. */
export interface StepProgress {
  readonly message: string;
  /** 0 to 1. */
  readonly fraction: number;
}

/** What the unit does for a session at this moment; undefined: nothing. */
export function progressOf(envelope: SessionEnvelope | undefined): StepProgress | undefined {
  const progress = envelope?.step?.metadata.progress;
  if (!isRecord(progress) || typeof progress.message !== 'string' || !isNumber(progress.fraction)) return undefined;
  return { message: progress.message, fraction: progress.fraction };
}

/** Points of one series. */
interface PointSeries {
  readonly label: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

/** A drawing of points. */
export interface StepChart {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly series: readonly PointSeries[];
}

const pointsOf = (value: unknown): PointSeries['points'] =>
  Array.isArray(value)
    ? value.flatMap((one: unknown) =>
        isRecord(one) && isNumber(one.x) && isNumber(one.y) ? [{ x: one.x, y: one.y }] : [],
      )
    : [];

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The chart of a step; undefined when it has none, or nothing is in it yet. */
export function chartOf({ metadata: { chart } }: Pick<SessionStep, 'metadata'>): StepChart | undefined {
  if (!isRecord(chart) || !Array.isArray(chart.series)) return undefined;
  const series = chart.series
    .filter(isRecord)
    .map((one) => ({ label: text(one.label), points: pointsOf(one.points) }))
    .filter(({ points }) => points.length > 0);
  if (series.length === 0) return undefined;
  return { title: text(chart.title), xLabel: text(chart.x_label), yLabel: text(chart.y_label), series };
}

/** Rows of texts under a heading. */
export interface StepTable {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The table of a step, or of its result. */
export function tableOf({ metadata }: Pick<SessionStep, 'metadata'>): StepTable | undefined {
  const inResult = isRecord(metadata.result) ? metadata.result.table : undefined;
  const table = isRecord(metadata.table) ? metadata.table : inResult;
  if (!isRecord(table) || !Array.isArray(table.columns) || !Array.isArray(table.rows)) return undefined;
  const rows = table.rows.filter((row: unknown): row is unknown[] => Array.isArray(row));
  return { title: text(table.title), columns: table.columns.map(String), rows: rows.map((row) => row.map(String)) };
}

/** What the end of a name says about the unit of its value. */
const unitsOfNames: readonly (readonly [ending: string, unit: string])[] = [
  ['_ml', 'mL'],
  ['_c', '°C'],
  ['_s', 's'],
  ['_v', 'V'],
];

/** `moved_ml` → `Moved, mL` */
function factName(name: string): string {
  const [ending, unit] = unitsOfNames.find(([end]) => name.endsWith(end)) ?? ['', ''];
  return unit === '' ? wordsOf(name) : `${wordsOf(name.slice(0, -ending.length))}, ${unit}`;
}

const shown = (value: unknown): string => {
  if (isNumber(value)) return String(Number(value.toPrecision(4)));
  if (Array.isArray(value)) return value.map(shown).join(', ');
  if (isRecord(value))
    return Object.entries(value)
      .map(([name, one]) => `${name}: ${shown(one)}`)
      .join(', ');
  return String(value);
};

/** Parts of a result that the page shows in another way, or that say nothing to people. */
const elsewhere: readonly string[] = ['title', 'table', 'calibration', 'calibration_link', 'calibrations', 'path'];

/** What a session ended with, in words and numbers. */
export const resultFacts = (result: Fields | null): readonly (readonly [name: string, value: string])[] =>
  Object.entries(result ?? {})
    .filter(([name]) => !elsewhere.includes(name))
    .map(([name, value]) => [factName(name), shown(value)]);

/** Calibrations that a session has made, by device and name. */
export function madeBy(result: Fields | null): readonly { readonly device: string; readonly name: string }[] {
  const links = [result?.calibration_link, ...(Array.isArray(result?.calibrations) ? result.calibrations : [])];
  return links.flatMap((one: unknown) =>
    isRecord(one) && typeof one.device === 'string' && typeof one.calibration_name === 'string'
      ? [{ device: one.device, name: one.calibration_name }]
      : [],
  );
}

/** What is wrong with which field, when a refusal begins with the name of one; the name is left out. */
export function fieldFault(error: unknown, fields: readonly SessionField[]): Readonly<Record<string, string>> {
  if (!(error instanceof ProblemError) || error.body.code !== 'session_input_invalid') return {};
  const { cause } = error.body;
  const field = fields.find(({ name }) => cause.startsWith(`${name}: `));
  if (field !== undefined) return { [field.name]: cause.slice(field.name.length + 2) };
  const [only] = fields;
  return fields.length === 1 && only !== undefined ? { [only.name]: cause } : {};
}

/** What the form of a step begins with. */
export const initialOf = (fields: readonly SessionField[]): Record<string, string | boolean> =>
  Object.fromEntries(
    fields.map(({ name, field_type: type, default: usual }) => {
      if (type === 'bool') return [name, usual === true];
      return [name, Array.isArray(usual) ? usual.join(', ') : usual === null ? '' : String(usual)];
    }),
  );
