import { dosingAutomationJob } from '@lcs/domain';
import { useCallback, useEffect, useRef, useState } from 'react';
import { broadcast } from '../api/broadcast.ts';
import { useJobs } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { followTask } from '../tasks/follow-task.ts';
import { useUnitCommand } from '../tasks/use-unit-command.ts';
import {
  type LeftOff,
  leftOffBy,
  type PlannedEnds,
  profileExperiments,
  type StopScope,
  stoppedBy,
  withPlannedEnds,
} from './start-again.ts';
import { isOvertaken, type StopRecord } from './stop-record.ts';

/** How long units may take to report the planned ends of their jobs. */
const lookUpMs = 10_000;
const storageKey = 'lcs.last-stop';

const asItIs = (unit: string): string => unit;

export const titleOfStop = ({ what, experiment }: StopScope): string => {
  if (what === 'pumps') return 'Stop all pumps';
  return experiment === null ? 'Stop everything' : `Stop ${experiment}`;
};

/** The last stop of this tab. It outlives a reload, until a person dismisses it or something else is started. */
function useStopRecord() {
  const jobs = useJobs();
  const [record, setRecord] = useState<StopRecord | null>(null);
  useEffect(() => {
    const text = sessionStorage.getItem(storageKey);
    // What checks the saved text is loaded only when there is one.
    if (text !== null) void import('./saved-stop.ts').then(({ readSavedStop }) => setRecord(readSavedStop(text)));
  }, []);
  const latest = useRef(record);
  latest.current = record;
  const keep = useCallback((changed: StopRecord | null): void => {
    latest.current = changed;
    setRecord(changed);
    if (changed === null) sessionStorage.removeItem(storageKey);
    else sessionStorage.setItem(storageKey, JSON.stringify(changed));
  }, []);
  const isPast = record !== null && jobs !== undefined && isOvertaken(record, jobs);
  useEffect(() => {
    if (isPast) keep(null);
  }, [isPast, keep]);
  /** Adds the planned ends, unless the stop was dismissed or followed by another meanwhile. */
  const addEnds = useCallback(
    (stopped: StopRecord, ends: PlannedEnds): void => {
      if (latest.current === stopped) keep({ ...stopped, ends: [...ends] });
    },
    [keep],
  );
  return { record, keep, addEnds };
}

/** Stops, and starts again what was stopped last. */
export function useStops() {
  const { leader, clock } = useServices();
  const jobs = useJobs();
  const { command, send, sendEach, dismiss } = useUnitCommand(null, asItIs);
  const { record, keep, addEnds } = useStopRecord();
  const [unknown, setUnknown] = useState<readonly LeftOff[]>([]);
  /** Asked for when the menu opens, while the jobs still run: what they publish does not contain it. */
  const ends = useRef<Promise<PlannedEnds>>(Promise.resolve(new Map()));
  const lookUpEnds = useCallback((): void => {
    const read = async (): Promise<PlannedEnds> => {
      const accepted = leader.listWorkerRunningJobs({ params: { reactor_unit: broadcast } });
      // What reads the answers of units is loaded while they answer.
      const [{ plannedEndsIn }, task] = await Promise.all([
        import('./planned-ends.ts'),
        accepted.then((each) => followTask(clock, each, lookUpMs)),
      ]);
      return plannedEndsIn(task);
    };
    // Without an answer the end of no job is known.
    ends.current = read().catch(() => new Map());
  }, [leader, clock]);
  const stop = async (scope: StopScope): Promise<void> => {
    const stopped: StopRecord = { ...scope, atMs: clock.now(), jobs: jobs ?? [] };
    keep(stopped);
    setUnknown([]);
    const { experiment } = scope;
    const asked = ends.current;
    await send(titleOfStop(scope), () =>
      experiment === null
        ? leader.stopEverywhere({ body: { what: scope.what } })
        : leader.stopWorkerJobsOfExperiment({ params: { reactor_unit: broadcast, experiment } }),
    );
    addEnds(stopped, await asked);
  };
  const startAgain = async (units: ReadonlySet<string>): Promise<void> => {
    if (record === null) return;
    keep(null);
    const stopped = stoppedBy(record, record.jobs).filter(({ unit }) => units.has(unit));
    const { again, unknown } = withPlannedEnds(stopped, new Map(record.ends), clock.now());
    setUnknown(unknown);
    const requests = again.map(({ unit, experiment, jobName, options, endsAt }) => ({
      unit,
      request: () =>
        leader.runWorkerJob({
          params: { reactor_unit: unit, job: jobName, experiment },
          // It ran with these values before, by the decision of a person.
          body: {
            options,
            env: { JOB_SOURCE: 'user' },
            confirm_dilution: jobName === dosingAutomationJob.name,
            ...(endsAt !== undefined && { ends_at: endsAt }),
          },
          reason: 'Start again after a stop',
        }),
    }));
    await sendEach('Start again', requests);
  };
  // A stop that a unit missed stays ordered until the unit is back: nothing is started there meanwhile.
  const missed = new Set(command.phase === 'failed' ? command.refusals.map(({ unitId }) => unitId ?? null) : []);
  const canStart = record?.ends !== undefined && command.phase !== 'pending' && !missed.has(null);
  const again =
    record !== null && canStart ? stoppedBy(record, record.jobs).filter(({ unit }) => !missed.has(unit)) : [];
  const close = (): void => {
    dismiss();
    setUnknown([]);
    keep(null);
  };
  return {
    jobs: jobs ?? [],
    command,
    record,
    again,
    leftOff: record === null ? [] : leftOffBy(record, record.jobs),
    /** The experiments whose profile still runs. */
    profiles: record?.what === 'pumps' ? [...profileExperiments(record.jobs)] : [],
    unknown,
    stop,
    startAgain: () => startAgain(new Set(again.map(({ unit }) => unit))),
    lookUpEnds,
    close,
  };
}

export type Stops = ReturnType<typeof useStops>;
