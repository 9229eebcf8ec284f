import { dayMs, type SampleFlag } from '@lcs/contract';
import { outboxSettings } from '@lcs/domain';
import type { Clock, Database, Log, Probe } from '@lcs/platform';
import type { UnitTime } from '../time/unit-time.ts';
import type { OutboxTables } from './outbox-tables.ts';

export interface OutboxOptions {
  /** Open, with `outboxMigrations`. */
  readonly database: Database<OutboxTables>;
  /** Started before the outbox. */
  readonly time: UnitTime;
  /** Retention. */
  readonly clock: Clock;
  /** The clock of group commits, retries and checks of the disk. */
  readonly wire: Clock;
  readonly log: Log;
  readonly newId: () => string;
  readonly limits?: Partial<OutboxLimits>;
  /** The configured limits, read at each use; they override `limits`. */
  readonly configured?: () => Pick<OutboxLimits, 'maxBytes' | 'keepMs'>;
  /** Free space of the outbox's disk, in bytes. Without it, only failed writes show a full disk. */
  readonly freeBytes?: () => Promise<number>;
  /** Flags of every sample of this unit. Absent: none. */
  readonly flags?: readonly SampleFlag[];
  /** Called at `outbox.before_commit`, `outbox.after_commit`, and `outbox.trimming` in the transaction that deletes records. */
  readonly probe?: Probe;
}

export interface OutboxLimits {
  readonly maxBytes: number;
  /** How long acknowledged records are kept. */
  readonly keepMs: number;
  /** The longest wait of a record for the begin of its commit. With the commit itself it is below 250 ms. */
  readonly commitAfterMs: number;
  /** This number of records is committed at once. */
  readonly commitAtRecords: number;
  /** The most records in memory while the disk rejects writes. */
  readonly maxWaiting: number;
}

export const defaultLimits: OutboxLimits = {
  maxBytes: outboxSettings.maxSize.absent * 1024 * 1024,
  keepMs: outboxSettings.keepTime.absent * dayMs,
  commitAfterMs: 150,
  commitAtRecords: 500,
  maxWaiting: 10_000,
};
