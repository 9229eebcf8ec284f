import type { PumpLimits } from './guard-types.ts';

interface PumpInterval {
  readonly fromMs: number;
  readonly toMs: number;
  readonly percent: number;
}

const hourMs = 3_600_000;

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
    const hour = [...this.#since(nowMs - hourMs, nowMs), planned];
    const run = [...(this.#running === undefined ? [] : this.#since(this.#runStartMs, nowMs)), planned];
    if (timeOf(run) > limits.maxRunMs || timeOf(hour) > limits.maxHourMs) return 'pump_time';
    const rate = limits.mlPerSecondAtFull;
    if (volumeOf(run, rate) > limits.maxRunMl || volumeOf(hour, rate) > limits.maxHourMl) return 'pump_volume';
    return undefined;
  }

  #since(startMs: number, nowMs: number): PumpInterval[] {
    const current = this.#running === undefined ? [] : [{ ...this.#running, toMs: nowMs }];
    return [...this.#intervals, ...current]
      .filter((interval) => interval.toMs > startMs)
      .map((interval) => ({ ...interval, fromMs: Math.max(interval.fromMs, startMs) }));
  }
}

const timeOf = (intervals: readonly PumpInterval[]) =>
  intervals.reduce((sum, { fromMs, toMs }) => sum + (toMs - fromMs), 0);

const volumeOf = (intervals: readonly PumpInterval[], mlPerSecondAtFull: number) =>
  intervals.reduce(
    (sum, { fromMs, toMs, percent }) => sum + ((toMs - fromMs) / 1000) * (percent / 100) * mlPerSecondAtFull,
    0,
  );
