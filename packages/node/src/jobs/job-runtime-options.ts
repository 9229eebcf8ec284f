import type { Json } from '@lcs/contract';
import type { Clock, IniView, Log } from '@lcs/platform';
import type { EndedJobs } from './ended-jobs.ts';
import type { ActuatorPort, JobDefinition, JobEvent, JobLogLevel, JobOrigin, JobReading } from './job-definition.ts';
import type { JobDatabase } from './job-registry.ts';
import type { JobState } from './job-state.ts';

/** Who changed a setting. */
export type ChangedBy = 'http' | 'mqtt' | 'profile' | 'job';

/** Where what jobs say goes: the outbox, and the mirror. Nothing here may throw or be waited for. */
export interface JobRecordSink {
  reading(job: JobOrigin, reading: JobReading & { readonly atMs: number }): void;
  event(job: JobOrigin, event: JobEvent): void;
  log(job: JobOrigin, level: JobLogLevel, message: string): void;
  state(job: JobOrigin, state: JobState): void;
  /** Null: the value is gone. */
  setting(job: JobOrigin, setting: string, value: Json, by: ChangedBy): void;
}

/** What the node knows about its place in the cluster; asked at each start of a job. */
export interface JobNodeFacts {
  readonly experiment: { readonly name: string; readonly uid: string } | undefined;
  readonly isActive: boolean;
  readonly model: { readonly name: string; readonly version: string } | undefined;
}

export interface JobRuntimeOptions {
  readonly unit: string;
  /** Jobs that need nothing of the runtime itself; others are registered: see `JobRuntime.register`. Default: none. */
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
  /** Where ended jobs stand that the database does not have. Default: nowhere but in memory. */
  readonly endedJobs?: EndedJobs;
  readonly facts: () => JobNodeFacts;
  readonly config: () => IniView;
}
