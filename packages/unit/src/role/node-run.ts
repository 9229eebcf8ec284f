import { clusterExperiment, type Json } from '@lcs/contract';
import { type Log, type Service, toTimestamp } from '@lcs/platform';
import type { Outbox } from '../outbox/outbox.ts';
import type { RecordRow } from '../outbox/record-row.ts';
import { unitLog } from '../outbox/unit-note.ts';
import type { UnitTime } from '../time/unit-time.ts';

export interface NodeRunOptions {
  /** Up before this, and down after it. */
  readonly outbox: Pick<Outbox, 'append' | 'flush' | 'lastOfEarlierRun' | 'bootOf'>;
  readonly time: Pick<UnitTime, 'boot' | 'now' | 'synced'>;
  /** Of the program. */
  readonly version: string;
  readonly log: Log;
}

/** How the run before this one ended. */
interface EndBefore {
  /** Milliseconds since 1970; null: no record of it is stored, or there was no run. */
  readonly lastRecordAt: number | null;
  /** Whether `lastRecordAt` is of a clock that was never set in that run. */
  readonly isUnsynced: boolean;
  /** It was stopped, and all its parts with it. True where there was none. */
  readonly isClean: boolean;
}

/**
 * Records the start and the end of each run of this node. A run without a record of its end was cut off by a power failure or a
 * crash; its last record on disk shows until when it ran.
 */
export class NodeRun implements Service {
  readonly name = 'record of the run';
  readonly #options: NodeRunOptions;
  #isUp = false;

  constructor(options: NodeRunOptions) {
    this.#options = options;
  }

  /** On disk before any job begins: a later end is the end of this run. */
  async start(): Promise<void> {
    const { outbox, log } = this.#options;
    const last = await outbox.lastOfEarlierRun();
    const before = this.#endOf(last);
    const known: Record<string, Json> = before.isUnsynced ? { last_record_unsynced: true } : {};
    this.#note('node_started', { clean: before.isClean, last_record_at: before.lastRecordAt, ...known });
    if (!before.isClean) {
      const message = this.#cutText(before);
      log.warn(message);
      outbox.append(unitLog('WARNING', 'node', message));
    }
    this.#isUp = true;
    await outbox.flush();
  }

  /** The last record of the run: everything else that records has stopped before. */
  async stop(): Promise<void> {
    if (!this.#isUp) return;
    this.#isUp = false;
    this.#note('node_stopped', { clean: true });
    await this.#options.outbox.flush();
  }

  #note(name: 'node_started' | 'node_stopped', more: Record<string, Json>): void {
    const { outbox, time, version } = this.#options;
    const about = { kind: 'event', experiment_uid: clusterExperiment, source: 'node', message: null } as const;
    outbox.append({ ...about, name, data: { version, boot: time.boot.boot, ...more } });
  }

  #endOf(last: RecordRow | undefined): EndBefore {
    if (last === undefined) return { lastRecordAt: null, isUnsynced: false, isClean: true };
    const note: { readonly kind?: string; readonly name?: string; readonly unsynced?: true } = JSON.parse(
      last.body ?? '{}',
    );
    const isClean = note.kind === 'event' && note.name === 'node_stopped';
    if (note.unsynced !== true) return { lastRecordAt: last.at, isUnsynced: false, isClean };
    // That run may have set its clock later, or never.
    const wall0 = this.#options.outbox.bootOf(last.boot)?.wall0 ?? null;
    if (wall0 === null) return { lastRecordAt: last.at, isUnsynced: true, isClean };
    return { lastRecordAt: Math.floor(wall0 + last.mono / 1_000), isUnsynced: false, isClean };
  }

  #cutText({ lastRecordAt, isUnsynced }: EndBefore): string {
    const { time } = this.#options;
    const cut = 'This unit was not stopped but cut off: its power failed, or its program crashed.';
    if (lastRecordAt === null || isUnsynced) return `${cut} The time is unknown because its clock was not set.`;
    const since = `${cut} Nothing was recorded from ${toTimestamp(lastRecordAt)}`;
    return time.synced
      ? `${since} to ${toTimestamp(time.now())}.`
      : `${since} on; how long is known when its clock is set.`;
  }
}
