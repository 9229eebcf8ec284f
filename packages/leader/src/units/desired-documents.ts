import type { Cancel, Clock, Log, Service } from '@lcs/platform';
import type { DesiredPort, Effects, JobsOfExperiment, LeaderTransaction } from '../core/leader-context.ts';
import type { DocumentDelivery } from '../fleet/http-fleet.ts';
import { Backoff } from '../follower/backoff.ts';
import { BackgroundWork } from './background-work.ts';
import type { KeptDesired } from './desired-document.ts';
import type { DesiredDocumentStore } from './desired-document-store.ts';
import type { DocumentSender } from './document-sender.ts';
import { enrolmentOf, isUpToDate } from './unit-session.ts';
import type { UnitSessions } from './unit-sessions.ts';

export interface DesiredDocumentsOptions {
  readonly leader: string;
  /** The leader's own node has the unit role too, and a document once it is a worker. */
  readonly hasUnitRole: boolean;
  readonly leaderId: string;
  readonly clock: Clock;
  readonly wire: Clock;
  readonly log: Log;
  readonly sessions: UnitSessions;
  readonly store: DesiredDocumentStore;
  readonly sender: DocumentSender;
  /** Numbers from 0 to 1. */
  readonly random: () => number;
}

/** A start waits no longer for the orders that come before it. */
const ordersFirstMs = 2_000;
const recordAgainMs = 5_000;

/** Documents may be long: more of them, parsed and written in one turn, would hold the event loop. */
const documentsAtOnce = 8;

const inGroups = (units: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(units.length / documentsAtOnce) }, (_, group) =>
    units.slice(group * documentsAtOnce, (group + 1) * documentsAtOnce),
  );

interface UnrecordedStop {
  readonly units: readonly string[];
  readonly stop: JobsOfExperiment;
}

/** A person starts a job: older orders to stop that very job do not hold for these units any more. */
function withoutStarted(
  order: UnrecordedStop,
  started: readonly string[],
  { experiment, jobName }: JobsOfExperiment & { readonly jobName: string },
): readonly UnrecordedStop[] {
  const { units, stop } = order;
  const isSameJob = (stop.jobName ?? jobName) === jobName && (stop.experiment ?? experiment) === experiment;
  const left = isSameJob ? units.filter((unit) => !started.includes(unit)) : units;
  return left.length === 0 ? [] : [{ units: left, stop }];
}

/**
 * Makes the document of each unit after each change that may concern it, and adds orders to stop jobs. The session of the
 * unit decides when the document is sent. The leader's own node has a document only if it has the unit role.
 */
export class DesiredDocuments implements DesiredPort, Service {
  readonly name = 'desired documents';
  readonly #options: DesiredDocumentsOptions;
  readonly #work: BackgroundWork;
  /** Units whose documents have to be made. */
  readonly #due = new Set<string>();
  /** Units whose documents are being made. */
  readonly #inMaking = new Set<string>();
  /** Orders that the disk has not taken yet. */
  #unrecorded: readonly UnrecordedStop[] = [];
  #cancelRecord: Cancel = () => {};
  #making: Promise<void> | undefined;
  #stopping = new AbortController();

  constructor(options: DesiredDocumentsOptions) {
    this.#options = options;
    this.#work = new BackgroundWork(options);
    options.sessions.onEffect((unit, effect) => {
      if (effect.do === 'make document') this.refresh([unit]);
    });
  }

  /** Loads the documents from the store, and makes those that the last run did not make. */
  async start(): Promise<void> {
    this.#stopping = new AbortController();
    const { sessions, store } = this.#options;
    const units = new Set<string>();
    for (const { unit, version, standing, reportedVersion: reported, isComplete } of await store.all()) {
      // The leader itself, which had a board when it was started before.
      if (!this.#mayHaveDocument(unit)) continue;
      units.add(unit);
      const isGone = standing === 'released' && reported === version;
      const membership = standing === 'member' ? 'member' : isGone ? 'gone' : 'leaving';
      sessions.dispatch(unit, { is: 'document loaded', membership, version, reported, isComplete });
    }
    for (const unit of await store.workers()) units.add(unit);
    await this.#make([...units]);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#cancelRecord();
    await this.#work.settled();
  }

  refresh(units: readonly string[]): void {
    for (const unit of units) if (this.#mayHaveDocument(unit)) this.#due.add(unit);
    if (this.#making || this.#due.size === 0 || this.#stopping.signal.aborted) return;
    this.#making = this.#makeDue();
    this.#work.track('the documents of units', this.#making);
  }

  async deliverNow(units: readonly string[]): Promise<readonly string[]> {
    await this.#make(units);
    const { leader, sessions } = this.#options;
    // The leader reads its own files; only its unit role has a document.
    const recipients = units.filter((unit) => unit !== leader || sessions.of(unit).membership !== 'none');
    const isBehind = (unit: string) => {
      const { membership, document } = sessions.of(unit);
      return membership === 'none' || document.reported !== document.version;
    };
    await Promise.all(recipients.filter(isBehind).map((unit) => this.#sendFirst(unit)));
    return recipients.filter(isBehind);
  }

  /**
   * What a command that is sent to the unit now has to wait for: every change that is on disk is in that document. It is on
   * its way when this resolves, or with the unit, after `limitMs` at most. Undefined: the unit has none from this leader.
   */
  async deliver(unit: string, limitMs: number): Promise<DocumentDelivery | undefined> {
    const { leaderId, sender, sessions } = this.#options;
    if (enrolmentOf(sessions.of(unit)) === undefined) return undefined;
    if (this.#due.has(unit) || this.#inMaking.has(unit)) await this.#make([unit]);
    if (sessions.of(unit).membership !== 'member') return undefined;
    if (!isUpToDate(sessions.of(unit))) await sender.send(unit, limitMs);
    const { document, noAnswer } = sessions.of(unit);
    // The unit may have had a later version than this leader knew of.
    const needed = { leaderId, version: document.version };
    if (document.applied === document.version) return { needed, is: 'applied' };
    if (document.reported === document.version) return { needed, is: 'pending' };
    if (noAnswer === undefined) return { needed, is: 'unknown' };
    return { needed, is: 'no answer', cause: noAnswer };
  }

  /** The shared configuration has changed. */
  refreshAll(): void {
    this.refresh(this.#options.sessions.members());
  }

  async orderStops(units: readonly string[], stop: JobsOfExperiment): Promise<ReadonlySet<string>> {
    const ordered = new Set<string>();
    for (const group of inGroups(units)) for (const unit of await this.#orderStops(group, stop)) ordered.add(unit);
    return ordered;
  }

  async orderStopsIn(
    transaction: LeaderTransaction,
    effects: Pick<Effects, 'afterCommit'>,
    units: readonly string[],
    stop: JobsOfExperiment,
  ): Promise<void> {
    for (const group of inGroups(units))
      for (const { unit, document } of await this.#options.store.orderStopsIn(transaction, group, stop))
        effects.afterCommit(() => this.#made(unit, document));
  }

  async #orderStops(units: readonly string[], stop: JobsOfExperiment): Promise<readonly string[]> {
    try {
      const ordered = await this.#options.store.orderStops(units, stop);
      for (const { unit, document } of ordered) this.#made(unit, document);
      return ordered.map(({ unit }) => unit);
    } catch (error) {
      this.#options.log.error('Orders to stop jobs could not be recorded; the leader retries', {
        units,
        stop,
        error: String(error),
      });
      this.#unrecorded = [...this.#unrecorded, { units, stop }];
      this.#recordLater();
      return [];
    }
  }

  async beforeStart(units: readonly string[], start: JobsOfExperiment & { readonly jobName: string }): Promise<void> {
    this.#unrecorded = this.#unrecorded.flatMap((order) => withoutStarted(order, units, start));
    const sendFirst: string[] = [];
    for (const group of inGroups(units)) {
      const { changed, ordered } = await this.#options.store.beforeStart(group, start);
      for (const { unit, document } of changed) this.#made(unit, document);
      sendFirst.push(...ordered);
    }
    await Promise.all(sendFirst.map((unit) => this.#sendFirst(unit)));
  }

  #recordLater(): void {
    if (this.#stopping.signal.aborted) return;
    this.#cancelRecord();
    this.#cancelRecord = this.#options.wire.after(recordAgainMs, () => {
      const orders = this.#unrecorded;
      this.#unrecorded = [];
      // What fails again is put back by `orderStops`.
      const again = orders.map(({ units, stop }) => this.orderStops(units, stop));
      this.#work.track('orders to stop jobs', Promise.all(again));
    });
  }

  /** One run at a time, for all units that were named meanwhile. */
  async #makeDue(): Promise<void> {
    const { wire, log, random } = this.#options;
    const pauses = new Backoff(500, 10_000, random);
    try {
      while (this.#due.size > 0 && !this.#stopping.signal.aborted) {
        const units = [...this.#due];
        this.#due.clear();
        for (const unit of units) this.#inMaking.add(unit);
        try {
          await this.#make(units);
        } catch (error) {
          log.error('Documents of units could not be made; the leader retries', { units: units.length, error });
          for (const unit of units) this.#due.add(unit);
          await wire.sleep(pauses.next(), this.#stopping.signal).catch(() => {});
        } finally {
          this.#inMaking.clear();
        }
      }
    } finally {
      this.#making = undefined;
    }
  }

  async #make(units: readonly string[]): Promise<void> {
    const recipients = units.filter((unit) => this.#mayHaveDocument(unit));
    for (const group of inGroups(recipients))
      for (const { unit, document } of await this.#options.store.make(group)) this.#made(unit, document);
  }

  #mayHaveDocument(unit: string): boolean {
    const { leader, hasUnitRole } = this.#options;
    return hasUnitRole || unit !== leader;
  }

  #made(unit: string, { version, content }: KeptDesired): void {
    const isReleased = content.standing === 'released';
    this.#options.sessions.dispatch(unit, { is: 'document made', version, isReleased });
  }

  /** Waits until the unit has its document, or the time is up: then it gets it later. A unit that was silent is not waited for. */
  async #sendFirst(unit: string): Promise<void> {
    const { sender, sessions } = this.#options;
    if (sessions.of(unit).run !== undefined) await sender.send(unit, ordersFirstMs);
  }
}
