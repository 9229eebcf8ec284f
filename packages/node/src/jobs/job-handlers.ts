import {
  ApiError,
  type Handlers,
  type Json,
  type RunJob,
  type RunningJob as RunningJobRow,
  type StopJobs,
  UpdatedJobSettings,
  type unitJobRoutes,
} from '@lcs/contract';
import { type TaskKind, toTimestamp } from '@lcs/platform';
import type { Static } from 'typebox';
import { Value } from 'typebox/value';
import { JobCommands, type JobCommandsOptions } from './job-commands.ts';
import type { JobFilter } from './job-filter.ts';
import type { JobHistoryRow } from './job-registry.ts';
import { splitJobArguments } from './job-request.ts';
import type { JobRuntime } from './job-runtime.ts';
import type { RunningJob } from './running-job.ts';

/** Options and arguments of a start as received. */
export interface ReceivedStart {
  readonly options: Readonly<Record<string, unknown>>;
  readonly args: readonly string[];
}

export interface JobHandlersOptions extends JobCommandsOptions {
  readonly runtime: JobRuntime;
  /** The process ID of the node. */
  readonly pid: number;
  /** The present leader of the unit; empty before enrolment. */
  readonly leader: () => string;
  /** Throws when this job cannot start now: hardware is missing, or the disk cannot record a start that is not safer. */
  readonly mayStart?: (
    job: string,
    automation: string | undefined,
    received: ReceivedStart,
    isSafer: boolean,
  ) => void | Promise<void>;
}

type JobRoutes = Handlers<typeof unitJobRoutes>;

const automationIn = ({ options = {} }: RunJob): string | undefined => {
  const name = options.automation_name ?? options['automation-name'];
  return typeof name === 'string' ? name : undefined;
};
const isUpdated = (value: unknown): value is Static<typeof UpdatedJobSettings> =>
  Value.Check(UpdatedJobSettings, value);

/** A body that came as JSON, as JSON again. */
const jsonOf = (body: object): Json => JSON.parse(JSON.stringify(body));

/** The given filters; null, 0 and the empty text mean no filter. */
function filterOf({ job_name, experiment, job_source, job_id, stop_group }: StopJobs): JobFilter {
  const filter = {
    ...(job_name ? { jobName: job_name } : {}),
    ...(experiment ? { experiment } : {}),
    ...(job_source ? { jobSource: job_source } : {}),
    ...(job_id ? { jobId: job_id } : {}),
    ...(stop_group ? { stopGroup: stop_group } : {}),
  };
  if (Object.keys(filter).length === 0) throw new ApiError('job_filter_missing', {});
  return filter;
}

type StartInput = { readonly jobName: string; readonly generation: number };
type StopInput = { readonly filter: JobFilter };

/** Registers the tasks of jobs. */
function registerJobTasks({ runtime, tasks }: JobHandlersOptions) {
  const start: TaskKind<StartInput> = {
    kind: 'jobs.start',
    run: ({ jobName, generation }) => runtime.run(jobName, generation),
  };
  const startSafer: TaskKind<StartInput> = {
    kind: 'jobs.start_safer',
    lane: 'stop',
    startsUnrecorded: true,
    run: start.run,
  };
  const stop: TaskKind<StopInput> = {
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
  for (const kind of [start, startSafer]) tasks.register(kind);
  tasks.register(stop);
  return { start, startSafer, stop };
}

const historyRow = (row: JobHistoryRow) => ({
  job_id: row.jobId,
  job_name: row.jobName,
  experiment: row.experiment,
  job_source: row.jobSource,
  ...(row.startedBy !== undefined && { started_by: row.startedBy }),
  unit: row.unit,
  reactor_unit: row.unit,
  started_at: toTimestamp(row.startedAtMs),
  ended_at: row.endedAtMs === null ? null : toTimestamp(row.endedAtMs),
});

/** Routes that read jobs. */
function jobReads({ runtime, unit, pid, leader }: JobHandlersOptions) {
  const endOf = (jobId: number) => {
    const ends_at = runtime.endOf(jobId);
    return ends_at === undefined ? {} : { ends_at };
  };
  const rowOf = ({ origin, definition, startedAtMs, state, isEnding }: RunningJob): RunningJobRow => ({
    job_id: origin.jobId,
    unit,
    reactor_unit: unit,
    experiment: origin.experiment,
    job_name: origin.jobName,
    job_source: origin.jobSource,
    ...(origin.startedBy !== undefined && { started_by: origin.startedBy }),
    started_at: toTimestamp(startedAtMs),
    is_running: 1,
    leader: leader(),
    pid,
    is_long_running_job: definition.isLongRunning ? 1 : 0,
    ended_at: null,
    state: state.kind,
    since: toTimestamp(state.sinceMs),
    reason: isEnding ? 'It is being ended.' : null,
    ...endOf(origin.jobId),
  });
  const running = (filter: JobFilter) => ({ status: 200, body: runtime.running(filter).map(rowOf) }) as const;
  return {
    listJobHistory: async ({ query: { limit = 500 } }) => ({
      status: 200,
      body: (await runtime.history(limit)).map(historyRow),
    }),
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
  } satisfies Partial<JobRoutes>;
}

/** The routes of jobs of one node. Call it before `tasks` starts, because it registers the tasks of jobs. */
export function jobHandlers(options: JobHandlersOptions): JobRoutes {
  const { runtime } = options;
  const kinds = registerJobTasks(options);
  const commands = new JobCommands(options);
  const run: JobRoutes['runJob'] = ({ params, body, ...request }) => {
    const isSafer = runtime.isSafer(params.job, body);
    // A leader that has started again computes the planned end again: the start is the same.
    const { ends_at: _, ...same } = body;
    const command = ['run', params.job, jsonOf(same)];
    const inputOf = async () => {
      const { name, words } = splitJobArguments(params.job);
      const received = { options: body.options ?? {}, args: [...words, ...(body.args ?? [])] };
      await options.mayStart?.(name, automationIn(body), received, isSafer);
      return runtime.accept(params.job, body);
    };
    return isSafer
      ? commands.acceptNow(request, command, kinds.startSafer, inputOf)
      : commands.accept(request, command, kinds.start, inputOf);
  };
  const stop: JobRoutes['stopJobs'] = ({ body, query, ...request }) => {
    const filter = filterOf(Object.keys(body).length === 0 ? query : body);
    return commands.acceptNow(request, ['stop', jsonOf(filter)], kinds.stop, () => ({ filter }));
  };
  const stopAll: JobRoutes['stopAllJobs'] = (request) =>
    commands.acceptNow(request, ['stop all'], kinds.stop, () => ({ filter: { isLongRunning: false } }));
  return {
    ...jobReads(options),
    runJob: run,
    runJobByPatch: run,
    checkJobStart: ({ params, body }) => {
      const { jobName: job_name, ...found } = runtime.check(params.job, body);
      return { status: 200, body: { job_name, ...found } };
    },
    stopJobs: stop,
    stopJobsByPatch: stop,
    stopAllJobs: stopAll,
    stopAllJobsByPatch: stopAll,
    checkJobSettings: ({ params: { job_name }, body: { settings, experiment } }) => ({
      status: 200,
      body: {
        job_name,
        ...runtime.checkUpdate({ jobName: job_name, ...(experiment !== undefined && { experiment }) }, settings),
      },
    }),
    updateJobSettings: ({ params: { job_name: jobName }, body, ...request }) => {
      const target = { jobName, ...(body.experiment === undefined ? {} : { experiment: body.experiment }) };
      const update = async () => {
        const how = { confirmsDilution: body.confirm_dilution };
        const { isRecorded, ...done } = await runtime.update(target, body.settings, 'http', how);
        return { status: 'accepted', ...done, ...(!isRecorded && { recorded: false as const }) } as const;
      };
      return commands.perform(request, ['update', jobName, jsonOf(body)], update, isUpdated);
    },
  };
}
