import type { Alarm, LiveJob, UnitStatus } from '@lcs/contract';
import { useCallback, useSyncExternalStore } from 'react';
import { useServices } from './services.tsx';

/** The jobs of one unit that run or were lost; the caller is drawn again only when one of them changes. */
export function useJobsOfUnit(unit: string): readonly LiveJob[] {
  const { jobs } = useServices().byUnit;
  return useSyncExternalStore(jobs.subscribe, () => jobs.of(unit));
}

/** Whether a unit answers; `undefined`: not known yet. */
export function useStatusOfUnit(unit: string): UnitStatus | undefined {
  const { statuses } = useServices().byUnit;
  return useSyncExternalStore(statuses.subscribe, () => statuses.of(unit)[0]);
}

/** The open alarms of one unit. */
export function useAlarmsOfUnit(unit: string): readonly Alarm[] {
  const { alarms } = useServices().byUnit;
  return useSyncExternalStore(alarms.subscribe, () => alarms.of(unit));
}

/** A text or number made from the jobs and alarms of all units; the caller is drawn again only when it changes. */
export function useOfAllUnits<Made extends string | number | boolean>(
  make: (jobs: readonly LiveJob[] | undefined, alarms: readonly Alarm[] | undefined) => Made,
): Made {
  const { jobs, alarms } = useServices().byUnit;
  const subscribe = useCallback(
    (listener: () => void) => {
      const [ofJobs, ofAlarms] = [jobs.subscribe(listener), alarms.subscribe(listener)];
      return () => {
        ofJobs();
        ofAlarms();
      };
    },
    [jobs, alarms],
  );
  return useSyncExternalStore(subscribe, () => make(jobs.all(), alarms.all()));
}
