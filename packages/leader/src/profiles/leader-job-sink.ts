import { type FeedJob, type Json, profileJobName } from '@lcs/contract';
import { JobMirror, type JobOrigin, type JobRecordSink, type JobState } from '@lcs/node';
import { type Clock, type Log, toTimestamp } from '@lcs/platform';
import { backupJobName } from '../backups/backup-job.ts';
import type { LivePublisher, MqttPublisher } from '../core/leader-context.ts';
import type { UnitJobs } from '../live/unit-jobs.ts';
import type { LeaderJobLog } from './profile-log.ts';
import { lastingSettings } from './profile-request.ts';

export interface LeaderJobSinkOptions {
  readonly leader: string;
  readonly entries: LeaderJobLog;
  readonly mqtt: MqttPublisher;
  readonly live: LivePublisher;
  /** State of jobs for the live stream. */
  readonly jobs: UnitJobs;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Publishes records of jobs of the leader's own node: to the event log, on retained topics, in the live stream. Their history is the job
 * registry of the node, which is in the leader's store.
 */
export function leaderJobSink({ leader, entries, mqtt, live, jobs, clock, log }: LeaderJobSinkOptions): JobRecordSink {
  const mirror = new JobMirror({ unit: leader, mqtt, clock, log });
  const running = new Map<number, FeedJob>();
  const warned = new Set<string>();
  /** Several of them may run, one after the other or at a time: each has topics of its own. */
  const named = (job: JobOrigin): JobOrigin =>
    job.jobName === profileJobName || job.jobName === backupJobName
      ? { ...job, jobName: `${job.jobName}/${job.jobId}` }
      : job;
  const warnUnsupported = ({ jobName }: JobOrigin): void => {
    if (warned.has(jobName)) return;
    warned.add(jobName);
    log.warn('A job of the leader published readings or events, which only units can store', { job: jobName });
  };

  const publishState = (
    { jobId: job_id, jobName: job_name, experiment, experimentUid }: JobOrigin,
    state: JobState,
  ) => {
    if (state.kind === 'disconnected' || state.kind === 'lost') running.delete(job_id);
    else {
      const job = { job_id, job_name, experiment, experiment_uid: experimentUid, state: state.kind };
      running.set(job_id, { ...job, since: state.sinceMs });
    }
    for (const { job } of jobs.heartbeat(leader, [...running.values()], state.sinceMs))
      live.publish('job', `${leader}/${job.job_id}`, job);
  };

  return {
    reading: warnUnsupported,
    event: warnUnsupported,
    log: ({ experiment, jobName: task }, level, message) => entries.log({ experiment, level, message, task }),
    state: (job, state) => {
      mirror.state(named(job), state);
      publishState(job, state);
    },
    setting: (job, setting, value: Json) => {
      if (value === null && job.jobName === profileJobName && lastingSettings.has(setting)) return;
      mirror.setting(named(job), setting, value);
      const { experiment, jobName: job_name, jobId: job_id } = job;
      if (!jobs.setting(leader, job_id, setting, value)) return;
      const at = toTimestamp(clock.now());
      const change = { reactor_unit: leader, experiment, job_name, job_id, setting, value, at };
      live.publish('setting', `${leader}/${job_id}/${setting}`, change);
    },
  };
}
