import type { LiveJob, RecentStop } from '@lcs/contract';
import { dosingAutomationJob } from '@lcs/domain';
import { skipToken, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { broadcast } from '../api/broadcast.ts';
import { queryKeys } from '../api/query-keys.ts';
import { useJobs } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useLeaderNow } from '../services/use-ticking.ts';
import { useUnitNames } from '../services/use-unit-names.ts';
import { followTask } from '../tasks/follow-task.ts';
import { unconfirmedCode } from '../tasks/unconfirmed-code.ts';
import { useUnitCommand } from '../tasks/use-unit-command.ts';
import { stopsWords } from '../words/stops.ts';
import type { Confirmation } from './job-control.ts';
import {
  isUndo,
  type LeftOff,
  leftOffByAll,
  type OrderedScope,
  type PresentScales,
  profilesAfter,
  restBeforeStart,
  type StoppedJob,
  stoppedByAll,
  withPresentScales,
} from './start-again.ts';
import { startOfStopped } from './start-stopped.ts';
import {
  isSecondClick,
  readIds,
  type StopOrder,
  shownStops,
  titleOfStop,
  withoutStartedAgain,
  withRead,
  withSeen,
} from './stop-record.ts';

/** How long units may take to report their biomass signals. */
const lookUpMs = 10_000;
const storageKey = 'lcs.read-stops';
const none: readonly RecentStop[] = [];

/** The stops that this tab shows, its own and those of others. */
function useShownStops(jobs: readonly LiveJob[] | undefined) {
  const { data: standing = none } = useQuery<readonly RecentStop[]>({ queryKey: queryKeys.stops, queryFn: skipToken });
  const [seen, setSeen] = useState<readonly RecentStop[]>(none);
  const [own, setOwn] = useState<ReadonlySet<string>>(new Set());
  const [saved, setSaved] = useState(() => localStorage.getItem(storageKey));
  useEffect(() => setSeen((known) => withSeen(known, standing)), [standing]);
  useEffect(() => {
    if (jobs !== undefined) setSeen((known) => withoutStartedAgain(known, standing, jobs));
  }, [standing, jobs]);
  const read = readIds(saved);
  const shown = shownStops({ seen, standing, read, own });
  const markRead = (): void => {
    const text = withRead(
      readIds(localStorage.getItem(storageKey)),
      shown.map(({ stop_id }) => stop_id),
    );
    localStorage.setItem(storageKey, text);
    setSaved(text);
  };
  return {
    shown,
    /** Those after which nothing was started. */
    standing: standing.filter((stop) => shown.some(({ stop_id }) => stop_id === stop.stop_id)),
    noteOwn: (id: string): void => setOwn((ids) => new Set([...ids, id])),
    markRead,
  };
}

/** Stops, and starts again what was stopped. */
export function useStops() {
  const { leader, clock } = useServices();
  const jobs = useJobs();
  const { shown, standing, noteOwn, markRead } = useShownStops(jobs);
  /** The pointer is on the menu, or it is open. */
  const [isMenuWanted, setMenuWanted] = useState(false);
  // Pages that name no unit need no labels.
  const nameOf = useUnitNames(isMenuWanted || shown.length > 0);
  const nowMs = useLeaderNow();
  const { command, send, sendEach, dismiss } = useUnitCommand(null, nameOf);
  const [rescaled, setRescaled] = useState<readonly LeftOff[]>([]);
  /** What was started again: some of it may need a confirmation. */
  const [sent, setSent] = useState<readonly StoppedJob[]>([]);
  const [isChecking, setChecking] = useState(false);
  const ordered = useRef<StopOrder>(undefined);
  const stop = async (scope: OrderedScope): Promise<void> => {
    const order = { ...scope, monotonicMs: clock.monotonic() };
    // The first click of two has stopped it, unless it was refused.
    if (isSecondClick(order, ordered.current) && command.phase !== 'failed') return;
    ordered.current = order;
    setRescaled([]);
    setSent([]);
    const { what, experiment } = scope;
    await send(titleOfStop(scope, nameOf), async () => {
      const accepted = await (experiment === null
        ? leader.stopEverywhere({ body: { what } })
        : leader.stopWorkerJobsOfExperiment({ params: { reactor_unit: broadcast, experiment } }));
      noteOwn(accepted.task_id);
      return accepted;
    });
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
  const startAgain = async (): Promise<void> => {
    if (isChecking) return;
    const stopped = again;
    setChecking(true);
    // Without an answer no scale is known.
    const scales = await readScales(stopped).catch((): PresentScales => new Map());
    await new Promise<void>((resolve) => void clock.after(restBeforeStart(stopped, nowMs()), resolve));
    setChecking(false);
    markRead();
    const { again: same, rescaled } = withPresentScales(stopped, scales);
    setRescaled(rescaled);
    setSent(same);
    // At once it is as a person decided before; later the unit refuses what would dilute the culture as it is now.
    const requests = same.map((job) => startOfStopped(leader, job, { mayDilute: isUndo(job.stoppedAtMs, nowMs()) }));
    if (requests.length > 0) await sendEach(stopsWords.startAgain, requests);
  };
  const unconfirmed = command.phase === 'failed' ? command.refusals.filter(({ code }) => code === unconfirmedCode) : [];
  const refusedUnits = new Set(unconfirmed.map(({ unitId }) => unitId));
  const needsConfirmation = ({ unit, jobName }: StoppedJob): boolean =>
    refusedUnits.has(unit) && jobName === dosingAutomationJob.name;
  /** Starts what units have refused without a confirmation. */
  const confirmDilution = ({ reason }: Confirmation): void => {
    const requests = sent
      .filter(needsConfirmation)
      .map((job) => startOfStopped(leader, job, { mayDilute: true, reason }));
    void sendEach(stopsWords.startDosingAgain, requests);
  };
  // A stop that a unit missed stays ordered until the unit is back: nothing is started there meanwhile.
  const missed = new Set(command.phase === 'failed' ? command.refusals.map(({ unitId }) => unitId ?? null) : []);
  const canStart = command.phase !== 'pending' && !missed.has(null);
  const again = canStart ? stoppedByAll(standing, nowMs(), jobs).filter(({ unit }) => !missed.has(unit)) : [];
  const close = (): void => {
    dismiss();
    setRescaled([]);
    markRead();
  };
  return {
    jobs: jobs ?? [],
    nameOf,
    wantMenu: (): void => setMenuWanted(true),
    command,
    shown,
    again,
    leftOff: leftOffByAll(standing, jobs),
    isStanding: ({ stop_id }: RecentStop): boolean => standing.some((stop) => stop.stop_id === stop_id),
    /** The experiments whose profile still runs. */
    profiles: profilesAfter(standing, jobs ?? []),
    rescaled,
    /** The refusals of units to start what would dilute. */
    unconfirmed,
    /** Whether there was anything to start that needs no confirmation. */
    startsOthers: sent.some((job) => !needsConfirmation(job)),
    confirmDilution,
    isChecking,
    stop,
    startAgain,
    close,
  };
}

export type Stops = ReturnType<typeof useStops>;
