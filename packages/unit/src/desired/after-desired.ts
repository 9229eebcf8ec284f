import { ApiError, clusterExperiment, type NeededDesired, neededIn, sourceWithoutAccount } from '@lcs/contract';
import { matchesJob, splitJobArguments } from '@lcs/node';
import type { ServedApi } from '@lcs/platform';
import type { DesiredStateManager } from './desired-state-manager.ts';

type AnyHandler = ServedApi['handlers'][string];
type AnyRequest = Parameters<AnyHandler>[0];
/** Fields of the body or query of a stop or a start. */
type Fields = Readonly<Record<string, unknown>>;

const starts: ReadonlySet<string> = new Set(['runJob', 'runJobByPatch']);
const stops: ReadonlySet<string> = new Set(['stopJobs', 'stopJobsByPatch', 'stopAllJobs', 'stopAllJobsByPatch']);

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Trial jobs of a unit belong to no experiment. */
const testingPrefix = '_testing_';

/** A waiting start, and whether a stop has revoked it. */
interface WaitingStart {
  readonly jobName: string;
  readonly experiment: string;
  readonly jobSource: string;
  isStopped: boolean;
}

function waitingStart({ params, body }: AnyRequest): WaitingStart {
  const env = fieldsOf(fieldsOf(body).env);
  return {
    jobName: splitJobArguments(params.job ?? '').name,
    experiment: textOf(env.EXPERIMENT) ?? '',
    jobSource: textOf(env.JOB_SOURCE) ?? sourceWithoutAccount,
    isStopped: false,
  };
}

/** Whether a stop matches a waiting start, which has no job ID yet. */
function isMeant(
  { body, query }: AnyRequest,
  { jobName, experiment, jobSource }: WaitingStart,
  runsPumps: RunsPumps,
): boolean {
  const given = Object.keys(fieldsOf(body)).length === 0 ? fieldsOf(query) : fieldsOf(body);
  const [name, of, source] = [textOf(given.job_name), textOf(given.experiment), textOf(given.job_source)];
  if (given.job_id) return false;
  const filter = {
    ...(name !== undefined && { jobName: name }),
    ...(of !== undefined && { experiment: of }),
    ...(source !== undefined && { jobSource: source }),
    ...(given.stop_group === 'pumps' && ({ stopGroup: 'pumps' } as const)),
  };
  return matchesJob(filter, {
    jobName,
    experiment,
    jobSource,
    jobId: undefined,
    experimentUid: null,
    isLongRunning: false,
    servesCluster: false,
    stopGroup: runsPumps(jobName) ? 'pumps' : 'rest',
  });
}

/** Whether a job of this unit, also one of a plugin, runs pumps, or may run some. */
type RunsPumps = (jobName: string) => boolean;

type DesiredState = Pick<DesiredStateManager, 'untilApplied' | 'facts'>;

/** A unit that was moved while the start waited must not run a job for its former experiment. */
function expectSameExperiment({ jobName, experiment }: WaitingStart, current: string | undefined): void {
  const isOfAny = experiment === '' || experiment === clusterExperiment || experiment.startsWith(testingPrefix);
  if (!isOfAny && experiment !== current)
    throw new ApiError('job_of_other_experiment', { job: jobName, experiment, current: current ?? null });
}

/**
 * The same API, whose commands wait until the unit has applied the version of the leader's document that they name. Stops do not wait and
 * take precedence over waiting starts.
 */
export function afterDesired(served: ServedApi, desiredState: DesiredState, runsPumps: RunsPumps): ServedApi {
  const waiting = new Set<WaitingStart>();

  const neededBy = ({ headers }: AnyRequest): NeededDesired | undefined => {
    const needed = neededIn(headers);
    if (needed !== 'invalid') return needed;
    const cause = 'x-desired-version must be a whole number, and x-leader-id must name the leader it belongs to.';
    throw new ApiError('malformed_request', { cause });
  };
  const command =
    (handler: AnyHandler): AnyHandler =>
    (request) => {
      const needed = neededBy(request);
      if (needed === undefined) return handler(request);
      return desiredState.untilApplied(needed, request.signal).then(() => handler(request));
    };
  const start =
    (handler: AnyHandler): AnyHandler =>
    async (request) => {
      const needed = neededBy(request);
      if (needed === undefined) return handler(request);
      const entry = waitingStart(request);
      waiting.add(entry);
      try {
        await desiredState.untilApplied(needed, request.signal);
      } finally {
        waiting.delete(entry);
      }
      if (entry.isStopped) throw new ApiError('job_start_overtaken', { job: entry.jobName });
      expectSameExperiment(entry, desiredState.facts().experiment?.name);
      return handler(request);
    };
  const stop =
    (handler: AnyHandler): AnyHandler =>
    (request) => {
      for (const entry of waiting) if (isMeant(request, entry, runsPumps)) entry.isStopped = true;
      return handler(request);
    };

  const wrapped = (operation: string, handler: AnyHandler): AnyHandler => {
    if (stops.has(operation)) return stop(handler);
    return starts.has(operation) ? start(handler) : command(handler);
  };
  return {
    ...served,
    handlers: Object.fromEntries(
      Object.entries(served.handlers).map(([operation, handler]) => [operation, wrapped(operation, handler)]),
    ),
  };
}
