import type { NewNote } from './new-record.ts';

/** Raw telemetry first; see `docs/interfaces.md`, feed, keeping. */
const sourcesInOrder: readonly (readonly string[])[] = [
  ['raw_od'],
  ['pwm_duty'],
  ['heater_duty'],
  ['stirring_rpm'],
  ['supply_voltage', 'cpu_temperature', 'disk_free'],
  ['temperature'],
  ['od'],
  ['growth_rate_sd'],
  ['od_filtered'],
  ['growth_rate'],
  ['od_fused'],
];

const rankBySource = new Map(sourcesInOrder.flatMap((sources, index) => sources.map((source) => [source, index + 1])));

/** Events, states, gaps, and logs that someone should read: kept whatever happens. */
export const neverThinned = 0;
const otherSources = sourcesInOrder.length + 1;
export const settingRank = otherSources + 1;
export const chatterRank = otherSources + 2;

/** All ranks that may be thinned, in order. */
export const thinnedRanks: readonly number[] = Array.from({ length: chatterRank }, (_, index) => index + 1);

export const rankOfSource = (source: string): number => rankBySource.get(source) ?? otherSources;

export const rankOfNote = (note: NewNote): number => {
  if (note.kind === 'setting') return settingRank;
  if (note.kind === 'log' && (note.level === 'DEBUG' || note.level === 'INFO')) return chatterRank;
  return neverThinned;
};
