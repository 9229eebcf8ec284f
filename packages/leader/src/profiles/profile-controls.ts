import { ApiError, type Handlers, type profileControlRoutes, profileJobName } from '@lcs/contract';
import type { JobRuntime } from '@lcs/node';
import { actingAccount, type Clock } from '@lcs/platform';
import type { RecentStops } from '../jobs/recent-stops.ts';
import type { LeaderJobLog } from './profile-log.ts';
import type { ProfileRun } from './profile-run.ts';
import { runExport } from './run-export.ts';
import { expectRun, type RunKey, type RunRecordOptions, runDetails } from './run-record.ts';

export interface ProfileControlsOptions {
  readonly record: RunRecordOptions;
  /** The jobs of this node; they exist before the first request. */
  readonly runtime: Pick<JobRuntime, 'running' | 'stopJobs'>;
  readonly log: Pick<LeaderJobLog, 'log'>;
  readonly clock: Clock;
  readonly active: (runId: string) => ActiveRun | undefined;
  readonly recentStops: Pick<RecentStops, 'before' | 'add'>;
}

/** A run that has not ended. */
export interface ActiveRun {
  readonly jobId: number;
  readonly run: Pick<ProfileRun, 'run' | 'isPaused' | 'progress' | 'pause' | 'resume' | 'skip' | 'itemText'>;
}

/** Pauses, resumes, stops and skips, requested by persons; the record of a run. */
export function profileControlHandlers({
  record,
  runtime,
  log,
  clock,
  active,
  recentStops,
}: ProfileControlsOptions): Handlers<typeof profileControlRoutes> {
  /** @throws ApiError profile_run_not_found, profile_run_ended */
  const expectActive = async (key: RunKey): Promise<ActiveRun> => {
    const { experiment_profile_name: name } = await expectRun(record.database, key);
    const found = active(key.run_id);
    if (found === undefined) throw new ApiError('profile_run_ended', { run: name });
    return found;
  };
  const logRequest = ({ run: { run } }: ActiveRun, what: string) => {
    const account = actingAccount();
    const message = `${run.profileName} ${what}.${account === null ? '' : ` Requested by ${account}.`}`;
    log.log({ experiment: run.experiment.name, level: 'NOTICE', message, task: profileJobName });
  };
  const answer = async (key: RunKey) => ({ status: 200, body: await runDetails(record, key) }) as const;
  /** The state of the job follows that of the run. */
  const publishState = async ({ jobId, run }: ActiveRun) => {
    const [job] = runtime.running({ jobId });
    try {
      await job?.requestState(run.isPaused ? 'sleeping' : 'ready');
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'job_not_running')) throw error;
      // It is ending, by a stop or with its last step: the answer shows that.
      await runtime.stopJobs({ jobId });
    }
  };

  return {
    pauseProfileRun: async ({ params }) => {
      const found = await expectActive(params);
      if (found.run.isPaused) throw new ApiError('profile_run_paused', { run: found.run.run.profileName });
      await found.run.pause(actingAccount());
      await publishState(found);
      logRequest(found, 'was paused');
      return answer(params);
    },
    resumeProfileRun: async ({ params }) => {
      const found = await expectActive(params);
      if (!found.run.isPaused) throw new ApiError('profile_run_not_paused', { run: found.run.run.profileName });
      await found.run.resume(actingAccount());
      await publishState(found);
      logRequest(found, 'was resumed');
      return answer(params);
    },
    stopProfileRun: async ({ params, caller }) => {
      const found = await expectActive(params);
      const { run } = found.run;
      const scope = { what: 'profile', experiment: run.experiment.name, reactor_units: null } as const;
      if (!run.isDryRun) recentStops.add(recentStops.before(scope), `profile-${params.run_id}`, caller);
      await runtime.stopJobs({ jobId: found.jobId });
      logRequest(found, 'was stopped');
      return answer(params);
    },
    exportProfileRun: async ({ params }) => ({ status: 200, body: await runExport({ ...record, clock }, params) }),
    skipProfileItem: async ({ params, body: { reactor_unit: unit, path, iteration } }) => {
      const found = await expectActive(params);
      const item = found.run.itemText({ unit, path, iteration });
      if (!(await found.run.skip({ unit, path, iteration }, actingAccount())))
        throw new ApiError('profile_item_not_waiting', { path, iteration, unit });
      await publishState(found);
      logRequest(found, `was skipped to: ${item}`);
      return answer(params);
    },
  };
}
