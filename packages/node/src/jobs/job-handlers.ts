import {
  AcceptedTask,
  ApiError,
  type Handlers,
  type Json,
  type RunJob,
  type RunningJob as RunningJobRow,
  type StopJobs,
  UpdatedJobSettings,
  type unitJobRoutes,
} from '@lcs/contract';
import { type Clock, endsWithin, type Log, type TaskKind, type TaskRunner, toTimestamp } from '@lcs/platform';
import type { Static } from 'typebox';
import { Value } from 'typebox/value';
import { resultPath } from '../routes/task-answer.ts';
import { type CommandAnswer, IdempotentCommands } from './idempotent-commands.ts';
import type { JobFilter } from './job-filter.ts';
import type { JobDatabase } from './job-registry.ts';
import { splitJobWords } from './job-request.ts';
import type { JobRuntime } from './job-runtime.ts';
import type { RunningJob } from './running-job.ts';

/** Options and arguments of a start as received. */
export interface StartAnswer {
  readonly options: Readonly<Record<string, unknown>>;
  readonly args: readonly string[];
}

export interface JobHandlersOptions {
  readonly runtime: JobRuntime;
  readonly tasks: TaskRunner;
  readonly database: JobDatabase;
  readonly clock: Clock;
  readonly wire: Clock;
  readonly log: Log;
  readonly unit: string;
  /** The process ID of the node. */
  readonly pid: number;
  /** The present leader of the unit; empty before enrolment. */
  readonly leader: () => string;
  /** Throws when this job cannot start now: hardware is missing, or the disk cannot record a start that is not safer. */
  readonly mayStart?: (
    job: string,
    automation: string | undefined,
    said: StartAnswer,
    isSafer: boolean,
  ) => void | Promise<void>;
}

/** How long the answer to a completed command waits for its record. */
const rememberLimitMs = 500;

const isAccepted = (value: unknown): value is AcceptedTask => Value.Check(AcceptedTask, value);
const automationIn = ({ options = {} }: RunJob): string | undefined => {
  const name = options.automation_name ?? options['automation-name'];
  return typeof name === 'string' ? name : undefined;
};
const isUpdated = (value: unknown): value is Static<typeof UpdatedJobSettings> =>
  Value.Check(UpdatedJobSettings, value);

const replayed = ({ isReplayed }: CommandAnswer<Json>): { readonly [name: string]: string } =>
  isReplayed ? { 'idempotency-replayed': 'true' } : {};

/** The given filters; null, 0 and the empty text mean no filter. */
function filterOf({ job_name, experiment, job_source, job_id }: StopJobs): JobFilter {
  const filter = {
    ...(job_name ? { jobName: job_name } : {}),
    ...(experiment ? { experiment } : {}),
    ...(job_source ? { jobSource: job_source } : {}),
    ...(job_id ? { jobId: job_id } : {}),
  };
  if (Object.keys(filter).length === 0) throw new ApiError('job_filter_missing', {});
  return filter;
}

type StartInput = { readonly jobName: string; readonly generation: number };
type StopInput = { readonly filter: JobFilter };

/**
 * The routes of jobs of one node. Call it before `tasks` starts, because it registers the tasks of jobs.
 */
export function jobHandlers(options: JobHandlersOptions): Handlers<typeof unitJobRoutes> {
  const { runtime, tasks, database, clock, wire, log, unit, pid, leader } = options;
  const memory = new IdempotentCommands(database, clock);
  const startJob: TaskKind<StartInput> = {
    kind: 'jobs.start',
    run: ({ jobName, generation }) => runtime.run(jobName, generation),
  };
  const stopJobs: TaskKind<StopInput> = {
    kind: 'jobs.stop',
    lane: 'stop',
    startsUnrecorded: true,
    run: async ({ filter }) => {
      const outcome = await runtime.stopJobs(filter);
      if (outcome.still_running.length === 0) return outcome;
      const jobs = outcome.still_running.map((job) => `${job.job_name} (job_id=${job.job_id})`).join(', ');
      throw new ApiError('jobs_still_running', { jobs });
    },
  };
  const startSafer: TaskKind<StartInput> = {
    kind: 'jobs.start_safer',
    lane: 'stop',
    startsUnrecorded: true,
    run: startJob.run,
  };
  tasks.register(startJob);
  tasks.register(startSafer);
  tasks.register(stopJobs);

  /** Records a task and the answer to its command together, then queues the task. */
  const accept = async <Input extends Json>(
    headers: Readonly<Record<string, string | string[] | undefined>>,
    command: Json,
    kind: TaskKind<Input>,
    inputOf: () => Input | Promise<Input>,
  ) => {
    const outcome = await memory.once(
      keyIn(headers),
      command,
      async (remember) => {
        const prepared = tasks.prepare(kind, await inputOf());
        const { taskId } = prepared;
        const answer = { unit, task_id: taskId, result_url_path: resultPath(taskId), status: 'accepted' } as const;
        try {
          await database.write(async (transaction) => {
            await prepared.insert(transaction);
            await remember(transaction, answer);
          });
        } catch (error) {
          prepared.abandon();
          throw error;
        }
        prepared.begin();
        return answer;
      },
      isAccepted,
    );
    return { status: 202, body: outcome.answer, headers: replayed(outcome) } as const;
  };

  /** A completed command is answered even if its record fails, because it is idempotent. */
  const rememberDone = async (write: () => Promise<void>): Promise<void> => {
    const written = write().catch((error: unknown) =>
      log.warn('The answer to a command could not be recorded', { error: String(error) }),
    );
    await endsWithin(written, wire, rememberLimitMs);
  };

  /** Begins a task at once and records it afterwards. */
  const acceptNow = async <Input extends Json>(
    headers: Readonly<Record<string, string | string[] | undefined>>,
    command: Json,
    kind: TaskKind<Input>,
    inputOf: () => Input | Promise<Input>,
  ) => {
    const answerOf = (taskId: string) =>
      ({ unit, task_id: taskId, result_url_path: resultPath(taskId), status: 'accepted' }) as const;
    const outcome = await memory.once(
      keyIn(headers),
      command,
      async (remember) => {
        const { taskId } = await tasks.begin(kind, await inputOf(), (id, transaction) =>
          remember(transaction, answerOf(id)),
        );
        return answerOf(taskId);
      },
      isAccepted,
    );
    return { status: 202, body: outcome.answer, headers: replayed(outcome) } as const;
  };

  const rowOf = ({ origin, definition, startedAtMs, state, isEnding }: RunningJob): RunningJobRow => ({
    job_id: origin.jobId,
    unit,
    reactor_unit: unit,
    experiment: origin.experiment,
    job_name: origin.jobName,
    job_source: origin.jobSource,
    started_at: toTimestamp(startedAtMs),
    is_running: 1,
    leader: leader(),
    pid,
    is_long_running_job: definition.isLongRunning ? 1 : 0,
    ended_at: null,
    state: state.kind,
    since: toTimestamp(state.sinceMs),
    reason: isEnding ? 'It is being ended.' : null,
  });
  const running = (filter: JobFilter) => ({ status: 200, body: runtime.running(filter).map(rowOf) }) as const;

  const run: Handlers<typeof unitJobRoutes>['runJob'] = ({ params, body, headers }) => {
    const isSafer = runtime.isSafer(params.job, body);
    const command = ['run', params.job, jsonOf(body)];
    const inputOf = async () => {
      const { name, words } = splitJobWords(params.job);
      const said = { options: body.options ?? {}, args: [...words, ...(body.args ?? [])] };
      await options.mayStart?.(name, automationIn(body), said, isSafer);
      return runtime.accept(params.job, body);
    };
    return isSafer ? acceptNow(headers, command, startSafer, inputOf) : accept(headers, command, startJob, inputOf);
  };
  const stop: Handlers<typeof unitJobRoutes>['stopJobs'] = ({ body, query, headers }) => {
    const filter = filterOf(Object.keys(body).length === 0 ? query : body);
    return acceptNow(headers, ['stop', jsonOf(filter)], stopJobs, () => ({ filter }));
  };
  const stopAll: Handlers<typeof unitJobRoutes>['stopAllJobs'] = ({ headers }) =>
    acceptNow(headers, ['stop all'], stopJobs, () => ({ filter: { isLongRunning: false } }));

  return {
    runJob: run,
    runJobByPatch: run,
    stopJobs: stop,
    stopJobsByPatch: stop,
    stopAllJobs: stopAll,
    stopAllJobsByPatch: stopAll,
    listJobHistory: async ({ query: { limit = 500 } }) => {
      const rows = await runtime.history(limit);
      return {
        status: 200,
        body: rows.map((row) => ({
          job_id: row.jobId,
          job_name: row.jobName,
          experiment: row.experiment,
          job_source: row.jobSource,
          unit: row.unit,
          reactor_unit: row.unit,
          started_at: toTimestamp(row.startedAtMs),
          ended_at: row.endedAtMs === null ? null : toTimestamp(row.endedAtMs),
        })),
      };
    },
    listRunningJobs: () => running({}),
    listRunningJobsByName: ({ params }) => running({ jobName: params.job }),
    listRunningJobsOfExperiment: ({ params }) => running({ experiment: params.experiment }),
    listRunningLongJobs: () => running({ isLongRunning: true }),
    getJobSettings: ({ params: { job_name: jobName }, query: { experiment } }) => {
      const settings = runtime.settings(jobName, experiment);
      return { status: 200, body: { settings, job_id: runtime.newestId(jobName, experiment) } };
    },
    getJobSetting: ({ params: { job_name: job, setting }, query }) => {
      const settings = runtime.settings(job, query.experiment);
      const value = Object.hasOwn(settings, setting) ? settings[setting] : undefined;
      if (value === undefined) throw new ApiError('job_setting_not_published', { job, setting });
      return { status: 200, body: Object.fromEntries([[setting, value]]) };
    },
    updateJobSettings: async ({ params: { job_name: jobName }, body, headers }) => {
      const target = { jobName, ...(body.experiment === undefined ? {} : { experiment: body.experiment }) };
      const outcome = await memory.once(
        keyIn(headers),
        ['update', jobName, jsonOf(body)],
        async (remember) => {
          const how = { confirmsDilution: body.confirm_dilution };
          const { isRecorded, ...done } = await runtime.update(target, body.settings, 'http', how);
          const answer = { status: 'accepted', ...done, ...(!isRecorded && { recorded: false as const }) } as const;
          if (keyIn(headers) !== undefined)
            await rememberDone(() => database.write((transaction) => remember(transaction, answer)));
          return answer;
        },
        isUpdated,
      );
      return { status: 202, body: outcome.answer, headers: replayed(outcome) };
    },
  };
}

/** A body that came as JSON, as JSON again. */
const jsonOf = (body: object): Json => JSON.parse(JSON.stringify(body));

function keyIn(headers: Readonly<Record<string, string | string[] | undefined>>): string | undefined {
  const key = headers['idempotency-key'];
  return Array.isArray(key) ? key.join(',') : key;
}
