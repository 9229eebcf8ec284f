import type { TimelineEntry } from '@lcs/contract';
import { plainSentence } from '../api/plain-words.ts';
import type { ChartEvents } from '../charts/chart-view.ts';
import type { ChartMark, ChartTarget } from '../charts/plot-events.ts';

/** An entry as a mark on charts: an interruption and an alarm last, all else is a moment. */
function markOf({ entry_id: id, kind, at, since, until, reactor_unit, text }: TimelineEntry): ChartMark {
  const atMs = Date.parse(at);
  const common = { id, kind, unit: reactor_unit, text: plainSentence(text) };
  if (kind === 'interruption') return { ...common, atMs: since === null ? atMs : Date.parse(since), untilMs: atMs };
  const lasts = kind === 'alarm' && until !== null;
  return { ...common, atMs, untilMs: lasts ? Date.parse(until) : null };
}

/** The source of the charts on which a target is a line, by the setting; of biomass by the chosen signal. */
const sourceOfSetting: ReadonlyMap<string, string> = new Map([
  ['target_temperature', 'temperature_readings'],
  ['target_growth_rate', 'growth_rates'],
  ['target_normalized_od', 'od_readings_filtered'],
]);
const sourceOfSignal: ReadonlyMap<string, string> = new Map([
  ['normalized_od', 'od_readings_filtered'],
  ['od_fused', 'od_readings_fused'],
  ['od', 'od_readings'],
]);

/** One channel is also a signal: `od2`. */
const signalSource = (signal: unknown): string | undefined =>
  typeof signal === 'string'
    ? (sourceOfSignal.get(signal) ?? (/^od\d$/.test(signal) ? 'od_readings' : undefined))
    : undefined;

/** The targets of a setting, each with the source of its charts. */
function targetsOf({
  reactor_unit,
  at,
  until,
  automation,
}: TimelineEntry): readonly (readonly [string, ChartTarget])[] {
  if (automation === null || reactor_unit === null) return [];
  const { settings } = automation;
  const span = { unit: reactor_unit, fromMs: Date.parse(at), toMs: until === null ? null : Date.parse(until) };
  return Object.entries(settings).flatMap(([key, value]) => {
    const source = key === 'target_biomass' ? signalSource(settings.biomass_signal) : sourceOfSetting.get(key);
    return source === undefined || typeof value !== 'number' ? [] : [[source, { ...span, value }] as const];
  });
}

/** What charts show of a timeline: marks of what happened, and targets while they were in force. */
export function chartEvents(
  happened: readonly TimelineEntry[],
  settings: readonly TimelineEntry[],
): Omit<ChartEvents, 'chosenMs'> {
  const targets = Map.groupBy(settings.flatMap(targetsOf), ([source]) => source);
  const bySource = new Map([...targets].map(([source, found]) => [source, found.map(([, target]) => target)]));
  const none: readonly ChartTarget[] = [];
  return { marks: happened.map(markOf), targetsOf: (source) => bySource.get(source) ?? none };
}

/** Known entries with those that were requested again or are new, newest first, of a window that moves on. */
export function withNewEntries(
  known: readonly TimelineEntry[],
  requested: readonly TimelineEntry[],
  sinceMs: number,
): readonly TimelineEntry[] {
  const fromMs = Date.parse(requested.at(-1)?.at ?? '');
  const replaced = new Set(requested.map(({ entry_id }) => entry_id));
  // What is not among the requested ones of their time was removed.
  const kept = known.filter(({ entry_id, at }) => !replaced.has(entry_id) && !(Date.parse(at) >= fromMs));
  return [...requested, ...kept].filter(({ at }) => Date.parse(at) >= sinceMs);
}
