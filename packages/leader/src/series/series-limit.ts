import { type LeaderDatabase, systemExperiment } from '../core/leader-context.ts';
import { type SeriesIds, type SeriesKey, seriesText } from './series-ids.ts';

/** Series of one unit in one experiment; a unit with every job has about 30. Those of unknown experiments count together. */
export const mostSeries = 500;

interface Group {
  readonly unit: string;
  /** undefined: all unknown experiments. */
  readonly experimentUid: string | undefined;
  readonly places: number[];
}

export interface SeriesLimitOptions {
  readonly read: LeaderDatabase['read'];
  readonly ids: SeriesIds;
  readonly isUnknown: (experimentUid: string) => boolean;
}

/** The positions of those keys that are new and would exceed the limit of the unit. */
export async function seriesBeyondLimit(
  keys: readonly SeriesKey[],
  { read, ids, isUnknown }: SeriesLimitOptions,
): Promise<ReadonlySet<number>> {
  const groups = new Map<string, Group>();
  for (const [place, key] of keys.entries()) {
    if (ids.isKnown(key)) continue;
    const experimentUid = isUnknown(key.experimentUid) ? undefined : key.experimentUid;
    const name = JSON.stringify([key.unit, experimentUid]);
    const group = groups.get(name) ?? { unit: key.unit, experimentUid, places: [] };
    group.places.push(place);
    groups.set(name, group);
  }
  const beyond = new Set<number>();
  for (const { unit, experimentUid, places } of groups.values()) {
    const there = await textsOfSeries(read, unit, experimentUid);
    for (const place of places) {
      const key = keys[place];
      if (key === undefined || there.has(seriesText(key))) continue;
      if (there.size < mostSeries) there.add(seriesText(key));
      else beyond.add(place);
    }
  }
  return beyond;
}

async function textsOfSeries(
  read: LeaderDatabase['read'],
  unit: string,
  experimentUid: string | undefined,
): Promise<Set<string>> {
  const ofUnit = read
    .selectFrom('series')
    .leftJoin('derivations', 'derivations.id', 'series.derivation_id')
    .where('unit', '=', unit)
    .where('part', '=', 0)
    .select(['experiment_uid', 'source', 'channel', 'angle', 'derivations.key as derivation']);
  const rows = await (experimentUid === undefined
    ? ofUnit
        .where('experiment_uid', 'not in', read.selectFrom('experiments').select('uid'))
        .where('experiment_uid', '!=', systemExperiment)
    : ofUnit.where('experiment_uid', '=', experimentUid)
  ).execute();
  return new Set(
    rows.map(({ experiment_uid, source, channel, angle, derivation }) =>
      JSON.stringify([experiment_uid, source, unit, channel, angle, derivation]),
    ),
  );
}
