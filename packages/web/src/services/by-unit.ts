import type { Alarm, HeldJob, LiveJob, UnitStatus } from '@lcs/contract';
import { hashKey, type QueryClient, type QueryKey } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import { createUnitSlices, type UnitSlices } from '../live/unit-slices.ts';
import type { PageClock } from '../time/page-clock.ts';

/** Lists of the query cache by unit, for pages that show many units. */
export interface ByUnit {
  readonly jobs: UnitSlices<LiveJob>;
  readonly heldJobs: UnitSlices<HeldJob>;
  readonly statuses: UnitSlices<UnitStatus>;
  readonly alarms: UnitSlices<Alarm>;
}

export function createByUnit(cache: QueryClient, clock: PageClock): ByUnit {
  // The live stream keeps them, also while no part of a page asks for the whole list.
  for (const key of [queryKeys.jobs, queryKeys.heldJobs, queryKeys.units, queryKeys.openAlarms])
    cache.setQueryDefaults(key, { gcTime: Number.POSITIVE_INFINITY });
  const changesOf = (queryKey: QueryKey) => {
    const hash = hashKey(queryKey);
    return (listener: () => void): void => {
      cache.getQueryCache().subscribe(({ type, query }) => {
        if (type === 'updated' && query.queryHash === hash) listener();
      });
    };
  };
  return {
    jobs: createUnitSlices<LiveJob>({
      read: () => cache.getQueryData(queryKeys.jobs),
      onChange: changesOf(queryKeys.jobs),
      clock,
    }),
    heldJobs: createUnitSlices<HeldJob>({
      read: () => cache.getQueryData(queryKeys.heldJobs),
      onChange: changesOf(queryKeys.heldJobs),
      clock,
    }),
    statuses: createUnitSlices<UnitStatus>({
      read: () => cache.getQueryData(queryKeys.units),
      onChange: changesOf(queryKeys.units),
      clock,
    }),
    alarms: createUnitSlices<Alarm>({
      read: () => cache.getQueryData(queryKeys.openAlarms),
      onChange: changesOf(queryKeys.openAlarms),
      clock,
    }),
  };
}
