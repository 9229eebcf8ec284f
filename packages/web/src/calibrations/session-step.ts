import type { SessionField, SessionResult, SessionStep, StepChart, StepTable } from '@lcs/contract';
import { labelFromName } from '../forms/field-rules.ts';

/** The chart of a step without empty series; undefined while it is empty. */
export function chartOf({ metadata: { chart } }: Pick<SessionStep, 'metadata'>): StepChart | undefined {
  const series = (chart?.series ?? []).filter(({ points }) => points.length > 0);
  return chart && series.length > 0 ? { ...chart, series } : undefined;
}

/** The table of a step, or of its result. */
export const tableOf = ({ metadata: { table, result } }: Pick<SessionStep, 'metadata'>): StepTable | undefined =>
  table ?? result?.table;

/** The text of a step, apart from what it does to the experiment: that is shown as a warning. */
export function bodyOf({ body, metadata: { experiment_effect: effect } }: Pick<SessionStep, 'body' | 'metadata'>) {
  return effect !== undefined && body?.startsWith(effect) ? body.slice(effect.length).trim() : (body ?? '');
}

/** Endings of names, with the unit of the value. */
const unitsOfNames: readonly (readonly [ending: string, unit: string])[] = [
  ['_ml', 'mL'],
  ['_c', '°C'],
  ['_s', 's'],
  ['_v', 'V'],
];

/** `moved_ml` → `Moved, mL` */
function factName(name: string): string {
  const [ending, unit] = unitsOfNames.find(([end]) => name.endsWith(end)) ?? ['', ''];
  return unit === '' ? labelFromName(name) : `${labelFromName(name.slice(0, -ending.length))}, ${unit}`;
}

const shown = (value: unknown): string => {
  if (typeof value === 'number') return String(Number(value.toPrecision(4)));
  if (Array.isArray(value)) return value.map(shown).join(', ');
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([name, one]) => `${name}: ${shown(one)}`)
      .join(', ');
  return String(value);
};

/** Parts of a result that are not shown as facts. */
const notFacts = ['title', 'table', 'calibration', 'calibration_link', 'calibrations', 'path'];

/** The result of a session as names and texts. */
export const resultFacts = (result: SessionResult | null): readonly (readonly [name: string, value: string])[] =>
  Object.entries(result ?? {})
    .filter(([name]) => !notFacts.includes(name))
    .map(([name, value]) => [factName(name), shown(value)]);

/** Calibrations that a session has stored, by device and name. */
export function createdCalibrations(
  result: SessionResult | null,
): readonly { readonly device: string; readonly name: string }[] {
  const { calibration_link: link, calibrations = [] } = result ?? {};
  return [...(link ? [link] : []), ...calibrations].map(({ device, calibration_name: name }) => ({ device, name }));
}

/** The initial values of the form of a step. */
export const initialOf = (fields: readonly SessionField[]): Record<string, string | boolean> =>
  Object.fromEntries(
    fields.map(({ name, field_type: type, default: initial }) => {
      if (type === 'bool') return [name, initial === true];
      return [name, Array.isArray(initial) ? initial.join(', ') : initial === null ? '' : String(initial)];
    }),
  );
