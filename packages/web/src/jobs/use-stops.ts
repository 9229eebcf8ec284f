import { dosingAutomationJob } from '@lcs/domain';
import { useCallback, useEffect, useRef, useState } from 'react';
import { broadcast } from '../api/broadcast.ts';
import { useJobs } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { followTask } from '../tasks/follow-task.ts';
import { unconfirmedCode } from '../tasks/unconfirmed-code.ts';
import { useUnitCommand } from '../tasks/use-unit-command.ts';
import { commonWords } from '../words/common.ts';
import { stopsWords } from '../words/stops.ts';
import type { Confirmation } from './job-control.ts';
import {
  isUndo,
  type LeftOff,
  leftOffBy,
  type PlannedEnds,
  type PresentScales,
  profileExperiments,
  type StoppedJob,
  type StopScope,
  stoppedBy,
  withPlannedEnds,
  withPresentScales,
} from './start-again.ts';
import { isOvertaken, isSecondClick, recordOfOrder, type StopOrder, type StopRecord } from './stop-record.ts';

/** How long units may take to report the planned ends of their jobs. */
const lookUpMs = 10_000;
const storageKey = 'lcs.last-stop';

const asItIs = (unit: string): string => unit;

export const titleOfStop = ({ what, experiment }: StopScope): string => {
  if (what === 'pumps') return stopsWords.stopAllPumps;
  return experiment === null ? stopsWords.stopEverything : commonWords.stopNamed(experiment);
};

/** The last stop of this tab. It outlives a reload, until a person dismisses it or something else is started. */
function useStopRecord() {
  const jobs = useJobs();
  const [record, setRecord] = useState<StopRecord | null>(null);
  useEffect(() => {
    const text = sessionStorage.getItem(storageKey);
    // What checks the saved text is loaded only when there is one.
    if (text === null) return;
    void import('./saved-stop.ts').then(({ readSavedStop }) =>
      // What was stopped or dismissed meanwhile has changed the saved text.
      setRecord((made) => (sessionStorage.getItem(storageKey) === text ? (made ?? readSavedStop(text)) : made)),
    );
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
  const isLatest = useCallback((stopped: StopRecord): boolean => latest.current === stopped, []);
  const readLatest = useCallback((): StopRecord | null => latest.current, []);
  return { record, keep, addEnds, isLatest, readLatest };
}

/** Stops, and starts again what was stopped last. */
export function useStops() {
  const { leader, clock } = useServices();
  const jobs = useJobs();
  const { command, send, sendEach, dismiss } = useUnitCommand(null, asItIs);
  const { record, keep, addEnds, isLatest, readLatest } = useStopRecord();
  const [unknown, setUnknown] = useState<readonly LeftOff[]>([]);
  const [rescaled, setRescaled] = useState<readonly LeftOff[]>([]);
  /** What was started again: some of it may need a confirmation. */
  const [sent, setSent] = useState<readonly StoppedJob[]>([]);
  const [isChecking, setChecking] = useState(false);
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
  const ordered = useRef<StopOrder>(undefined);
  const stop = async (scope: StopScope): Promise<void> => {
    const order = { ...scope, monotonicMs: clock.monotonic() };
    // The first click of two has stopped it, unless it was refused.
    if (isSecondClick(order, ordered.current) && command.phase !== 'failed') return;
    const now = { atMs: clock.now(), jobs: jobs ?? [] };
    const stopped = recordOfOrder(order, ordered.current, readLatest(), now);
    ordered.current = order;
    keep(stopped);
    setUnknown([]);
    setRescaled([]);
    setSent([]);
    const { experiment } = scope;
    const asked = ends.current;
    await send(titleOfStop(scope), () =>
      experiment === null
        ? leader.stopEverywhere({ body: { what: scope.what } })
        : leader.stopWorkerJobsOfExperiment({ params: { reactor_unit: broadcast, experiment } }),
    );
    addEnds(stopped, await asked);
  };
  /** The scales of all units now, when one of these jobs has a target on a scale. */
  const readScales = async (stopped: readonly StoppedJob[]): Promise<PresentScales> => {
    if (stopped.every(({ biomass }) => biomass === undefined)) return new Map();
    const accepted = leader.getWorkerBiomassSignals({ params: { reactor_unit: broadcast } });
    const [{ presentScalesIn }, task] = await Promise.all([
      import('./present-scales.ts'),
      accepted.then((each) => followTask(clock, each, lookUpMs)),
    ]);
    return presentScalesIn(task);
  };
  const startAgain = async (units: ReadonlySet<string>): Promise<void> => {
    if (record === null || isChecking) return;
    const undoes = isUndo(record.atMs, clock.now());
    const stopped = stoppedBy(record, record.jobs).filter(({ unit }) => units.has(unit));
    setChecking(true);
    // Without an answer no scale is known.
    const scales = await readScales(stopped).catch((): PresentScales => new Map());
    setChecking(false);
    // It was dismissed, or overtaken by another stop or start.
    if (!isLatest(record)) return;
    keep(null);
    const ended = withPlannedEnds(stopped, new Map(record.ends), clock.now());
    const { again, rescaled } = withPresentScales(ended.again, scales);
    setUnknown(ended.unknown);
    setRescaled(rescaled);
    setSent(again);
    // At once it is as a person decided before; later the unit refuses what would dilute the culture as it is now.
    const requests = again.map((job) => startOf(job, undoes));
    if (requests.length > 0) await sendEach(stopsWords.startAgain, requests);
  };
  const startOf = ({ unit, experiment, jobName, options, endsAt }: StoppedJob, mayDilute: boolean, reason = '') => ({
    unit,
    goal: { job: jobName, experiment, runs: true },
    request: () =>
      leader.runWorkerJob({
        params: { reactor_unit: unit, job: jobName, experiment },
        body: {
          options,
          env: { JOB_SOURCE: 'user' },
          confirm_dilution: mayDilute && jobName === dosingAutomationJob.name,
          ...(endsAt !== undefined && { ends_at: endsAt }),
        },
        reason: reason === '' ? stopsWords.startAgainAfterStop : reason,
      }),
  });
  const unconfirmed = command.phase === 'failed' ? command.refusals.filter(({ code }) => code === unconfirmedCode) : [];
  const refusedUnits = new Set(unconfirmed.map(({ unitId }) => unitId));
  const needsConfirmation = ({ unit, jobName }: StoppedJob): boolean =>
    refusedUnits.has(unit) && jobName === dosingAutomationJob.name;
  /** Starts what units have refused without a confirmation. */
  const confirmDilution = ({ reason }: Confirmation): void => {
    const requests = sent.filter(needsConfirmation).map((job) => startOf(job, true, reason));
    void sendEach(stopsWords.startDosingAgain, requests);
  };
  // A stop that a unit missed stays ordered until the unit is back: nothing is started there meanwhile.
  const missed = new Set(command.phase === 'failed' ? command.refusals.map(({ unitId }) => unitId ?? null) : []);
  const canStart = record?.ends !== undefined && command.phase !== 'pending' && !missed.has(null);
  const again =
    record !== null && canStart ? stoppedBy(record, record.jobs).filter(({ unit }) => !missed.has(unit)) : [];
  const close = (): void => {
    dismiss();
    setUnknown([]);
    setRescaled([]);
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
    rescaled,
    /** The refusals of units to start what would dilute. */
    unconfirmed,
    /** Whether there was anything to start that needs no confirmation. */
    startsOthers: sent.some((job) => !needsConfirmation(job)),
    confirmDilution,
    isChecking,
    stop,
    startAgain: () => startAgain(new Set(again.map(({ unit }) => unit))),
    lookUpEnds,
    close,
  };
}

export type Stops = ReturnType<typeof useStops>;
