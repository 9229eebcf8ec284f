import type { PumpLimits } from './guard-types.ts';

interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
  readonly percent: number;
}

const hourMs = 3_600_000;

/** What one pump has done in the last hour and in its run, and whether it may do more. */
export class PumpLedger {
  /** Stretches of constant level, ended ones; the current one is `#running`. */
  #stretches: Stretch[] = [];
  #running: { readonly fromMs: number; readonly percent: number } | undefined;
  #runStartMs = 0;

  /** A run that this guard did not see. */
  remember(stretch: Stretch): void {
    this.#stretches.push(stretch);
  }

  /** The pump's level is `percent` from now on. */
  change(percent: number, nowMs: number): void {
    if (this.#running === undefined && percent > 0) this.#runStartMs = nowMs;
    if (this.#running !== undefined) this.#stretches.push({ ...this.#running, toMs: nowMs });
    this.#stretches = this.#stretches.filter((stretch) => stretch.toMs > nowMs - hourMs);
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

  #since(startMs: number, nowMs: number): Stretch[] {
    const current = this.#running === undefined ? [] : [{ ...this.#running, toMs: nowMs }];
    return [...this.#stretches, ...current]
      .filter((stretch) => stretch.toMs > startMs)
      .map((stretch) => ({ ...stretch, fromMs: Math.max(stretch.fromMs, startMs) }));
  }
}

const timeOf = (stretches: readonly Stretch[]) => stretches.reduce((sum, { fromMs, toMs }) => sum + (toMs - fromMs), 0);

const volumeOf = (stretches: readonly Stretch[], mlPerSecondAtFull: number) =>
  stretches.reduce(
    (sum, { fromMs, toMs, percent }) => sum + ((toMs - fromMs) / 1000) * (percent / 100) * mlPerSecondAtFull,
    0,
  );
