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
  /** Group commits, retries and looks at the disk. */
  readonly wire: Clock;
  readonly log: Log;
  readonly newId: () => string;
  readonly limits?: Partial<OutboxLimits>;
  /** What the configuration says of the limits, asked whenever it matters; it wins. */
  readonly configured?: () => Pick<OutboxLimits, 'maxBytes' | 'keepMs'>;
  /** Free space where the outbox lies, in bytes. Without it only failing writes tell. */
  readonly freeBytes?: () => Promise<number>;
  /** Flags of every sample of this unit, whoever records it. Absent: none. */
  readonly flags?: readonly SampleFlag[];
  /** Called at `outbox.before_commit`, `outbox.after_commit`, and `outbox.trimming` in the transaction that forgets records. */
  readonly probe?: Probe;
}

export interface OutboxLimits {
  readonly maxBytes: number;
  /** How long acknowledged records are kept. */
  readonly keepMs: number;
  /** A record waits no longer than this for its commit to begin. With the commit itself it stays below 250 ms. */
  readonly commitAfterMs: number;
  /** So many records do not wait at all. */
  readonly commitAtRecords: number;
  /** So many records wait in memory while the disk takes none. */
  readonly maxWaiting: number;
}

export const defaultLimits: OutboxLimits = {
  maxBytes: outboxSettings.maxSize.absent * 1024 * 1024,
  keepMs: outboxSettings.keepTime.absent * dayMs,
  commitAfterMs: 150,
  commitAtRecords: 500,
  maxWaiting: 10_000,
};
