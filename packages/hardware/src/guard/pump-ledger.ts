import { hourMs } from '@lcs/contract/durations';
import type { PumpLimits } from './guard-types.ts';

interface PumpInterval {
  readonly fromMs: number;
  readonly toMs: number;
  readonly percent: number;
}

/** The runs of one pump in the last hour, and whether it may continue. */
export class PumpLedger {
  /** Stretches of constant level, ended ones; the current one is `#running`. */
  #intervals: PumpInterval[] = [];
  #running: { readonly fromMs: number; readonly percent: number } | undefined;
  #runStartMs = 0;

  /** A run that this guard did not see. */
  remember(interval: PumpInterval): void {
    this.#intervals.push(interval);
  }

  /** The pump's level is `percent` from now on. */
  change(percent: number, nowMs: number): void {
    // Renewed: the stretch continues, so that a long dose does not become thousands of them.
    if (this.#running?.percent === percent) return;
    if (this.#running === undefined && percent > 0) this.#runStartMs = nowMs;
    if (this.#running !== undefined) this.#intervals.push({ ...this.#running, toMs: nowMs });
    this.#intervals = this.#intervals.filter((interval) => interval.toMs > nowMs - hourMs);
    this.#running = percent > 0 ? { fromMs: nowMs, percent } : undefined;
  }

  /** Why `percent` for `forMs` from now on would go beyond the limits; undefined when it would not. */
  refusal(limits: PumpLimits, percent: number, forMs: number, nowMs: number): 'pump_time' | 'pump_volume' | undefined {
    const planned = { fromMs: nowMs, toMs: nowMs + forMs, percent };
    const rate = limits.mlPerSecondAtFull;
    const hour = this.#usedSince(nowMs - hourMs, planned, rate);
    const run = this.#usedSince(this.#running === undefined ? nowMs : this.#runStartMs, planned, rate);
    if (run.ms > limits.maxRunMs || hour.ms > limits.maxHourMs) return 'pump_time';
    return run.ml > limits.maxRunMl || hour.ml > limits.maxHourMl ? 'pump_volume' : undefined;
  }

  /** Time and volume of what ran since `startMs`, and of what is planned from now on. */
  #usedSince(startMs: number, planned: PumpInterval, rate: number): { readonly ms: number; readonly ml: number } {
    let ms = 0;
    let ml = 0;
    const add = (fromMs: number, toMs: number, percent: number): void => {
      if (toMs <= startMs) return;
      const ranMs = toMs - Math.max(fromMs, startMs);
      ms += ranMs;
      ml += (ranMs / 1000) * (percent / 100) * rate;
    };
    for (const { fromMs, toMs, percent } of this.#intervals) add(fromMs, toMs, percent);
    if (this.#running !== undefined) add(this.#running.fromMs, planned.fromMs, this.#running.percent);
    add(planned.fromMs, planned.toMs, planned.percent);
    return { ms, ml };
  }
}
