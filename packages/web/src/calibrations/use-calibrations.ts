import { type AcceptedTask, CalibrationProtocol, CalibrationsByDevice, type SessionEnvelope } from '@lcs/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import { useJobs } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { followTask } from '../tasks/follow-task.ts';
import { answerOf, listOf, reportOf } from '../tasks/unit-answers.ts';

/** More than the leader gives a unit to answer. */
const taskTimeoutMs = 60_000;
const pollMs = 1_000;

/** All calibrations of a unit, by device. */
export function useCalibrations(unit: string, isEnabled = true) {
  const { leader, clock } = useServices();
  return useQuery({
    queryKey: queryKeys.calibrations(unit),
    queryFn: async ({ signal }) => {
      const accepted = await leader.listCalibrations({ params: { reactor_unit: unit }, signal });
      return answerOf(await followTask(clock, accepted, taskTimeoutMs, signal), unit, CalibrationsByDevice);
    },
    enabled: isEnabled,
    staleTime: 0,
  });
}

/** The active calibrations of one device of all units with their curves, with one request. */
export function useActiveCurves(device: string) {
  const { leader } = useServices();
  return useQuery({
    queryKey: queryKeys.activeCurves(device),
    queryFn: ({ signal }) => leader.listActiveCurves({ params: { device }, signal }),
    staleTime: 0,
  });
}

/** Blanks are measured by jobs, which do not name their results in the live stream. */
const blanksPollMs = 15_000;

/** The blanks of all units in their present experiments, with one request. */
export function useBlanksInUse() {
  const { leader } = useServices();
  return useQuery({
    queryKey: queryKeys.blanks,
    queryFn: ({ signal }) => leader.listBlanks({ signal }),
    staleTime: 0,
    refetchInterval: blanksPollMs,
  });
}

/** Removes the blank of a unit in an experiment. */
export function useRemoveBlank(unit: string) {
  const { leader, clock } = useServices();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (experiment: string) => {
      const params = { reactor_unit: unit, job: 'od_blank', experiment };
      const accepted = await leader.runWorkerJob({ params, body: { args: ['delete'], env: { JOB_SOURCE: 'user' } } });
      reportOf(await followTask(clock, accepted, taskTimeoutMs), unit);
    },
    onSettled: () => cache.invalidateQueries({ queryKey: queryKeys.blanks }),
  });
}

/** The procedures that a unit offers. */
export function useProtocols(unit: string) {
  const { leader, clock } = useServices();
  return useQuery({
    queryKey: queryKeys.calibrationProtocols(unit),
    queryFn: async ({ signal }) => {
      const accepted = await leader.listCalibrationProtocols({ params: { reactor_unit: unit }, signal });
      return listOf(await followTask(clock, accepted, taskTimeoutMs, signal), unit, CalibrationProtocol);
    },
    staleTime: 0,
  });
}

interface CalibrationChange {
  readonly action: 'activate' | 'deactivate' | 'delete';
  readonly device: string;
  readonly name: string;
}

/** Activates, deactivates and deletes calibrations of a unit. */
export function useCalibrationChange(unit: string) {
  const { leader, clock } = useServices();
  const cache = useQueryClient();
  const done = async (accepted: AcceptedTask): Promise<void> => {
    reportOf(await followTask(clock, accepted, taskTimeoutMs), unit);
  };
  return useMutation({
    mutationFn: async ({ action, device, name }: CalibrationChange) => {
      const ofDevice = { reactor_unit: unit, device };
      const params = { ...ofDevice, cal_name: name };
      if (action === 'activate') return done(await leader.setActiveCalibration({ params }));
      if (action === 'delete') return done(await leader.deleteCalibration({ params }));
      return done(await leader.clearActiveCalibration({ params: ofDevice }));
    },
    onSettled: () =>
      Promise.all(
        [queryKeys.calibrations(unit), queryKeys.allCalibrations, queryKeys.allActiveCurves].map((queryKey) =>
          cache.invalidateQueries({ queryKey }),
        ),
      ),
  });
}

interface SessionStart {
  readonly procedure: CalibrationProtocol;
  /** Running jobs that are stopped before, in this order. */
  readonly stopFirst: readonly string[];
}

/** Starts a procedure, after it has stopped the jobs that prevent it. */
export function useStartSession(unit: string) {
  const { leader, clock } = useServices();
  const cache = useQueryClient();
  const jobs = useJobs();
  const stop = async (job_name: string): Promise<void> => {
    const running = jobs?.find((each) => each.reactor_unit === unit && each.job_name === job_name);
    if (running === undefined) return;
    const params = { reactor_unit: unit, job_name, experiment: running.experiment };
    reportOf(await followTask(clock, await leader.stopWorkerJob({ params }), taskTimeoutMs), unit);
  };
  return useMutation({
    mutationFn: async ({ procedure: { target_device, protocol_name }, stopFirst }: SessionStart) => {
      for (const job of stopFirst) await stop(job);
      const body = { target_device, protocol_name };
      return leader.startCalibrationSession({ params: { reactor_unit: unit }, body });
    },
    // It may have been refused because of what others have begun.
    onError: () => {
      void cache.invalidateQueries({ queryKey: queryKeys.calibrationProtocols(unit) });
    },
    onSuccess: async (envelope) => {
      cache.setQueryData(queryKeys.calibrationSession(unit, envelope.session.session_id), envelope);
      await cache.invalidateQueries({ queryKey: queryKeys.offeredProcedures });
    },
  });
}

/** Aborts a session by its id, such as one that prevents the start of another. */
export function useAbortSession(unit: string) {
  const { leader } = useServices();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (sessionId: string) =>
      leader.abortCalibrationSession({ params: { reactor_unit: unit, session_id: sessionId } }),
    onSuccess: async (envelope) => {
      cache.setQueryData(queryKeys.calibrationSession(unit, envelope.session.session_id), envelope);
      await Promise.all([
        cache.invalidateQueries({ queryKey: queryKeys.calibrationProtocols(unit) }),
        cache.invalidateQueries({ queryKey: queryKeys.offeredProcedures }),
      ]);
    },
  });
}

/** One guided session: its present step, and how to advance, stop and abort it. */
export function useSession(unit: string, sessionId: string) {
  const { leader } = useServices();
  const cache = useQueryClient();
  const params = { reactor_unit: unit, session_id: sessionId };
  const queryKey = queryKeys.calibrationSession(unit, sessionId);
  const keep = async (envelope: SessionEnvelope): Promise<void> => {
    // The answer to an older request must not replace it.
    await cache.cancelQueries({ queryKey });
    cache.setQueryData(queryKey, envelope);
    if (envelope.session.status !== 'in_progress')
      await Promise.all([
        cache.invalidateQueries({ queryKey: queryKeys.calibrations(unit) }),
        cache.invalidateQueries({ queryKey: queryKeys.offeredProcedures }),
      ]);
  };
  const mutationKey = [...queryKey, 'advance'];
  const advance = useMutation({
    mutationKey,
    mutationFn: (inputs: Readonly<Record<string, unknown>>) =>
      leader.advanceCalibrationSession({ params, body: { inputs } }),
    onSuccess: keep,
  });
  /** The second click of two comes before the button is drawn as busy. */
  const advanceOnce = (inputs: Readonly<Record<string, unknown>>): void => {
    if (cache.isMutating({ mutationKey }) === 0) advance.mutate(inputs);
  };
  const stop = useMutation({
    mutationFn: () => leader.advanceCalibrationSession({ params, body: { inputs: { action: 'stop' } } }),
  });
  const abort = useMutation({ mutationFn: () => leader.abortCalibrationSession({ params }), onSuccess: keep });
  const session = useQuery({
    queryKey,
    queryFn: ({ signal }) => leader.getCalibrationSession({ params, signal }),
    staleTime: 0,
    // After a reload the action continues, and only polling shows its end.
    refetchInterval: ({ state: { data } }) =>
      advance.isPending || data?.step?.metadata.progress !== undefined ? pollMs : false,
  });
  return { session, advance, advanceOnce, stop, abort };
}
