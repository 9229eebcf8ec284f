import { accountOf, dayMs, hasShape, hourMs, minuteMs, StoppedJobs } from '@lcs/contract';
import type { Cancel, EndedRequest, ObserveRequest, RecordRequest, Service, TaskRecord } from '@lcs/platform';
import type { BrokerCommand } from '../broker/mqtt-broker.ts';
import type { LeaderContext } from '../core/leader-context.ts';
import type { SentCommand } from '../profiles/step-commands.ts';
import { auditedBody, type ChainEnd, chained, chainStart, type NewAuditEntry, storedText } from './audit-entry.ts';
import type { AuditDatabase } from './audit-tables.ts';
import { type AuditedRequest, chosenUnits, targetOf } from './audit-target.ts';
import { moveAudit } from './move-audit.ts';
import { chainEnd, insertEntries } from './store-entries.ts';
import { changedFields, hasStoredState, readStoredState } from './stored-state.ts';
import { failureEntry, failureOfTask, statusOfFailure, type TaskFailure } from './task-outcome.ts';
import { verifyAudit } from './verify-audit.ts';

interface Needs extends Pick<LeaderContext, 'database' | 'clock' | 'wire' | 'log'> {
  readonly audit: AuditDatabase;
}

const retryMs = 5_000;
const longestWaitMs = 1_000;
interface AuditLimits {
  /** Entries that wait for a disk that takes nothing. */
  readonly mostWaiting: number;
}

const defaultLimits: AuditLimits = { mostWaiting: 20_000 };
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

/** Of a command without an answer. */
const noAnswerStatus = 502;
/** Accepted requests whose tasks have not ended; and ends of tasks whose requests are not recorded. Chosen: far more than run at once. */
const mostOpenTasks = 1_000;

const storedOrNull = (text: string | null): string | null => (text === null ? null : storedText(text));

const shortened = (json: string | null): string | null =>
  json !== null && json.length > longestBody ? `"(${json.length} characters)"` : json;

type Changed = ReturnType<typeof changedFields>;

const unchanged: Changed = { before: null, after: null };

function toEntry(ended: EndedRequest, at: number, { before, after }: Changed = unchanged): NewAuditEntry {
  const { caller, operation, method, path, status, code } = ended;
  const { experiment, unit, job } = targetOf(ended);
  return {
    format: 2,
    at,
    caller_kind: caller.kind,
    caller: storedText(accountOf(caller) ?? caller.name),
    caller_id: caller.personId,
    address: ended.address,
    channel: caller.tablet === undefined ? 'http' : `tablet ${storedText(caller.tablet)}`,
    operation,
    method,
    path: storedText(path.slice(0, longestBody)),
    experiment: storedOrNull(experiment),
    unit: storedOrNull(unit),
    job: storedOrNull(job),
    body: shortened(auditedBody(ended.body)),
    before: shortened(before),
    after: shortened(after),
    reason: storedOrNull(ended.reason ?? null),
    status,
    code: code ?? null,
    request_id: storedText(ended.requestId),
    units: chosenUnits(ended),
  };
}

/** `reactor/<unit>/<experiment>/<job>/<setting>/set`, or another topic below the job. */
function commandEntry(
  { identity, address, clientId, topic, payload, isAllowed }: BrokerCommand,
  at: number,
): NewAuditEntry {
  const [, unit, experiment, job] = topic.split('/');
  return {
    format: 2,
    at,
    caller_kind: identity.kind,
    caller: storedText(identity.name),
    caller_id: identity.personId,
    address,
    channel: 'mqtt',
    operation: 'publishCommand',
    method: 'PUBLISH',
    path: storedText(topic),
    experiment: storedOrNull(experiment ?? null),
    unit: storedOrNull(unit ?? null),
    job: storedOrNull(job ?? null),
    body: shortened(auditedBody({ payload, client: clientId })),
    before: null,
    after: null,
    reason: null,
    status: isAllowed ? 200 : 403,
    code: isAllowed ? null : 'not_allowed',
    request_id: '',
    units: null,
  };
}

const unitOperations: readonly (readonly [path: string, operation: string])[] = [
  ['/unit_api/jobs/run/', 'runJob'],
  ['/unit_api/jobs/settings/', 'updateJobSettings'],
];

/** Names of the jobs that a stop has stopped, as JSON; null: it was no stop, or failed. */
function stoppedJobs(outcome: SentCommand['outcome']): string | null {
  if (!outcome?.ok || !hasShape(StoppedJobs, outcome.value)) return null;
  return JSON.stringify({ stopped: outcome.value.stopped.map(({ job_name }) => job_name) });
}

/** A command of a profile; who acts is whoever began the run. */
function runCommandEntry({ command, experiment, job, account, outcome }: SentCommand, at: number): NewAuditEntry {
  const { unit, method, path, body } = command;
  const error = outcome?.ok === false ? outcome.error : undefined;
  return {
    format: 2,
    at,
    caller_kind: 'leader',
    caller: storedText(account ?? 'leader'),
    caller_id: '',
    address: '',
    channel: 'profile',
    operation: unitOperations.find(([start]) => path.startsWith(start))?.[1] ?? 'stopJobs',
    method,
    path: storedText(path),
    experiment: storedText(experiment),
    unit: storedText(unit),
    job: storedOrNull(job),
    body: shortened(auditedBody(body)),
    before: null,
    after: shortened(stoppedJobs(outcome)),
    reason: null,
    // The task of a unit fails after its request was accepted.
    status: outcome === undefined ? noAnswerStatus : outcome.ok ? 200 : statusOfFailure(outcome.status_code),
    code: outcome?.ok ? null : (error?.code ?? error?.kind ?? 'no_answer'),
    request_id: '',
    units: null,
  };
}

function keepNewest<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.set(key, value);
  const [oldest] = map.size > mostOpenTasks ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
}

/** A refused read, or any failure of somebody who has no account: there may be many. */
const isLimited = ({ caller, method, status }: EndedRequest): boolean =>
  method === 'GET' || method === 'HEAD' || (caller.kind === 'anonymous' && status >= 400);

/**
 * Records who requested which change, with what result. A response waits until its entry is on disk, except those of stops and
 * enrolments. Entries that the disk refuses stay in memory and are stored as soon as possible.
 */
export class AuditLog implements Service {
  readonly name = 'audit';
  readonly #context: Needs;
  readonly #limits: AuditLimits;
  #end: ChainEnd = chainStart;
  readonly #waiting: NewAuditEntry[] = [];
  /** Entries since the start that were stored or lost. */
  #settled = 0;
  #lost = 0;
  #isStopped = false;
  #lossLoggedAtMs = Number.NEGATIVE_INFINITY;
  /** Entries of accepted requests, by task. */
  readonly #accepted = new Map<string, NewAuditEntry>();
  /** Tasks that failed before their request was recorded. */
  readonly #failed = new Map<string, TaskFailure>();
  readonly #refusals = new Map<string, { readonly sinceMs: number; readonly count: number }>();
  #storing: Promise<boolean> | undefined;
  /** The disk has not answered in time. */
  #isLate = false;
  #cancelAnchors: Cancel | undefined;
  /** Undefined: the disk took the last entries. */
  #cancelRetry: Cancel | undefined;

  /** @param limits lower in tests */
  constructor(context: Needs, limits: AuditLimits = defaultLimits) {
    this.#context = context;
    this.#limits = limits;
  }

  async start(): Promise<void> {
    const { database, audit, log } = this.#context;
    await moveAudit(database, audit, log);
    this.#end = (await chainEnd(audit.read)) ?? chainStart;
    this.#cancelAnchors = this.#context.wire.every(dayMs, () => this.#logAnchor());
  }

  /** Stores what still waits, if the disk takes it. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelRetry?.();
    this.#cancelAnchors?.();
    await this.#bounded(this.#store());
    this.#logAnchor();
  }

  /** The faults of the stored chain, for the check of the database. */
  async faults(signal: AbortSignal): Promise<readonly string[]> {
    const { firstWrong } = await verifyAudit(this.#context.audit.read, signal);
    if (firstWrong === null) return [];
    return [`The audit was changed: entry ${firstWrong} does not continue the chain.`];
  }

  /** Whoever keeps the log elsewhere can detect that the newest entries were removed. */
  #logAnchor(): void {
    const { seq, hash } = this.#end;
    if (seq > 0) this.#context.log.info('The last entry of the audit', { seq, hash });
  }

  readonly record: RecordRequest = (ended) => {
    const { permission } = ended;
    if (isUnaudited(permission) && ended.status !== 403) return undefined;
    if (isLimited(ended) && !this.#mayRecordRefusal(ended)) return undefined;
    const at = Math.floor(this.#context.clock.now());
    const { observed } = ended;
    if (observed === undefined || ended.status >= 400) return this.#addRequest(ended, toEntry(ended, at));
    return this.#stateOf(ended).then((after) =>
      this.#addRequest(ended, toEntry(ended, at, changedFields(observed.before, after))),
    );
  };

  /** The task of an accepted request has ended: what it did not do has an entry of its own. */
  readonly recordTask = (task: TaskRecord): void => {
    if (task.finishedAt === null) return;
    const failure = failureOfTask(task);
    const accepted = this.#accepted.get(task.taskId);
    this.#accepted.delete(task.taskId);
    if (failure === undefined) return;
    if (accepted !== undefined) this.#addFailure(accepted, failure);
    else keepNewest(this.#failed, task.taskId, failure);
  };

  /** Records a command that a client of the broker has published. Nothing waits for it. */
  readonly recordCommand = (command: BrokerCommand): void => {
    void this.#add(commandEntry(command, Math.floor(this.#context.clock.now())), 'jobs.stop');
  };

  /** Records a command of a profile. The run waits for nothing. */
  readonly recordRunCommand = (sent: SentCommand): void => {
    void this.#add(runCommandEntry(sent, Math.floor(this.#context.clock.now())), 'jobs.stop');
  };

  /** Reads what the request will change, for the entry. */
  readonly observe: ObserveRequest = (request) =>
    hasStoredState(request.operation) ? this.#stateOf(request) : undefined;

  /** An entry without its state is better than a change that fails because of it. */
  async #stateOf(request: AuditedRequest): ReturnType<typeof readStoredState> {
    try {
      return await readStoredState(this.#context.database.read, request);
    } catch (error) {
      this.#context.log.error('The audit could not read the state of a change', {
        operation: request.operation,
        error: String(error),
      });
      return undefined;
    }
  }

  #addRequest({ permission, taskId }: EndedRequest, entry: NewAuditEntry): Promise<void> | undefined {
    const stored = this.#add(entry, permission);
    if (taskId === undefined) return stored;
    const failure = this.#failed.get(taskId);
    this.#failed.delete(taskId);
    if (failure === undefined) keepNewest(this.#accepted, taskId, entry);
    else this.#addFailure(entry, failure);
    return stored;
  }

  /** Nothing waits for it: the request has its response. */
  #addFailure(accepted: NewAuditEntry, failure: TaskFailure): void {
    const at = Math.floor(this.#context.clock.now());
    void this.#add(failureEntry(accepted, at, failure), 'jobs.stop');
  }

  #add(entry: NewAuditEntry, permission: string): Promise<void> | undefined {
    this.#waiting.push(entry);
    // Until the next retry a disk that refuses entries delays nothing.
    if (this.#cancelRetry !== undefined) return undefined;
    const stored = this.#store();
    return this.#isLate || unawaited.has(permission) ? undefined : this.#bounded(stored);
  }

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

  /** Each person has a limit of their own, and all unknown callers one: no flood hides the refusals of others. */
  #mayRecordRefusal({ caller: { kind, personId } }: EndedRequest): boolean {
    const { wire, log } = this.#context;
    const group = personId === '' ? kind : personId;
    const now = wire.monotonic();
    let window = this.#refusals.get(group) ?? { sinceMs: now, count: 0 };
    if (now - window.sinceMs >= minuteMs) {
      const skipped = window.count - mostRefusals;
      if (skipped > 0) log.warn('Refused requests are not in the audit: there were too many in a minute', { skipped });
      window = { sinceMs: now, count: 0 };
    }
    this.#refusals.set(group, { ...window, count: window.count + 1 });
    return window.count < mostRefusals;
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
    const lost = Math.max(0, this.#waiting.length - this.#limits.mostWaiting);
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
