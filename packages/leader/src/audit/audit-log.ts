import { hourMs, minuteMs } from '@lcs/contract';
import type { Cancel, EndedRequest, RecordRequest, Service } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';
import { auditedBody, type ChainEnd, chained, chainStart, type NewAuditEntry, storedText } from './audit-entry.ts';
import type { AuditDatabase } from './audit-tables.ts';
import { targetOf } from './audit-target.ts';
import { moveAudit } from './move-audit.ts';
import { chainEnd, insertEntries } from './store-entries.ts';

interface Needs extends Pick<LeaderContext, 'database' | 'clock' | 'wire' | 'log'> {
  readonly audit: AuditDatabase;
}

const retryMs = 5_000;
const longestWaitMs = 1_000;
/** Entries that wait for a disk that takes nothing. */
const mostWaiting = 20_000;
/** Loss of entries is logged this often. */
const logLossEveryMs = hourMs;
/** Refused requests per minute of callers without an account that are recorded: they could fill the disk. */
const mostRefusals = 120;
/** Entries of one transaction: the hashes of more would hold the event loop. */
const storedAtOnce = 200;
/** Larger bodies are stored without their content. */
const longestBody = 4_096;

/** A stop waits for nothing; a unit needs its response before the leader reads its feed. */
const unawaited: ReadonlySet<string> = new Set(['jobs.stop', 'node.enrol']);

/** Requests that change nothing, and entries of the event log, which are records themselves and may be many. */
const isUnaudited = (permission: string): boolean =>
  permission.endsWith('.read') || permission === 'mcp.use' || permission === 'logs.write';

const storedOrNull = (text: string | null): string | null => (text === null ? null : storedText(text));

function toEntry(ended: EndedRequest, at: number): NewAuditEntry {
  const { caller, operation, method, path, status, code } = ended;
  const { experiment, unit, job } = targetOf(ended);
  const body = auditedBody(ended.body);
  return {
    format: 2,
    at,
    caller_kind: caller.kind,
    caller: storedText(caller.name),
    caller_id: caller.personId,
    address: ended.address,
    channel: 'http',
    operation,
    method,
    path: storedText(path.slice(0, longestBody)),
    experiment: storedOrNull(experiment),
    unit: storedOrNull(unit),
    job: storedOrNull(job),
    body: body !== null && body.length > longestBody ? `"(${body.length} characters)"` : body,
    before: null,
    after: null,
    reason: null,
    status,
    code: code ?? null,
    request_id: storedText(ended.requestId),
  };
}

/** Of somebody who has no account. */
const isRefusal = ({ caller, status }: EndedRequest): boolean => caller.kind === 'anonymous' && status >= 400;

/**
 * Records who requested which change, with what result. A response waits until its entry is on disk, except those of stops and
 * enrolments. Entries that the disk refuses stay in memory and are stored as soon as possible.
 */
export class AuditLog implements Service {
  readonly name = 'audit';
  readonly #context: Needs;
  #end: ChainEnd = chainStart;
  readonly #waiting: NewAuditEntry[] = [];
  /** Entries since the start that were stored or lost. */
  #settled = 0;
  #lost = 0;
  #isStopped = false;
  #lossLoggedAtMs = Number.NEGATIVE_INFINITY;
  #refusals = { sinceMs: Number.NEGATIVE_INFINITY, count: 0 };
  #storing: Promise<boolean> | undefined;
  /** The disk has not answered in time. */
  #isLate = false;
  /** Undefined: the disk took the last entries. */
  #cancelRetry: Cancel | undefined;

  constructor(context: Needs) {
    this.#context = context;
  }

  async start(): Promise<void> {
    const { database, audit, log } = this.#context;
    await moveAudit(database, audit, log);
    this.#end = (await chainEnd(audit.read)) ?? chainStart;
  }

  /** Stores what still waits, if the disk takes it. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelRetry?.();
    await this.#bounded(this.#store());
  }

  readonly record: RecordRequest = (ended) => {
    const { permission } = ended;
    if (isUnaudited(permission) || (isRefusal(ended) && !this.#mayRecordRefusal())) return undefined;
    this.#waiting.push(toEntry(ended, Math.floor(this.#context.clock.now())));
    // Until the next retry a disk that refuses entries delays nothing.
    if (this.#cancelRetry !== undefined) return undefined;
    const stored = this.#store();
    return this.#isLate || unawaited.has(permission) ? undefined : this.#bounded(stored);
  };

  /** A store that does not answer (a locked file, a slow disk) delays one request, and no further ones until it has answered. */
  #bounded(stored: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#context.wire.after(longestWaitMs, () => {
        this.#isLate = true;
        resolve();
      });
      void stored.then(() => {
        cancel();
        resolve();
      });
    });
  }

  #mayRecordRefusal(): boolean {
    const { wire, log } = this.#context;
    const now = wire.monotonic();
    if (now - this.#refusals.sinceMs >= minuteMs) {
      const skipped = this.#refusals.count - mostRefusals;
      if (skipped > 0) log.warn('Refused requests are not in the audit: there were too many in a minute', { skipped });
      this.#refusals = { sinceMs: now, count: 0 };
    }
    this.#refusals = { ...this.#refusals, count: this.#refusals.count + 1 };
    return this.#refusals.count <= mostRefusals;
  }

  /** Resolves when the entries of this moment are on disk, or were refused by it. */
  async #store(): Promise<void> {
    const goal = this.#settled + this.#waiting.length;
    while (this.#settled < goal) {
      this.#storing ??= this.#storeWaiting().finally(() => {
        this.#storing = undefined;
      });
      if (!(await this.#storing)) return;
    }
  }

  /** Whether the disk took the next entries. */
  async #storeWaiting(): Promise<boolean> {
    const entries = this.#waiting.slice(0, storedAtOnce);
    const links = chained(this.#end, entries);
    try {
      await this.#context.audit.write((transaction) => insertEntries(transaction, links));
    } catch (error) {
      this.#onRefused(error);
      return false;
    }
    this.#end = links.at(-1) ?? this.#end;
    this.#isLate = false;
    this.#settle(entries.length);
    return true;
  }

  #settle(count: number): void {
    this.#waiting.splice(0, count);
    this.#settled += count;
  }

  #onRefused(error: unknown): void {
    const { log, clock, wire } = this.#context;
    const lost = Math.max(0, this.#waiting.length - mostWaiting);
    this.#settle(lost);
    this.#lost += lost;
    if (clock.now() - this.#lossLoggedAtMs >= logLossEveryMs) {
      this.#lossLoggedAtMs = clock.now();
      log.error('The audit was not stored; entries wait in memory', {
        waiting: this.#waiting.length,
        lost: this.#lost,
        error: String(error),
      });
    }
    if (this.#isStopped) return;
    this.#cancelRetry = wire.after(retryMs, () => {
      this.#cancelRetry = undefined;
      void this.#store();
    });
  }
}
