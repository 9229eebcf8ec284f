import type { Cancel, Clock } from './clock.ts';
import { checkedDelay, checkedInterval } from './duration.ts';
import { Holds, withStallLimit } from './holds.ts';
import { realClock } from './real-clock.ts';
import { sleepOn } from './sleep.ts';
import { TimerQueue, type VirtualTimer } from './timer-queue.ts';

export interface VirtualClockOptions {
  /** `now()` at the start, in milliseconds since 1970. Default: 2026-01-01T00:00Z. */
  readonly startMs?: number;
  /** How long a hold or a barrier may block the clock, in real milliseconds; `Infinity`: without limit. Default 10,000. */
  readonly stallLimitMs?: number;
  /**
   * Turns of the event loop between one timer and the next, in which the work that the first one began can proceed. Default 3.
   * `microtasks`: only until all promises have settled, which is several times quicker; for work that waits for no socket, file or thread.
   */
  readonly turns?: number | 'microtasks';
  /**
   * Runs all timers that are due at one moment before giving their work its turns, instead of one after the other: quicker
   * with many units, and nearer to a real machine. Default: false.
   */
  readonly batchesTimers?: boolean;
  /** Measures the stall limit. Default: the real clock. */
  readonly wire?: Clock;
}

interface Barrier {
  dueMs: number;
  readonly intervalMs: number;
  readonly name: string;
  readonly wait: () => Promise<void>;
}

/** With `microtasks`: timers after which messages and signals from outside come in. */
const timersPerTurn = 2_000;

/** Node runs it when all promises have settled. */
const allSettled = () => new Promise<void>((resolve) => process.nextTick(resolve));

async function turnsOfEventLoop(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * Time that a test advances, from timer to timer. It does not advance while a hold is open. Timers due at one moment run in the order of
 * their creation, a repeating one keeping its place.
 */
export class VirtualClock implements Clock {
  readonly #timers = new TimerQueue();
  readonly #holds = new Holds();
  readonly #barriers = new Set<Barrier>();
  readonly #stallLimitMs: number;
  readonly #turns: number | 'microtasks';
  #settles = 0;
  readonly #batchesTimers: boolean;
  readonly #wire: Clock;
  #wallOffsetMs: number;
  #elapsedMs = 0;
  #created = 0;
  #moving = false;

  constructor(options: VirtualClockOptions = {}) {
    this.#wallOffsetMs = options.startMs ?? Date.UTC(2026, 0, 1);
    this.#stallLimitMs = options.stallLimitMs ?? 10_000;
    this.#turns = options.turns ?? 3;
    this.#batchesTimers = options.batchesTimers ?? false;
    this.#wire = options.wire ?? realClock();
  }

  now(): number {
    // Whole milliseconds, like the real clock.
    return Math.floor(this.#wallOffsetMs + this.#elapsedMs);
  }

  monotonic(): number {
    return this.#elapsedMs;
  }

  after(delayMs: number, action: () => void): Cancel {
    return this.#schedule(checkedDelay(delayMs), null, action);
  }

  every(intervalMs: number, action: () => void): Cancel {
    return this.#schedule(checkedInterval(intervalMs), intervalMs, action);
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal);
  }

  hold(reason: string): () => void {
    return this.#holds.take(reason);
  }

  /** The reasons of the holds that are open now, oldest first. */
  get openHolds(): readonly string[] {
    return this.#holds.reasons;
  }

  /** How many timers are set; not 0 after a stop means that a service has leaked one. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** Steps `now()`, as an operator does who sets the host's clock. Timers and `monotonic()` are not affected. */
  stepWallClock(deltaMs: number): void {
    this.#wallOffsetMs += deltaMs;
  }

  /**
   * Every `intervalMs` of virtual time, after the timers of that moment, the clock waits for `wait` (for instance until a
   * reader has caught up). `wait` must not need virtual time to pass.
   */
  onBarrier(intervalMs: number, wait: () => Promise<void>, name = 'a barrier'): Cancel {
    const barrier = { dueMs: this.#elapsedMs + checkedInterval(intervalMs), intervalMs, name, wait };
    this.#barriers.add(barrier);
    return () => {
      this.#barriers.delete(barrier);
    };
  }

  /**
   * Advances time by `deltaMs` and runs the timers that become due. Rejects with the error of a timer's action (time then remains at that
   * timer; the others are kept), or with `ClockStalled`. `advance(0)` waits for the work in progress.
   */
  async advance(deltaMs: number): Promise<void> {
    await this.#move(this.#elapsedMs + checkedDelay(deltaMs), () => false);
  }

  /**
   * Advances time, timer by timer, until `condition` is true. Throws when it does not within `limitMs` of virtual time.
   */
  async advanceUntil(condition: () => boolean, limitMs: number): Promise<void> {
    if (await this.#move(this.#elapsedMs + checkedDelay(limitMs), condition)) return;
    throw new Error(`The condition did not become true within ${limitMs} ms of virtual time.`);
  }

  #schedule(delayMs: number, intervalMs: number | null, action: () => void): Cancel {
    const timer: VirtualTimer = {
      dueMs: this.#elapsedMs + delayMs,
      order: this.#created,
      action,
      intervalMs,
      cancelled: false,
    };
    this.#created += 1;
    this.#timers.add(timer);
    return () => {
      timer.cancelled = true;
    };
  }

  /** Whether `isEnough` came true before `targetMs` had passed. */
  async #move(targetMs: number, isEnough: () => boolean): Promise<boolean> {
    if (this.#moving) throw new Error('The clock is already being advanced; await the first call before the next.');
    this.#moving = true;
    try {
      for (;;) {
        await this.#runTurns();
        if (!this.#holds.isEmpty) await this.#settleWithinLimit();
        if (isEnough()) return true;
        const barrier = this.#nextBarrier();
        const timerMs = this.#timers.peek()?.dueMs ?? Number.POSITIVE_INFINITY;
        const barrierMs = barrier?.dueMs ?? Number.POSITIVE_INFINITY;
        if (Math.min(timerMs, barrierMs) > targetMs) break;
        if (timerMs <= barrierMs) this.#fireDue(timerMs);
        else if (barrier !== undefined) await this.#pass(barrier);
      }
      this.#elapsedMs = targetMs;
      return isEnough();
    } finally {
      this.#moving = false;
    }
  }

  #fireDue(dueMs: number): void {
    do this.#fire();
    while (this.#batchesTimers && this.#timers.peek()?.dueMs === dueMs);
  }

  #fire(): void {
    const timer = this.#timers.take();
    if (timer === undefined) return;
    this.#elapsedMs = timer.dueMs;
    if (timer.intervalMs !== null) {
      timer.dueMs += timer.intervalMs;
      this.#timers.add(timer);
    }
    timer.action();
  }

  async #pass(barrier: Barrier): Promise<void> {
    this.#elapsedMs = barrier.dueMs;
    barrier.dueMs += barrier.intervalMs;
    await withStallLimit(barrier.wait(), this.#wire, this.#stallLimitMs, () => [barrier.name, ...this.#holds.reasons]);
  }

  #nextBarrier(): Barrier | undefined {
    if (this.#barriers.size === 0) return undefined;
    let next: Barrier | undefined;
    for (const barrier of this.#barriers) if (next === undefined || barrier.dueMs < next.dueMs) next = barrier;
    return next;
  }

  /** Resolves when no hold is open, and still none after some turns of the event loop. @throws ClockStalled */
  async #settleWithinLimit(): Promise<void> {
    const rest = this.#settleAfterHolds();
    await withStallLimit(rest, this.#wire, this.#stallLimitMs, () => this.#holds.reasons);
  }

  async #settleAfterHolds(): Promise<void> {
    while (!this.#holds.isEmpty) {
      await this.#holds.none();
      await this.#runTurns();
    }
  }

  #runTurns(): Promise<void> {
    if (this.#turns !== 'microtasks') return turnsOfEventLoop(this.#turns);
    this.#settles += 1;
    return this.#settles % timersPerTurn === 0 ? turnsOfEventLoop(1) : allSettled();
  }
}
