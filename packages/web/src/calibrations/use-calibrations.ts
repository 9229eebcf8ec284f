import {
  type AcceptedTask,
  type Calibration,
  type CalibrationProtocol,
  type FinishedTask,
  ownValue,
  ProblemError,
  type SessionEnvelope,
  waitForTask,
} from '@lcs/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../app/services.tsx';
import { sleepOn } from '../units/use-job-control.ts';
import { progressOf } from './session-words.ts';

/** More than the leader gives a unit to answer. */
const taskTimeoutMs = 60_000;
/** So often it is looked how far the work of a step is. */
const lookEveryMs = 1_000;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const text = (value: unknown, otherwise: string): string =>
  typeof value === 'string' && value !== '' ? value : otherwise;

/** What one unit has answered to a task of the leader. @throws ProblemError with what the leader, or the unit, says is wrong */
function answerOf(task: FinishedTask, unit: string): unknown {
  if (task.status === 'failed') {
    const { error, cause, remediation, code } = task;
    throw new ProblemError('answer', { error, cause, remediation, code, status: 500 });
  }
  const envelope = isRecord(task.result) ? ownValue(task.result, unit) : undefined;
  if (isRecord(envelope) && envelope.ok === true) return envelope.value;
  const said = isRecord(envelope) && isRecord(envelope.error) ? envelope.error : {};
  throw new ProblemError('answer', {
    error: text(said.message, `${unit} did not answer.`),
    cause: text(said.cause, 'Its answer did not come in time.'),
    remediation: text(said.remediation, 'Check that the unit is switched on and in the network, then try again.'),
    code: 'unit_failed',
    status: 502,
  });
}

/** Asks one unit by way of a task. */
function useTaskAnswer() {
  const { clock } = useServices();
  return async (unit: string, accepted: AcceptedTask): Promise<unknown> => {
    const signal = AbortSignal.timeout(taskTimeoutMs);
    return answerOf(await waitForTask('', accepted, { sleep: sleepOn(clock), signal }), unit);
  };
}

type ByDevice = Readonly<Record<string, readonly Calibration[]>>;
const isByDevice = (value: unknown): value is ByDevice =>
  isRecord(value) && Object.values(value).every((one) => Array.isArray(one));
const isProtocols = (value: unknown): value is readonly CalibrationProtocol[] =>
  Array.isArray(value) && value.every((one) => isRecord(one) && typeof one.protocol_name === 'string');

/** All calibrations of a unit, by device. */
export function useCalibrations(unit: string, isWanted = true) {
  const { leader } = useServices();
  const answer = useTaskAnswer();
  return useQuery({
    queryKey: queryKeys.calibrations(unit),
    queryFn: async ({ signal }) => {
      const found = await answer(unit, await leader.listCalibrations({ params: { reactor_unit: unit }, signal }));
      return isByDevice(found) ? found : {};
    },
    enabled: isWanted,
    staleTime: 0,
  });
}

/** The guided sessions that a unit offers. */
export function useProtocols(unit: string) {
  const { leader } = useServices();
  const answer = useTaskAnswer();
  return useQuery({
    queryKey: queryKeys.calibrationProtocols(unit),
    queryFn: async ({ signal }) => {
      const found = await answer(
        unit,
        await leader.listCalibrationProtocols({ params: { reactor_unit: unit }, signal }),
      );
      return isProtocols(found) ? found : [];
    },
    staleTime: 0,
  });
}

/** What can be done with a stored calibration. */
export type CalibrationDeed = 'activate' | 'deactivate' | 'delete';

/** Changes which calibrations a unit has, and which is in use. */
export function useCalibrationDeed(unit: string) {
  const { leader } = useServices();
  const cache = useQueryClient();
  const answer = useTaskAnswer();
  return useMutation({
    mutationFn: async ({ deed, device, name }: { deed: CalibrationDeed; device: string; name: string }) => {
      const place = { reactor_unit: unit, device };
      const params = { ...place, cal_name: name };
      if (deed === 'activate') return answer(unit, await leader.setActiveCalibration({ params }));
      if (deed === 'delete') return answer(unit, await leader.deleteCalibration({ params }));
      return answer(unit, await leader.clearActiveCalibration({ params: place }));
    },
    onSettled: () => cache.invalidateQueries({ queryKey: queryKeys.calibrations(unit) }),
  });
}

/** Begins a guided session. */
export function useBeginSession(unit: string) {
  const { leader } = useServices();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ target_device, protocol_name }: CalibrationProtocol) =>
      leader.startCalibrationSession({ params: { reactor_unit: unit }, body: { target_device, protocol_name } }),
    onSuccess: (envelope) => {
      cache.setQueryData(queryKeys.calibrationSession(unit, envelope.session.session_id), envelope);
    },
  });
}

/** Ends a session by its id, such as one that keeps another from beginning. */
export function useAbortSession(unit: string) {
  const { leader } = useServices();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (sessionId: string) =>
      leader.abortCalibrationSession({ params: { reactor_unit: unit, session_id: sessionId } }),
    onSuccess: async (envelope) => {
      cache.setQueryData(queryKeys.calibrationSession(unit, envelope.session.session_id), envelope);
      await cache.invalidateQueries({ queryKey: queryKeys.calibrationProtocols(unit) });
    },
  });
}

/** One guided session: where it stands, and the ways on. */
export function useSession(unit: string, sessionId: string) {
  const { leader } = useServices();
  const cache = useQueryClient();
  const params = { reactor_unit: unit, session_id: sessionId };
  const queryKey = queryKeys.calibrationSession(unit, sessionId);
  const keep = async (envelope: SessionEnvelope): Promise<void> => {
    // An older look that is still on its way must not come after it.
    await cache.cancelQueries({ queryKey });
    cache.setQueryData(queryKey, envelope);
    if (envelope.session.status !== 'in_progress')
      await cache.invalidateQueries({ queryKey: queryKeys.calibrations(unit) });
  };
  const advance = useMutation({
    mutationFn: (inputs: Readonly<Record<string, unknown>>) =>
      leader.advanceCalibrationSession({ params, body: { inputs } }),
    onSuccess: keep,
  });
  const stop = useMutation({
    mutationFn: () => leader.advanceCalibrationSession({ params, body: { inputs: { action: 'stop' } } }),
  });
  const abort = useMutation({ mutationFn: () => leader.abortCalibrationSession({ params }), onSuccess: keep });
  const session = useQuery({
    queryKey,
    queryFn: ({ signal }) => leader.getCalibrationSession({ params, signal }),
    staleTime: 0,
    // After a reload the work goes on, and nobody here waits for its answer.
    refetchInterval: ({ state: { data } }) =>
      advance.isPending || progressOf(data) !== undefined ? lookEveryMs : false,
  });
  return { session, advance, stop, abort };
}
