import type { SessionField, SessionResult, SessionStep, StepChart, StepTable } from '@lcs/contract';
import { plainWords } from '../api/plain-words.ts';
import { digitsText, valueText } from '../ui/number-text.ts';
import { calibrationsWords } from '../words/calibrations.ts';
import { commonWords } from '../words/common.ts';
import { blankText } from './blank-runs.ts';

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

const short = (value: number): string => digitsText(value, 4);
const list = (values: readonly string[] | undefined): string | undefined =>
  values === undefined || values.length === 0 ? undefined : values.map(plainWords).join('; ');
const measure = (value: number | undefined, unit: string): string | undefined =>
  value === undefined ? undefined : `${short(value)} ${unit}`.trim();

const statisticsFacts = ({ stats }: SessionResult): readonly (readonly [string, string | undefined])[] =>
  stats === undefined
    ? []
    : [
        [calibrationsWords.flow, `${short(stats.slope)} ± ${short(stats.std_slope)} mL/s`],
        [calibrationsWords.offset, `${short(stats.bias)} ± ${short(stats.std_bias)} mL`],
        [calibrationsWords.goodnessOfFit, short(stats.r_squared)],
      ];

/** The result of a session as names and texts of people. The device, tables and links are shown elsewhere. */
export function resultFacts(result: SessionResult | null): readonly (readonly [name: string, value: string])[] {
  if (result === null) return [];
  const [low, high] = result.recommended_volume_range_ml ?? [];
  const facts: readonly (readonly [name: string, value: string | undefined])[] = [
    ...statisticsFacts(result),
    [
      calibrationsWords.recommendedVolumes,
      low === undefined || high === undefined ? undefined : calibrationsWords.volumeRange(short(low), short(high)),
    ],
    [commonWords.experiment, result.experiment],
    [calibrationsWords.blank, result.means === undefined ? undefined : blankText(result)],
    [calibrationsWords.correction, measure(result.offset_c, '°C')],
    [calibrationsWords.comparisonsWithProbe, measure(result.points, '')],
    [calibrationsWords.farthestPoint, measure(result.farthest_point_c, '°C')],
    [calibrationsWords.pumpedVolume, measure(result.moved_ml, 'mL')],
    [calibrationsWords.timeOfRunning, measure(result.ran_s, 's')],
    [commonWords.runs, measure(result.runs, '')],
    [calibrationsWords.passedChecks, measure(result.passed, '')],
    [calibrationsWords.failedChecks, list(result.failed)],
    [commonWords.warnings, list(result.problems)],
    [calibrationsWords.estimator, result.estimator_name],
    [calibrationsWords.copiedFrom, result.source_unit],
    [commonWords.source, result.source_estimator],
    [calibrationsWords.logarithmScale, measure(result.scale_logc, '')],
    [calibrationsWords.logarithmOffset, measure(result.offset_logc, '')],
  ];
  return facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}

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
      if (typeof initial === 'number') return [name, valueText(initial)];
      return [name, Array.isArray(initial) ? initial.join(', ') : initial === null ? '' : String(initial)];
    }),
  );
