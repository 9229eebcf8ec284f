import { type Cancel, type Clock, type Log, type Service, withTimeout } from '@lcs/platform';
import type { ChangeRunner } from '../core/leader-context.ts';
import { Lane } from '../fleet/lane.ts';
import type { UnitAnswer, UnitCall } from '../fleet/unit-http.ts';
import { BackgroundWork } from './background-work.ts';
import { getDesired, putDesired, type ReceivedReport } from './desired-client.ts';
import type { DesiredDocumentStore } from './desired-document-store.ts';
import { readReport } from './desired-report.ts';
import type { DeliveryOutcome } from './unit-session-transitions.ts';
import type { UnitSessions } from './unit-sessions.ts';

export interface DocumentSenderOptions {
  readonly sessions: UnitSessions;
  readonly store: DesiredDocumentStore;
  readonly clock: Clock;
  readonly wire: Clock;
  readonly log: Log;
  readonly change: ChangeRunner;
  readonly addressOf: (unit: string) => string | undefined;
  readonly send: (call: UnitCall) => Promise<UnitAnswer>;
  /** Numbers from 0 to 1. */
  readonly random: () => number;
}

/** Units that are sent their documents at once. */
const atOnce = 64;
/** A unit that can be reached answers within 2 s. */
const answerMs = 5_000;

/** Sends units their documents when their sessions request it, and stores their reports. */
export class DocumentSender implements Service {
  readonly name = 'document sender';
  readonly #options: DocumentSenderOptions;
  readonly #lane = new Lane(atOnce);
  readonly #work: BackgroundWork;
  /** The sending under way. */
  readonly #sending = new Map<string, Promise<void>>();
  readonly #retries = new Map<string, Cancel>();
  #stopping = new AbortController();

  constructor(options: DocumentSenderOptions) {
    this.#options = options;
    this.#work = new BackgroundWork(options);
    options.sessions.onEffect((unit, effect) => {
      if (effect.do === 'send document') this.#begin(unit);
      else if (effect.do === 'retry later') this.#retryLater(unit, effect.pauseMs);
      else if (effect.do === 'log failed parts') this.#logFailedParts(unit, effect.failures);
    });
  }

  async start(): Promise<void> {
    this.#stopping = new AbortController();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const cancel of this.#retries.values()) cancel();
    this.#retries.clear();
    await this.#work.settled();
  }

  /** Sends the document now, and waits until the sending has ended, `limitMs` at most. */
  async send(unit: string, limitMs: number): Promise<void> {
    this.#options.sessions.dispatch(unit, { is: 'document needed' });
    const over = Promise.withResolvers<void>();
    const cancel = this.#options.wire.after(limitMs, over.resolve);
    await Promise.race([this.#sending.get(unit), over.promise]);
    cancel();
  }

  /** The unit has sent in its feed what it made of its document (JSON of a report). */
  reported(unit: string, data: unknown): void {
    const report = readReport(data);
    if (report === undefined || report.version !== this.#options.sessions.of(unit).document.version) return;
    this.#work.track('a report', this.#store(unit, { ...report, text: JSON.stringify(data) }));
  }

  #begin(unit: string): void {
    const sending = this.#sendAll(unit).finally(() => {
      if (this.#sending.get(unit) === sending) this.#sending.delete(unit);
    });
    this.#sending.set(unit, sending);
    this.#work.track(`the document of ${unit}`, sending);
  }

  async #sendAll(unit: string): Promise<void> {
    const { random, sessions, wire } = this.#options;
    do {
      const outcome = await this.#lane.run(() => this.#sendOnce(unit));
      sessions.dispatch(unit, { is: 'delivery ended', outcome, nowMs: wire.monotonic(), jitter: random() });
    } while (sessions.of(unit).delivery.is === 'sending');
  }

  async #sendOnce(unit: string): Promise<DeliveryOutcome> {
    const { addressOf, clock, log, send, sessions, store, wire } = this.#options;
    const base = addressOf(unit);
    const skipped = { is: 'skipped' } as const;
    if (this.#stopping.signal.aborted || sessions.of(unit).acceptance.is === 'refused' || !base) return skipped;
    let hasOrders = false;
    try {
      const kept = await store.documentOf(unit);
      if (!kept) return skipped;
      hasOrders = kept.content.stop.length > 0;
      const { run } = sessions.of(unit);
      const document = { ...kept.content, version: kept.version, leader_time: Math.floor(clock.now()) };
      const answer = await withTimeout(wire, answerMs, this.#stopping.signal, (signal) =>
        putDesired({ send }, base, document, signal),
      );
      if (answer.is === 'refused') return await this.#afterRefusal(unit, base, answer);
      const { report } = answer;
      if (report.version === kept.version) sessions.dispatch(unit, { is: 'document accepted', run });
      await this.#store(unit, report);
      return { is: 'reported' };
    } catch (error) {
      if (this.#stopping.signal.aborted) return skipped;
      log.debug('A unit could not be sent its document; the leader retries', { unit, error });
      return { is: 'unanswered', cause: error instanceof Error ? error.message : String(error), hasOrders };
    }
  }

  async #afterRefusal(unit: string, base: string, { code, cause }: { code: string; cause: string }) {
    const { log, send, store, wire } = this.#options;
    if (code === 'desired_stale' || code === 'desired_conflict') {
      const theirs = await withTimeout(wire, answerMs, this.#stopping.signal, (signal) =>
        getDesired({ send }, base, signal),
      );
      if (theirs.is === 'report') {
        return { is: 'renumbered', version: await store.raise(unit, theirs.report.version) } as const;
      }
    }
    const isForeign = code === 'foreign_leader' || code === 'not_enrolled';
    if (!isForeign) log.warn('A unit refuses its document', { unit, code, cause });
    return { is: 'refused', code } as const;
  }

  async #store(unit: string, report: ReceivedReport): Promise<void> {
    const { sessions, store } = this.#options;
    const { hasEndedStops } = await store.keepReport(unit, report);
    const { version, isComplete, failedParts } = report;
    const failures = failedParts.map(({ part, message }) => `${part}: ${message}`).join(' ');
    sessions.dispatch(unit, { is: 'report stored', version, isComplete, failures, hasEndedStops });
  }

  #retryLater(unit: string, pauseMs: number): void {
    const { sessions, wire } = this.#options;
    this.#retries.get(unit)?.();
    if (this.#stopping.signal.aborted) return;
    const cancel = wire.after(pauseMs, () => {
      this.#retries.delete(unit);
      sessions.dispatch(unit, { is: 'retry due' });
    });
    this.#retries.set(unit, cancel);
  }

  #logFailedParts(unit: string, failures: string): void {
    const message = `${unit} could not apply all of its document. ${failures}`;
    const logged = this.#options.change((_, { logEvent }) => logEvent({ level: 'WARNING', message, task: 'desired' }));
    this.#work.track('a warning', logged);
  }
}
