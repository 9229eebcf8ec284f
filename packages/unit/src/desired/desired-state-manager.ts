import {
  ApiError,
  clusterExperiment,
  type DesiredReport,
  type DesiredState,
  type Json,
  type NeededDesired,
} from '@lcs/contract';
import type { JobNodeFacts } from '@lcs/node';
import type { Cancel, Service } from '@lcs/platform';
import type { NewNote } from '../outbox/new-record.ts';
import { unitLog } from '../outbox/unit-note.ts';
import { DesiredApplier, partNames } from './desired-applier.ts';
import { hasSameContent } from './desired-content.ts';
import type { DesiredStateManagerOptions } from './desired-state-manager-options.ts';
import type { DesiredMemory } from './desired-store.ts';
import { type OrderedJob, StopOrders } from './stop-orders.ts';
import type { AssignmentStatus } from './unit-assignment.ts';

type Resume = NonNullable<DesiredReport['resume']>;

/** A PUT has its response after this time, even if parts are pending. */
const responseLimitMs = 1_800;
const retryMs = 10_000;
/** How long a command without a deadline waits for the version that it needs. */
const neededLimitMs = 10_000;
const neededRetryS = 2;
const drainCheckMs = 5_000;

/**
 * Applies the desired state of the leader. A document is on disk before it is applied; the next start completes what a crash has
 * interrupted; parts that fail for a temporary reason are retried.
 */
export class DesiredStateManager implements Service {
  readonly name = 'desired state';
  readonly #options: DesiredStateManagerOptions;
  readonly #orders: StopOrders;
  readonly #applier: DesiredApplier;
  readonly #appliedListeners = new Set<(report: DesiredReport) => void>();
  readonly #changeListeners = new Set<() => void>();
  readonly #endings = new Set<Cancel>();
  #cancelRetry: Cancel = () => {};
  #appliedAt: number | null = null;
  #hasLeaderContact = false;
  #resume: Resume | null = null;
  /** Serialises changes of the document. Never rejects. */
  #work: Promise<unknown> = Promise.resolve();
  /** Never rejects. */
  #finishing: Promise<void> = Promise.resolve();
  #isUp = false;

  constructor(options: DesiredStateManagerOptions) {
    this.#options = options;
    const { store, log, jobs, probe } = options;
    this.#orders = new StopOrders({
      stopJobs: (filter) => jobs.stopJobs(filter),
      store,
      log,
      ...(probe && { probe }),
    });
    this.#applier = new DesiredApplier(options, this.#orders);
  }

  /** Loads the document and completes what a crash has interrupted. */
  async start(): Promise<void> {
    const { store, link, wire } = this.#options;
    const memory = await store.load();
    this.#orders.load(memory.stops);
    this.#isUp = true;
    await this.#enqueue(() => this.#recall(memory));
    await this.#finishing;
    this.#endings.add(link.onChange(() => this.#later(() => this.#followLink())));
    this.#endings.add(wire.every(drainCheckMs, () => this.#leaveWhenDrained()));
  }

  /** Waits for the running work. */
  async stop(): Promise<void> {
    this.#isUp = false;
    for (const end of this.#endings) end();
    this.#endings.clear();
    this.#cancelRetry();
    await this.#finishing;
    await this.#work;
  }

  /**
   * Accepts a document of the unit's leader. It is on disk when this resolves; parts that take longer than about 2 s are reported as
   * pending.
   * @throws ApiError `not_enrolled`, `foreign_leader`, `desired_stale`, `desired_conflict`, `shutting_down`
   */
  async put(document: DesiredState): Promise<DesiredReport> {
    if (!this.#isUp) throw new ApiError('shutting_down', {});
    const limit = Promise.withResolvers<void>();
    const cancel = this.#options.wire.after(responseLimitMs, limit.resolve);
    try {
      await this.#enqueue(() => this.#accept(document));
      await Promise.race([this.#finishing, limit.promise]);
      return this.report();
    } finally {
      cancel();
    }
  }

  /**
   * Resolves when the unit has applied this version of its leader's document, or a later one, and former jobs have ended.
   * @param signal of the command that needs it
   * @throws ApiError `desired_not_applied`
   */
  async untilApplied(needed: NeededDesired, signal: AbortSignal): Promise<void> {
    if (this.#hasApplied(needed)) return;
    const over = Promise.withResolvers<void>();
    const check = (): void => {
      if (this.#hasApplied(needed) || this.#isOfAnotherLeader(needed)) over.resolve();
    };
    const ends = [
      this.onApplied(check),
      this.onChange(check),
      this.#options.link.onChange(check),
      this.#options.wire.after(neededLimitMs, over.resolve),
    ];
    signal.addEventListener('abort', () => over.resolve(), { once: true });
    if (signal.aborted) over.resolve();
    check();
    await over.promise;
    for (const end of ends) end();
    if (!this.#hasApplied(needed)) throw this.#notApplied(needed);
  }

  /** The report on the applied document. */
  report(): DesiredReport {
    const { unit, link } = this.#options;
    const document = this.#options.assignment.document;
    const { shared, own } = this.#applier.effective.config;
    return {
      reactor_unit: unit,
      leader_id: document?.leader_id ?? link.current?.leader_id ?? null,
      version: document?.version ?? 0,
      applied_at: this.#appliedAt,
      parts: this.#applier.parts,
      config: { shared: shared.version, own: own.version },
      restart_needed: this.#applier.restartNeeded(),
      stopped: document === undefined ? [] : this.#orders.outcomes(document),
      resume: this.#resume,
    };
  }

  /** As `UnitAssignment.facts`. */
  facts(): JobNodeFacts {
    return this.#options.assignment.facts();
  }

  /** As `UnitAssignment.standing`. */
  status(): AssignmentStatus | undefined {
    return this.#options.assignment.status();
  }

  /** Whether the unit's own leader has sent or confirmed the document since the unit's start. */
  get hasLeaderContact(): boolean {
    return this.#hasLeaderContact;
  }

  /** Whether a pending stop order is for this job. */
  isOrderedToStop(job: OrderedJob): boolean {
    return this.#orders.isOrdered(job);
  }

  heartbeat(): { readonly desired_version: number; readonly desired_pending: readonly string[] } {
    const { parts } = this.#applier;
    const waiting = partNames.filter((name) => parts[name].state === 'pending');
    return { desired_version: this.#options.assignment.document?.version ?? 0, desired_pending: waiting };
  }

  /** Calls `listener` each time all parts of a document are applied; the returned function ends the subscription. */
  onApplied(listener: (report: DesiredReport) => void): () => void {
    this.#appliedListeners.add(listener);
    return () => {
      this.#appliedListeners.delete(listener);
    };
  }

  /** Calls `listener` at a new document or a confirmation of the leader: interrupted jobs can be decided. */
  onChange(listener: () => void): () => void {
    this.#changeListeners.add(listener);
    return () => {
      this.#changeListeners.delete(listener);
    };
  }

  /** Records the outcome of the interrupted jobs. */
  noteResume(resume: Resume): void {
    this.#resume = resume;
  }

  /** Acts as if the leader had released the unit, because another machine has its name now. */
  release(): Promise<void> {
    return this.#enqueue(async () => {
      await this.#forget(true);
      await this.#options.link.release();
    });
  }

  #hasApplied({ leaderId, version }: NeededDesired): boolean {
    const document = this.#options.assignment.document;
    if (document === undefined || this.#appliedAt === null || this.#isOfAnotherLeader({ leaderId })) return false;
    return document.leader_id === leaderId && document.version >= version;
  }

  #isOfAnotherLeader({ leaderId }: Pick<NeededDesired, 'leaderId'>): boolean {
    const { current } = this.#options.link;
    return current !== undefined && current.leader_id !== leaderId;
  }

  #notApplied(needed: NeededDesired): ApiError {
    const { unit } = this.#options;
    const version = this.#options.assignment.document?.version ?? 0;
    const pending = this.heartbeat().desired_pending;
    const applied = this.#appliedAt === null ? version - 1 : version;
    const cause = this.#isOfAnotherLeader(needed)
      ? `${unit} belongs to another leader than the one that sends the command.`
      : version >= needed.version && pending.length > 0
        ? `${unit} has version ${version} of the desired state and is still applying it (${pending.join(', ')}).`
        : undefined;
    return new ApiError('desired_not_applied', {
      unit,
      needed: needed.version,
      applied: Math.max(0, applied),
      retryAfterS: neededRetryS,
      ...(cause !== undefined && { cause }),
    });
  }

  async #accept(document: DesiredState): Promise<void> {
    const { unit, link, store, onLeaderTime, probe } = this.#options;
    const { current } = link;
    if (current === undefined || current.standing === 'released') throw new ApiError('not_enrolled', { unit });
    if (current.leader_id !== document.leader_id) throw new ApiError('foreign_leader', { unit });
    const known = this.#options.assignment.document;
    const { version } = document;
    if (known !== undefined && version < known.version)
      throw new ApiError('desired_stale', { version, current: known.version });
    if (known?.version === version && !hasSameContent(known, document))
      throw new ApiError('desired_conflict', { version });
    onLeaderTime?.(document.leader_time);
    if (known?.version !== version) {
      const orders = this.#orders.newIn(document);
      try {
        await store.accept(document, orders, this.#applier.effective);
      } catch (error) {
        // The leader sends it again; its stop orders do not wait for the disk.
        await this.#orders.stopUnrecorded(orders);
        throw error;
      }
      probe?.('desired.persisted');
      this.#orders.add(orders, version);
      await this.#apply(document);
    }
    this.#hasLeaderContact = true;
    this.#publishChange();
  }

  async #recall({ desired, effective }: DesiredMemory): Promise<void> {
    const { log, note } = this.#options;
    if (desired === 'damaged') {
      const message = 'The stored document of the leader is damaged; nothing resumes before the leader sends it again.';
      log.error(message);
      note(unitLog('CRITICAL', 'desired', message));
    }
    const stored = desired === 'damaged' ? undefined : desired;
    this.#options.assignment.document = stored?.document;
    this.#appliedAt = stored?.applied?.atMs ?? null;
    const isRetried = await this.#applier.recall(effective, stored?.document, stored?.applied?.parts);
    this.#orders.begin();
    await this.#followLink();
    const document = this.#options.assignment.document;
    if (document === undefined) return;
    if (stored?.applied === undefined) await this.#apply(document);
    else if (isRetried) this.#finishing = this.#finish(document);
  }

  async #apply(document: DesiredState): Promise<void> {
    this.#cancelRetry();
    this.#options.assignment.document = document;
    this.#appliedAt = null;
    await this.#applier.apply(document);
    this.#finishing = this.#finish(document);
  }

  /** Waits for the jobs that must end, then records the outcome of the document. Never rejects. */
  async #finish(document: DesiredState): Promise<void> {
    try {
      await this.#applier.settled();
      await this.#enqueue(() => this.#writeDown(document));
      if (!this.#applier.isRetryable) return;
    } catch (error) {
      this.#options.log.error('What became of the document could not be kept; it is tried again', {
        error: String(error),
      });
    }
    this.#retryLater(document);
  }

  async #writeDown(document: DesiredState): Promise<void> {
    if (this.#options.assignment.document !== document) return;
    await this.#applier.conclude(document);
    const { store, link, now, note } = this.#options;
    const { parts, effective } = this.#applier;
    // Before the document is recorded as applied: a crash in between would leave the unit with its former leader.
    if (document.standing === 'released' && parts.active.state !== 'failed') await link.release();
    const at = now();
    await store.applied(at, parts, effective);
    this.#appliedAt = at;
    const report = this.report();
    note(appliedNote(report));
    for (const listener of this.#appliedListeners) listener(report);
  }

  #retryLater(document: DesiredState): void {
    this.#cancelRetry();
    if (!this.#isUp || this.#options.assignment.document !== document) return;
    this.#cancelRetry = this.#options.wire.after(retryMs, () =>
      this.#later(async () => {
        if (this.#options.assignment.document !== document) return;
        await this.#applier.retry(document);
        this.#finishing = this.#finish(document);
      }),
    );
  }

  /** Removes a document of another leader or of a former membership. */
  async #followLink(): Promise<void> {
    const { current } = this.#options.link;
    const document = this.#options.assignment.document;
    if (document === undefined) return;
    const isLeft = document.standing === 'released' && this.#appliedAt !== null;
    if (current !== undefined && current.leader_id !== document.leader_id) await this.#forget(true);
    else if (isLeft && current?.standing !== 'released') await this.#forget(false);
  }

  async #forget(isMember: boolean): Promise<void> {
    this.#cancelRetry();
    this.#options.assignment.document = undefined;
    this.#appliedAt = null;
    this.#orders.forget();
    if (isMember) await this.#applier.letGo();
    await this.#options.store.forget(this.#applier.effective);
    this.#publishChange();
  }

  #leaveWhenDrained(): void {
    const { link, isDrained } = this.#options;
    if (link.current?.standing === 'released' && (isDrained?.() ?? true)) this.#later(() => link.dropReleased());
  }

  #publishChange(): void {
    for (const listener of this.#changeListeners) listener();
  }

  #enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#work.then(work);
    // Only the order is kept here; the caller has the outcome.
    this.#work = done.catch(() => {});
    return done;
  }

  /** The same for background work. */
  #later(work: () => Promise<void>): void {
    this.#enqueue(work).catch((error: unknown) =>
      this.#options.log.error('The desired state could not be kept', { error: String(error) }),
    );
  }
}

/** The event about the outcome of a document. */
function appliedNote(report: DesiredReport): NewNote {
  const data: Record<string, Json> = JSON.parse(JSON.stringify(report));
  const about = { experiment_uid: clusterExperiment, source: null, message: null };
  return { kind: 'event', name: 'desired_applied', ...about, data };
}
