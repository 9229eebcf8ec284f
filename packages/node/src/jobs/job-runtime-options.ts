import type { Json } from '@lcs/contract';
import type { Clock, IniView, Log } from '@lcs/platform';
import type { EndedJobs } from './ended-jobs.ts';
import type { ActuatorPort, JobDefinition, JobEvent, JobLogLevel, JobOrigin, JobReading } from './job-definition.ts';
import type { JobDatabase } from './job-registry.ts';
import type { JobState } from './job-state.ts';

/** The origin of a change of a setting. */
export type ChangedBy = 'http' | 'mqtt' | 'profile' | 'job';

/** Receives everything that jobs publish, for the outbox and the MQTT mirror. Must not throw or block. */
export interface JobRecordSink {
  reading(job: JobOrigin, reading: JobReading & { readonly atMs: number }): void;
  event(job: JobOrigin, event: JobEvent): void;
  log(job: JobOrigin, level: JobLogLevel, message: string): void;
  state(job: JobOrigin, state: JobState): void;
  /** Null: the value is cleared. */
  setting(job: JobOrigin, setting: string, value: Json, by: ChangedBy): void;
}

/** Facts about the node's role in the cluster; read at each start of a job. */
export interface JobNodeFacts {
  readonly experiment: { readonly name: string; readonly uid: string } | undefined;
  readonly isActive: boolean;
  readonly model: { readonly name: string; readonly version: string } | undefined;
}

export interface JobRuntimeOptions {
  readonly unit: string;
  /** Jobs that do not need the runtime itself; register others with `JobRuntime.register`. Default: none. */
  readonly definitions?: readonly JobDefinition[];
  readonly database: JobDatabase;
  /** Sampling and time stamps. */
  readonly clock: Clock;
  /** Time limits of starts and stops, the rate limit. */
  readonly wire: Clock;
  /** The program's own log. */
  readonly log: Log;
  readonly sink: JobRecordSink;
  readonly actuators: ActuatorPort;
  /** Ended jobs that the database has not recorded. Default: in memory only. */
  readonly endedJobs?: EndedJobs;
  readonly facts: () => JobNodeFacts;
  readonly config: () => IniView;
}
