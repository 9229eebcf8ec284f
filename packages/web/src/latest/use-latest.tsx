import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useSyncExternalStore } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { useConnectionPhase } from '../services/use-connection.ts';
import { useLeaderNow } from '../services/use-ticking.ts';
import { createLatestStore, type LatestReading, type LatestStore, type UnitLatest } from './latest-store.ts';

/** The sources that are shown as numbers. */
const sources: ReadonlySet<string> = new Set([
  'od',
  'od_filtered',
  'growth_rate',
  'temperature',
  'stirring_rpm',
  'liquid_volume',
]);

const pollMs = 10_000;

interface Latest {
  readonly store: LatestStore;
  /** Why the latest readings could not be requested. */
  readonly error: Error | null;
}

const LatestContext = createContext<Latest | null>(null);

/** The latest readings of all assigned units for what is below it: one request, then the live stream. */
export function LatestProvider({ children }: { readonly children: ReactNode }) {
  const { leader, updates } = useServices();
  const nowMs = useLeaderNow();
  const phase = useConnectionPhase();
  const store = useMemo(() => createLatestStore(sources), []);
  const { data, error, refetch } = useQuery({
    queryKey: queryKeys.latest,
    queryFn: async ({ signal }) => {
      const requestedMs = nowMs();
      return { units: await leader.listLatest({ signal }), requestedMs };
    },
    structuralSharing: false,
    staleTime: 0,
    refetchOnWindowFocus: false,
    refetchInterval: phase === 'live' ? false : pollMs,
  });
  useEffect(() => {
    if (data !== undefined) store.merge(data);
  }, [data, store]);
  useEffect(() => updates.onReadings((readings) => store.add(readings, nowMs())), [updates, store, nowMs]);
  useEffect(() => updates.onDose((dose) => store.addDose(dose, nowMs())), [updates, store, nowMs]);
  useEffect(() => updates.onMissed(() => void refetch()), [updates, refetch]);
  const latest = useMemo(() => ({ store, error }), [store, error]);
  return <LatestContext value={latest}>{children}</LatestContext>;
}

function useLatest(): Latest {
  const latest = useContext(LatestContext);
  if (latest === null) throw new Error('The latest readings need a LatestProvider above them');
  return latest;
}

/** Why the latest readings could not be requested; `null`: they could. */
export const useLatestError = (): Error | null => useLatest().error;

/** What is known last of one unit; the caller is drawn again only when that changes. */
export function useUnitLatest(unit: string): UnitLatest | undefined {
  const { store } = useLatest();
  return useSyncExternalStore(store.subscribe, () => store.of(unit));
}

const noReadings: ReadonlyMap<string, LatestReading> = new Map();

/** The latest readings of one unit, by source. */
export const useReadingsOf = (unit: string): ReadonlyMap<string, LatestReading> =>
  useUnitLatest(unit)?.readings ?? noReadings;
