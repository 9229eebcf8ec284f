import type { Alarm, HeldJob, LiveJob, UnitStatus } from '@lcs/contract';
import { useCallback, useSyncExternalStore } from 'react';
import { useServices } from './services.tsx';

/** The jobs of one unit that run or were lost; the caller is drawn again only when one of them changes. */
export function useJobsOfUnit(unit: string): readonly LiveJob[] {
  const { jobs } = useServices().byUnit;
  return useSyncExternalStore(jobs.subscribe, () => jobs.of(unit));
}

/** The jobs of one unit that wait for a person since a restart of it. */
export function useHeldJobsOfUnit(unit: string): readonly HeldJob[] {
  const { heldJobs } = useServices().byUnit;
  return useSyncExternalStore(heldJobs.subscribe, () => heldJobs.of(unit));
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

/** A text or number made from the jobs, alarms and held jobs of all units; the caller is drawn again only when it changes. */
export function useOfAllUnits<Made extends string | number | boolean>(
  make: (
    jobs: readonly LiveJob[] | undefined,
    alarms: readonly Alarm[] | undefined,
    held: readonly HeldJob[] | undefined,
  ) => Made,
): Made {
  const { jobs, alarms, heldJobs } = useServices().byUnit;
  const subscribe = useCallback(
    (listener: () => void) => {
      const ends = [jobs, alarms, heldJobs].map((slices) => slices.subscribe(listener));
      return () => {
        for (const end of ends) end();
      };
    },
    [jobs, alarms, heldJobs],
  );
  return useSyncExternalStore(subscribe, () => make(jobs.all(), alarms.all(), heldJobs.all()));
}
