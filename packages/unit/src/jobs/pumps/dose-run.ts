import { type DoseLimit, movedVolumeMl, nextSlice, type PlannedRun, type RunSlice, sliceMs } from '@lcs/domain';
import { GuardLost, GuardRefused } from '@lcs/hardware';
import type { ActuatorLease } from '@lcs/node';
import type { Clock } from '@lcs/platform';
import type { DoseAccount } from '../../bioreactor/vial-ledger.ts';
import type { PumpSettings } from './pump-settings.ts';
import type { DoseResult } from './pumping.ts';
import { RunMeter } from './run-meter.ts';
import { switchedOff } from './switched-off.ts';

/** A pump may run this much longer than accounted for if its lease is not renewed. */
const toleranceMs = sliceMs;
/** Shorter differences are rounding, ml. */
const noVolume = 1e-9;

export interface DoseRunOptions {
  readonly run: PlannedRun;
  /** The longest slice that is entered and pumped at once; near a limit it is half a second. Default: always half a second. */
  readonly sliceMs?: number;
  readonly settings: PumpSettings;
  readonly lease: ActuatorLease;
  readonly account: DoseAccount;
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  /** Aborted to end the dose. */
  readonly signal: AbortSignal;
  /** Aborted when the job ends; the sleeps of its clock end then. A joint signal of both for each dose would be expensive. */
  readonly jobSignal?: AbortSignal;
  /** Why a further volume must not be moved now. */
  readonly limit: (volumeMl: number) => DoseLimit | undefined;
  /** A pump that cannot overfill anything begins a new run after this time: the guard limits single runs. Default: never. */
  readonly longestRunMs?: number;
  /** Called when the pump runs. */
  readonly begun?: () => void;
}

/**
 * One dose: each slice (half a second on units) is on the ledger before it is pumped, and the guard ends the pump half a second
 * later if nothing comes any more. Ends with the pump off and the ledger right.
 */
export class DoseRun {
  readonly #options: DoseRunOptions;
  readonly #meter: RunMeter;
  #reported = { untilMs: 0, volumeMl: 0 };
  #stopped: DoseResult['stopped'];
  #restartedAtMs = 0;
  /** How late the node itself was when its last sleep ended: the guard may have stood still with it. */
  #oversleptMs = 0;
  /** The guard was lost at the first command: how long the pump has run is not known, so what is announced stays. */
  #isUnknown = false;

  constructor(options: DoseRunOptions) {
    this.#options = options;
    this.#meter = new RunMeter(options.clock);
  }

  /** @throws GuardRefused, GuardLost when the pump did not even begin; StoreError when it cannot be accounted for */
  async do(): Promise<DoseResult> {
    try {
      await this.#pump();
    } finally {
      await this.#switchOff();
      await this.#settle();
    }
    return {
      volumeMl: this.#reported.volumeMl,
      ranMs: this.#meter.ranMs,
      ...(this.#stopped === undefined ? {} : { stopped: this.#stopped }),
    };
  }

  async #pump(): Promise<void> {
    const { limit, account } = this.#options;
    for (;;) {
      const slice = this.#nextSlice();
      if (slice === undefined) return;
      if (this.#isToStop) return this.#stop('stopped');
      const reached = limit(slice.volumeMl);
      if (reached !== undefined) return this.#stop(reached);
      const ms = slice.untilMs - this.#reported.untilMs;
      this.#reported = { untilMs: slice.untilMs, volumeMl: this.#reported.volumeMl + slice.volumeMl };
      await account.enter(slice.volumeMl, ms);
      if (this.#isToStop) return this.#stop('stopped');
      if (!(await this.#renew())) return this.#stop('guard');
      if (!(await this.#reached(slice.untilMs))) return this.#stop('stopped');
    }
  }

  /** A limit stops a dose to half a second, however long its slices are. */
  #nextSlice(): RunSlice | undefined {
    const { run, settings, limit, sliceMs: longestMs = sliceMs } = this.#options;
    const slice = nextSlice(run, settings.flow, this.#reported, longestMs);
    const isRefused = slice !== undefined && longestMs > sliceMs && limit(slice.volumeMl) !== undefined;
    return isRefused ? nextSlice(run, settings.flow, this.#reported) : slice;
  }

  /** Extends the run of the pump; false when the guard refuses. */
  async #renew(): Promise<boolean> {
    const { run, settings, lease, clock, longestRunMs = Number.POSITIVE_INFINITY } = this.#options;
    const { output, duty } = settings;
    try {
      if (this.#meter.ranMs - this.#restartedAtMs >= longestRunMs) {
        await lease.set(output, 0);
        this.#meter.off();
        this.#restartedAtMs = this.#meter.ranMs;
      }
      const { ranMs, hasRun } = this.#meter;
      const forMs = Math.min(run.totalMs, this.#reported.untilMs + toleranceMs) - ranMs;
      // It had leave to run until the end, and has: there is nothing to renew, and the guard takes no time of 0.
      if (forMs <= 0) return true;
      const askedMs = clock.monotonic() - this.#oversleptMs;
      await lease.set(output, duty, forMs);
      this.#meter.set(forMs, clock.monotonic() - askedMs);
      if (!hasRun) this.#options.begun?.();
      return true;
    } catch (error) {
      const isGuards = error instanceof GuardRefused || error instanceof GuardLost;
      this.#isUnknown = error instanceof GuardLost && !this.#meter.hasRun;
      if (!isGuards || !this.#meter.hasRun) throw error;
      return false;
    }
  }

  /** Waits until the pump has run for so long; false when it is to stop before. */
  async #reached(untilMs: number): Promise<boolean> {
    const { clock, signal } = this.#options;
    const leftMs = untilMs - this.#meter.ranMs;
    this.#oversleptMs = 0;
    if (leftMs <= 0) return true;
    const dueMs = clock.monotonic() + leftMs;
    try {
      await clock.sleep(leftMs, signal);
      this.#oversleptMs = clock.monotonic() - dueMs;
      return true;
    } catch (error) {
      if (this.#isToStop) return false;
      throw error;
    }
  }

  get #isToStop(): boolean {
    const { signal, jobSignal } = this.#options;
    return signal.aborted || jobSignal?.aborted === true;
  }

  #stop(why: DoseResult['stopped']): void {
    this.#stopped = why;
  }

  /** Does not count what the node overslept: at the end of a dose its guard alone switches off. */
  #switchOff(): Promise<void> {
    return this.#meter.offBy(() => switchedOff(this.#options.lease));
  }

  /** The volume of the dose, to the millisecond: the precision of a timer. A pump that ran on has moved more. */
  #movedMl(ranMs: number): number {
    const { run, settings } = this.#options;
    if (ranMs < run.totalMs - 1) return movedVolumeMl(run, settings.flow, ranMs);
    const volumeMl = (ms: number) => settings.flow.volumeIn(ms / 1000);
    return run.volumeMl + (ranMs > run.totalMs + 1 ? volumeMl(ranMs) - volumeMl(run.totalMs) : 0);
  }

  /** Corrects the ledger: the announced part that was not pumped, and what a stalled guard has pumped beyond. */
  async #settle(): Promise<void> {
    const { account } = this.#options;
    const { ranMs } = this.#meter;
    const movedMl = this.#movedMl(ranMs);
    const differenceMl = movedMl - this.#reported.volumeMl;
    try {
      if (this.#isUnknown || Math.abs(differenceMl) <= noVolume) return;
      const differenceMs = ranMs - this.#reported.untilMs;
      this.#reported = { untilMs: ranMs, volumeMl: movedMl };
      await account.enter(differenceMl, differenceMs);
    } finally {
      await account.close();
    }
  }
}
