import type { Cancel, Clock } from './clock.ts';
import { delayOf, intervalOf } from './duration.ts';
import { Holds, withStallLimit } from './holds.ts';
import { realClock } from './real-clock.ts';
import { sleepOn } from './sleep.ts';
import { TimerQueue, type VirtualTimer } from './timer-queue.ts';

export interface VirtualClockOptions {
  /** `now()` at the start, in milliseconds since 1970. Default: 2026-01-01T00:00Z. */
  readonly startMs?: number;
  /** How long a hold or a barrier may keep the clock waiting, in real milliseconds; `Infinity` for ever. Default 10,000. */
  readonly stallLimitMs?: number;
  /** Turns of the event loop given to the work that a timer has set off, before the next timer. Default 3. */
  readonly turns?: number;
  /**
   * Runs all timers that are due at one moment before giving their work its turns, instead of one after the other: quicker
   * with many units, and nearer to a real machine. Default: false.
   */
  readonly together?: boolean;
  /** Measures the stall limit. Default: the real clock. */
  readonly wire?: Clock;
}

interface Barrier {
  dueMs: number;
  readonly intervalMs: number;
  readonly name: string;
  readonly wait: () => Promise<void>;
}

const turnOfEventLoop = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Time that moves only when a test says so, from timer to timer, and never past work in progress: while a hold is open it
 * stands still. Timers due at one moment run in the order of their creation, a repeating one keeping its place.
 */
export class VirtualClock implements Clock {
  readonly #timers = new TimerQueue();
  readonly #holds = new Holds();
  readonly #barriers = new Set<Barrier>();
  readonly #stallLimitMs: number;
  readonly #turns: number;
  readonly #together: boolean;
  readonly #wire: Clock;
  #wallOffsetMs: number;
  #elapsedMs = 0;
  #created = 0;
  #moving = false;

  constructor(options: VirtualClockOptions = {}) {
    this.#wallOffsetMs = options.startMs ?? Date.UTC(2026, 0, 1);
    this.#stallLimitMs = options.stallLimitMs ?? 10_000;
    this.#turns = options.turns ?? 3;
    this.#together = options.together ?? false;
    this.#wire = options.wire ?? realClock();
  }

  now(): number {
    // Whole milliseconds, as the real one says.
    return Math.floor(this.#wallOffsetMs + this.#elapsedMs);
  }

  monotonic(): number {
    return this.#elapsedMs;
  }

  after(delayMs: number, action: () => void): Cancel {
    return this.#schedule(delayOf(delayMs), null, action);
  }

  every(intervalMs: number, action: () => void): Cancel {
    return this.#schedule(intervalOf(intervalMs), intervalMs, action);
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

  /** How many timers are set; 0 after everything was stopped, or someone has left one behind. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** Steps `now()` as an operator setting the host's clock would; timers and `monotonic()` do not notice. */
  stepWallClock(deltaMs: number): void {
    this.#wallOffsetMs += deltaMs;
  }

  /**
   * Every `intervalMs` of virtual time, after the timers of that moment, the clock waits for `wait` (for instance until a
   * reader has caught up). `wait` must not need virtual time to pass.
   */
  onBarrier(intervalMs: number, wait: () => Promise<void>, name = 'a barrier'): Cancel {
    const barrier = { dueMs: this.#elapsedMs + intervalOf(intervalMs), intervalMs, name, wait };
    this.#barriers.add(barrier);
    return () => {
      this.#barriers.delete(barrier);
    };
  }

  /**
   * Moves time forward by `deltaMs`, running what falls due. Rejects with the error of a timer's action (time then stands at
   * that timer; the others remain), or with `ClockStalled`. `advance(0)` lets the work in progress come to rest.
   */
  async advance(deltaMs: number): Promise<void> {
    await this.#move(this.#elapsedMs + delayOf(deltaMs), () => false);
  }

  /**
   * Moves time forward, timer by timer, until `condition` holds. Throws when it does not within `limitMs` of virtual time.
   */
  async advanceUntil(condition: () => boolean, limitMs: number): Promise<void> {
    if (await this.#move(this.#elapsedMs + delayOf(limitMs), condition)) return;
    throw new Error(`What was waited for did not happen within ${limitMs} ms of virtual time.`);
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
        await this.#rest();
        if (isEnough()) return true;
        if (!(await this.#step(targetMs))) break;
      }
      this.#elapsedMs = targetMs;
      return isEnough();
    } finally {
      this.#moving = false;
    }
  }

  /** Runs the one next thing due until `targetMs`; false when there is none. */
  async #step(targetMs: number): Promise<boolean> {
    const timer = this.#timers.peek();
    const barrier = this.#nextBarrier();
    const timerMs = timer?.dueMs ?? Number.POSITIVE_INFINITY;
    const barrierMs = barrier?.dueMs ?? Number.POSITIVE_INFINITY;
    if (Math.min(timerMs, barrierMs) > targetMs) return false;
    if (timerMs <= barrierMs) this.#fireDue(timerMs);
    else if (barrier !== undefined) await this.#pass(barrier);
    return true;
  }

  #fireDue(dueMs: number): void {
    do this.#fire();
    while (this.#together && this.#timers.peek()?.dueMs === dueMs);
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
    let next: Barrier | undefined;
    for (const barrier of this.#barriers) if (next === undefined || barrier.dueMs < next.dueMs) next = barrier;
    return next;
  }

  /** Resolves when the work set off so far has come to rest: no hold is open, and some turns later still none. */
  async #rest(): Promise<void> {
    await this.#giveTurns();
    if (this.#holds.isEmpty) return;
    const rest = this.#restAfterHolds();
    await withStallLimit(rest, this.#wire, this.#stallLimitMs, () => this.#holds.reasons);
  }

  async #restAfterHolds(): Promise<void> {
    while (!this.#holds.isEmpty) {
      await this.#holds.none();
      await this.#giveTurns();
    }
  }

  async #giveTurns(): Promise<void> {
    for (let turn = 0; turn < this.#turns; turn += 1) await turnOfEventLoop();
  }
}
