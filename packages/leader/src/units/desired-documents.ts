import type { FeedAnswer, UnitTrouble } from '@lcs/contract';
import type { Cancel, Clock, Living, Log } from '@lcs/platform';
import type { ChangeRunner, DesiredPort, JobsOfExperiment, LeaderDatabase } from '../core/leader-context.ts';
import { withTimeout } from '../core/with-timeout.ts';
import type { DocumentDelivery } from '../fleet/http-fleet.ts';
import { Lane } from '../fleet/lane.ts';
import type { UnitAnswer, UnitCall } from '../fleet/unit-http.ts';
import { Backoff } from '../follower/backoff.ts';
import type { ModelCatalog } from '../models/model-catalog.ts';
import { getDesired, putDesired, type ReceivedReport } from './desired-client.ts';
import type { KeptDesired } from './desired-document.ts';
import { DesiredDocumentStore } from './desired-document-store.ts';
import { readReport } from './desired-report.ts';
import type { KnownUnit, Membership } from './known-unit.ts';

export interface DesiredDocumentsOptions {
  readonly leader: string;
  /** The leader's own node has the unit role too, and a document once it is a worker. */
  readonly hasUnitRole: boolean;
  readonly leaderId: string;
  readonly clock: Clock;
  readonly wire: Clock;
  readonly log: Log;
  readonly database: LeaderDatabase;
  readonly change: ChangeRunner;
  readonly models: Pick<ModelCatalog, 'list'>;
  /** Text of the shared configuration, the last that could be used. */
  readonly sharedText: () => string;
  readonly addressOf: (unit: string) => string | undefined;
  /** Whether the unit has joined this leader: only then it takes a document. */
  readonly isEnrolled: (unit: string) => boolean;
  readonly send: (call: UnitCall) => Promise<UnitAnswer>;
  readonly newId: () => string;
  /** Numbers from 0 to 1. */
  readonly random: () => number;
  /** A unit has become a worker, was let go, has another document, or has said what it made of it. */
  readonly onChange: (unit: string) => void;
}

/** So many units are given their document at once. */
const atOnce = 64;
/** The unit answers within 2 s, once it is reached. */
const answerMs = 5_000;
/** A start waits no longer for the orders that come before it. */
const ordersFirstMs = 2_000;
const recordAgainMs = 5_000;

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
  const isMeant = (stop.jobName ?? jobName) === jobName && (stop.experiment ?? experiment) === experiment;
  const left = isMeant ? units.filter((unit) => !started.includes(unit)) : units;
  return left.length === 0 ? [] : [{ units: left, stop }];
}

/**
 * Keeps the document of each unit, and gives it to the unit: at the first contact after a start of either side, after each
 * change, and whenever the unit says it has another one. The leader's own node has one
 * only if it has the unit role.
 */
export class DesiredDocuments implements DesiredPort, Living {
  readonly name = 'desired documents';
  readonly #options: DesiredDocumentsOptions;
  readonly #book: DesiredDocumentStore;
  readonly #lane = new Lane(atOnce);
  readonly #units = new Map<string, KnownUnit>();
  readonly #dirty = new Set<string>();
  /** Units whose documents are being made. */
  readonly #inMaking = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();
  /** Orders that the disk has not taken yet. */
  #unrecorded: readonly UnrecordedStop[] = [];
  #cancelRecord: Cancel = () => {};
  #making = false;
  #stopping = new AbortController();

  constructor(options: DesiredDocumentsOptions) {
    this.#options = options;
    this.#book = new DesiredDocumentStore(options);
  }

  /** Takes up what the store has; documents whose making was cut off are made now. */
  async start(): Promise<void> {
    this.#stopping = new AbortController();
    for (const { unit, version, standing, reportedVersion, isComplete } of await this.#book.all()) {
      // The leader itself, which had a board when it was started before.
      if (!this.#mayHaveDocument(unit)) continue;
      const isGone = standing === 'released' && reportedVersion === version;
      const known = this.#put(unit, version, standing === 'member' ? 'member' : isGone ? 'gone' : 'leaving');
      note(known, reportedVersion, isComplete);
    }
    await this.#make([...new Set([...this.#units.keys(), ...(await this.#book.workers())])]);
    for (const [unit, { membership }] of this.#units) if (membership !== 'gone') this.#options.onChange(unit);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#cancelRecord();
    for (const { cancelAttempt } of this.#units.values()) cancelAttempt();
    await Promise.all(this.#underWay);
  }

  refresh(units: readonly string[]): void {
    for (const unit of units) if (this.#mayHaveDocument(unit)) this.#dirty.add(unit);
    if (this.#making || this.#dirty.size === 0 || this.#stopping.signal.aborted) return;
    this.#making = true;
    this.#track('the documents of units', this.#makeDirty());
  }

  async deliverNow(units: readonly string[]): Promise<readonly string[]> {
    await this.#make(units);
    // The leader reads its own files; only its unit role is given them.
    const given = units.filter((unit) => unit !== this.#options.leader || this.#units.has(unit));
    const isBehind = (unit: string) => {
      const known = this.#units.get(unit);
      return known === undefined || known.has !== known.version;
    };
    await Promise.all(given.filter(isBehind).map((unit) => this.#giveFirst(unit)));
    return given.filter(isBehind);
  }

  /**
   * What a command that is sent to the unit now has to wait for: every change that is on disk is in that document. It is on
   * its way when this resolves, or with the unit, after `limitMs` at most. Undefined: the unit has none from this leader.
   */
  async bring(unit: string, limitMs: number): Promise<DocumentDelivery | undefined> {
    const { leaderId, isEnrolled } = this.#options;
    if (!isEnrolled(unit)) return undefined;
    if (this.#dirty.has(unit) || this.#inMaking.has(unit)) await this.#make([unit]);
    const known = this.#units.get(unit);
    if (known?.membership !== 'member') return undefined;
    if (!isCurrent(known)) await this.#give(unit, known, limitMs);
    // The unit may have had a later version than this leader knew of.
    const needed = { leaderId, version: known.version };
    if (known.applied === known.version) return { needed, is: 'applied' };
    if (known.has === known.version) return { needed, is: 'pending' };
    if (known.noAnswer === undefined) return { needed, is: 'unknown' };
    return { needed, is: 'no answer', cause: known.noAnswer };
  }

  /** The shared configuration has changed. */
  refreshAll(): void {
    this.refresh(this.members());
  }

  async orderStops(units: readonly string[], stop: JobsOfExperiment): Promise<ReadonlySet<string>> {
    try {
      return await this.#order({ units, stop });
    } catch (error) {
      this.#options.log.error('Orders to stop jobs could not be recorded; it is tried again', {
        ...{ units, stop },
        error: String(error),
      });
      this.#unrecorded = [...this.#unrecorded, { units, stop }];
      this.#recordLater();
      return new Set();
    }
  }

  async beforeStart(units: readonly string[], start: JobsOfExperiment & { readonly jobName: string }): Promise<void> {
    if (units.length === 0) return;
    this.#unrecorded = this.#unrecorded.flatMap((order) => withoutStarted(order, units, start));
    const { changed, ordered } = await this.#book.beforeStart(units, start);
    for (const { unit, document } of changed) this.#take(unit, document);
    await Promise.all(ordered.map((unit) => this.#giveFirst(unit)));
  }

  /** The unit has answered. */
  heard(unit: string, { epoch, boot, desired_version, desired_pending }: FeedAnswer): void {
    const known = this.#units.get(unit);
    if (known === undefined) return;
    known.heard = `${epoch}/${boot}`;
    known.isBlocked = false;
    if (note(known, desired_version, desired_pending.length === 0)) this.#options.onChange(unit);
    const isDue = known.told !== known.heard || desired_version !== known.version;
    if (isDue && known.membership !== 'gone') this.#send(unit, known);
  }

  /** The unit has enrolled: whatever kept it from taking its document may be over. */
  enrolled(unit: string, epoch: string, boot: number): void {
    const known = this.#units.get(unit);
    if (known === undefined || known.membership === 'gone') return;
    known.isBlocked = false;
    known.notBeforeMs = 0;
    known.told = undefined;
    known.heard = `${epoch}/${boot}`;
    known.retry.reset();
    this.#send(unit, known);
  }

  /** The unit has told in its feed what it made of its document (JSON of a report). */
  reported(unit: string, data: unknown): void {
    const known = this.#units.get(unit);
    const report = readReport(data);
    if (!known || report?.version !== known.version) return;
    this.#track('a report', this.#keepReport(unit, known, { ...report, text: JSON.stringify(data) }));
  }

  membershipOf(unit: string): Membership | undefined {
    return this.#units.get(unit)?.membership;
  }

  /** Of the document that the unit shall have; 0: it is no worker. */
  versionOf(unit: string): number {
    const known = this.#units.get(unit);
    return known === undefined || known.membership === 'gone' ? 0 : known.version;
  }

  /** Of the document that the unit says it has applied. */
  appliedOf(unit: string): number {
    return this.#units.get(unit)?.applied ?? 0;
  }

  /** All units that belong to the cluster, by name. */
  members(): readonly string[] {
    return [...this.#units].flatMap(([unit, { membership }]) => (membership === 'member' ? [unit] : [])).sort();
  }

  /** The unit cannot be followed until it enrols. */
  troubled(unit: string, trouble: UnitTrouble): void {
    const known = this.#units.get(unit);
    if (known === undefined) return;
    if (trouble === 'protocol_unsupported') known.isBlocked = true;
    else if (known.membership === 'leaving' && trouble !== 'feed_epoch_changed') this.#gone(unit, known);
  }

  async #order({ units, stop }: UnrecordedStop): Promise<ReadonlySet<string>> {
    const ordered = await this.#book.orderStops(units, stop);
    for (const { unit, document } of ordered) this.#take(unit, document);
    return new Set(ordered.map(({ unit }) => unit));
  }

  #recordLater(): void {
    if (this.#stopping.signal.aborted) return;
    this.#cancelRecord();
    this.#cancelRecord = this.#options.wire.after(recordAgainMs, () => {
      const orders = this.#unrecorded;
      this.#unrecorded = [];
      // What fails again is put back by `orderStops`.
      const again = orders.map(({ units, stop }) => this.orderStops(units, stop));
      this.#track(
        'orders to stop jobs',
        Promise.all(again).then(() => {}),
      );
    });
  }

  #put(unit: string, version: number, membership: Membership): KnownUnit {
    const { random } = this.#options;
    const known: KnownUnit = {
      version,
      membership,
      has: 0,
      applied: 0,
      told: undefined,
      heard: undefined,
      isBlocked: false,
      sending: 'no',
      delivery: Promise.resolve(),
      noAnswer: undefined,
      notBeforeMs: 0,
      cancelAttempt: () => {},
      retry: new Backoff(500, 10_000, random),
      complained: undefined,
    };
    this.#units.set(unit, known);
    return known;
  }

  /** One run at a time, for all units that were named meanwhile. */
  async #makeDirty(): Promise<void> {
    const { wire, log, random } = this.#options;
    const pauses = new Backoff(500, 10_000, random);
    try {
      while (this.#dirty.size > 0 && !this.#stopping.signal.aborted) {
        const units = [...this.#dirty];
        this.#dirty.clear();
        for (const unit of units) this.#inMaking.add(unit);
        try {
          await this.#make(units);
        } catch (error) {
          log.error('Documents of units could not be made; it is tried again', { units: units.length, error });
          for (const unit of units) this.#dirty.add(unit);
          await wire.sleep(pauses.next(), this.#stopping.signal).catch(() => {});
        } finally {
          this.#inMaking.clear();
        }
      }
    } finally {
      this.#making = false;
    }
  }

  async #make(units: readonly string[]): Promise<void> {
    const meant = units.filter((unit) => this.#mayHaveDocument(unit));
    for (const { unit, document } of await this.#book.make(meant)) this.#take(unit, document);
  }

  #mayHaveDocument(unit: string): boolean {
    const { leader, hasUnitRole } = this.#options;
    return hasUnitRole || unit !== leader;
  }

  /** This is the document of the unit now. */
  #take(unit: string, { version, content }: KeptDesired): void {
    const known = this.#units.get(unit) ?? this.#put(unit, 0, 'member');
    if (version < known.version) return;
    const isReleased = content.standing === 'released';
    const isNew = known.version !== version;
    known.version = version;
    if (!isReleased) known.membership = 'member';
    else if (isNew || known.membership === 'member') known.membership = 'leaving';
    if (!isNew) return;
    this.#options.onChange(unit);
    // Only to a unit that was heard: the others get theirs when they are.
    if (known.heard !== undefined) {
      known.notBeforeMs = 0;
      this.#send(unit, known);
    }
  }

  /** Waits until the unit has its document, or the time is up: then it gets it later. */
  async #giveFirst(unit: string): Promise<void> {
    const known = this.#units.get(unit);
    if (known?.heard !== undefined) await this.#give(unit, known, ordersFirstMs);
  }

  async #give(unit: string, known: KnownUnit, limitMs: number): Promise<void> {
    const { wire } = this.#options;
    known.notBeforeMs = 0;
    this.#send(unit, known);
    const over = Promise.withResolvers<void>();
    const cancel = wire.after(limitMs, over.resolve);
    await Promise.race([Promise.allSettled([known.delivery]), over.promise]);
    cancel();
  }

  #send(unit: string, known: KnownUnit): void {
    const { wire } = this.#options;
    if (known.sending !== 'no') {
      known.sending = 'again';
      return;
    }
    if (known.isBlocked || this.#stopping.signal.aborted || wire.monotonic() < known.notBeforeMs) return;
    known.sending = 'yes';
    known.delivery = this.#deliver(unit, known);
    this.#track(`the document of ${unit}`, known.delivery);
  }

  async #deliver(unit: string, known: KnownUnit): Promise<void> {
    try {
      do {
        known.sending = 'yes';
        await this.#lane.run(() => this.#deliverOnce(unit, known));
      } while (this.#isWantedAgain(known));
    } finally {
      known.sending = 'no';
    }
  }

  #isWantedAgain({ sending, notBeforeMs }: KnownUnit): boolean {
    return sending === 'again' && notBeforeMs === 0 && !this.#stopping.signal.aborted;
  }

  async #deliverOnce(unit: string, known: KnownUnit): Promise<void> {
    const { addressOf, clock, log, send, wire } = this.#options;
    const base = addressOf(unit);
    if (this.#stopping.signal.aborted || known.isBlocked || base === undefined) return;
    let hasOrders = false;
    try {
      const kept = await this.#book.documentOf(unit);
      if (!kept) return;
      hasOrders = kept.content.stop.length > 0;
      const to = known.heard;
      const document = { ...kept.content, version: kept.version, leader_time: Math.floor(clock.now()) };
      const answer = await withTimeout(wire, answerMs, this.#stopping.signal, (signal) =>
        putDesired({ send }, base, document, signal),
      );
      known.noAnswer = undefined;
      if (answer.is === 'report') {
        if (answer.report.version === kept.version) known.told = to;
        known.notBeforeMs = 0;
        known.retry.reset();
        await this.#keepReport(unit, known, answer.report);
        return;
      }
      await this.#refused(unit, known, base, answer);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      known.noAnswer = error instanceof Error ? error.message : String(error);
      log.debug('A unit could not be given its document; it is tried again', { unit, error });
      this.#later(known);
      // Orders do not wait until the unit has something to say.
      if (hasOrders) this.#attemptLater(unit, known);
    }
  }

  async #refused(unit: string, known: KnownUnit, base: string, { code, cause }: { code: string; cause: string }) {
    const { log, send, wire } = this.#options;
    if (code === 'foreign_leader' || code === 'not_enrolled') {
      known.isBlocked = true;
      // A unit that was let go and is enrolled no more has nothing to be told.
      if (code === 'not_enrolled' && known.membership === 'leaving') this.#gone(unit, known);
      return;
    }
    if (code === 'desired_stale' || code === 'desired_conflict') {
      const theirs = await withTimeout(wire, answerMs, this.#stopping.signal, (signal) =>
        getDesired({ send }, base, signal),
      );
      if (theirs.is === 'report') {
        known.version = await this.#book.raise(unit, theirs.report.version);
        known.sending = 'again';
        return;
      }
    }
    log.warn('A unit refuses its document', { unit, code, cause });
    this.#later(known);
  }

  #later(known: KnownUnit): void {
    known.notBeforeMs = this.#options.wire.monotonic() + known.retry.next();
  }

  #attemptLater(unit: string, known: KnownUnit): void {
    const { wire } = this.#options;
    known.cancelAttempt();
    if (this.#stopping.signal.aborted) return;
    known.cancelAttempt = wire.after(known.notBeforeMs - wire.monotonic(), () => {
      known.notBeforeMs = 0;
      this.#send(unit, known);
    });
  }

  /** The unit has said what it has made of its document. */
  async #keepReport(unit: string, known: KnownUnit, report: ReceivedReport): Promise<void> {
    const { hasEndedStops } = await this.#book.keepReport(unit, report);
    if (note(known, report.version, report.isComplete)) this.#options.onChange(unit);
    if (report.version === known.version && known.membership === 'leaving') this.#gone(unit, known);
    if (hasEndedStops) this.refresh([unit]);
    await this.#complain(unit, known, report);
  }

  #gone(unit: string, known: KnownUnit): void {
    known.membership = 'gone';
    this.#options.onChange(unit);
  }

  /** What a unit could not apply is told once, until it could or something else fails. */
  async #complain(unit: string, known: KnownUnit, { failedParts, isComplete }: ReceivedReport): Promise<void> {
    const complaint = failedParts.map(({ part, message }) => `${part}: ${message}`).join(' ');
    if (complaint === '' && isComplete) known.complained = undefined;
    if (complaint === '' || known.complained === complaint) return;
    known.complained = complaint;
    await this.#options.change(async (_, { logEvent }) =>
      logEvent({
        level: 'WARNING',
        message: `${unit} could not apply all it was given. ${complaint}`,
        task: 'desired',
      }),
    );
  }

  /** Virtual time waits for it, and so does the end. */
  #track(what: string, work: Promise<void>): void {
    const release = this.#options.clock.hold(what);
    const tracked = work
      .catch((error: unknown) => this.#options.log.error(`${what}: it failed unexpectedly`, { error }))
      .finally(() => {
        release();
        this.#underWay.delete(tracked);
      });
    this.#underWay.add(tracked);
  }
}

/** The unit says that it has this version, and whether nothing of it is still being applied; whether that is news. */
function note(known: KnownUnit, version: number, isComplete: boolean): boolean {
  const { has, applied } = known;
  known.has = version;
  known.applied = isComplete ? version : Math.min(applied, version);
  return known.has !== has || known.applied !== applied;
}

/** The unit has confirmed to this run of the leader that its document is applied: a restored leader may count behind it. */
const isCurrent = ({ told, heard, applied, version }: KnownUnit): boolean =>
  told !== undefined && told === heard && applied === version;
