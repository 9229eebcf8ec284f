import type { DesiredState, StoppedJobs } from '@lcs/contract';
import type { JobFilter, JobOrigin } from '@lcs/node';
import type { Clock, Log, Probe } from '@lcs/platform';
import type { UnitConfig } from '../config/unit-config.ts';
import type { LeaderLink } from '../enrolment/leader-link.ts';
import type { NewNote } from '../outbox/new-record.ts';
import type { DesiredStore } from './desired-store.ts';
import type { UnitAssignment } from './unit-assignment.ts';

/** The required part of the job runtime. */
export interface DesiredJobs {
  stopJobs(filter: JobFilter): Promise<StoppedJobs>;
  running(filter?: JobFilter): readonly {
    readonly origin: JobOrigin;
    readonly definition: { readonly isActuating: boolean };
  }[];
}

export interface DesiredStateManagerOptions {
  readonly unit: string;
  readonly store: DesiredStore;
  /** The unit's assignment: only this service writes it. */
  readonly assignment: UnitAssignment;
  /** Started before the keeper. */
  readonly link: Pick<LeaderLink, 'current' | 'onChange' | 'release' | 'dropReleased'>;
  /** Started before the keeper. */
  readonly config: Pick<UnitConfig, 'view' | 'text' | 'replace'>;
  /** Started before this service, so that interrupted orders are executed before any job runs. */
  readonly jobs: DesiredJobs;
  /** Sends the active model to the guard of the outputs; null: unknown. */
  readonly model: (model: DesiredState['model']) => Promise<void>;
  /** To the unit's log and events. */
  readonly note: (note: NewNote) => void;
  /** The unit's time, milliseconds since 1970. */
  readonly now: () => number;
  readonly wire: Clock;
  readonly log: Log;
  /** The leader's time, milliseconds since 1970. */
  readonly onLeaderTime?: (leaderTimeMs: number) => void;
  /** Whether the leader has acknowledged all records of the feed. */
  readonly isDrained?: () => boolean;
  /** Called at `desired.persisted` and `stop.ordered`. */
  readonly probe?: Probe;
}
