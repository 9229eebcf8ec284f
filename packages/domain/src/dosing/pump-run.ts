/** Volume and running time of a pump at one power, by one calibration. */
export interface PumpFlow {
  /** Volume that the pump moves in this time, starting from standstill, ml. */
  volumeIn(seconds: number): number;
  /** Seconds for a volume; undefined: the pump cannot move that volume. */
  secondsFor(volumeMl: number): number | undefined;
}

/** How much a pump must move: exactly one of the three. */
export type DoseAmount = { readonly volumeMl: number } | { readonly durationS: number } | 'continuously';

/** Flow of a small peristaltic pump at full power, for pumps without a calibration (fact sheet, 5.1). */
const defaultMlPerSecond = 0.0911;

/** A pump without a calibration, at full power: usable for runs by time, not by volume. */
export const defaultPumpFlow: PumpFlow = {
  volumeIn: (seconds) => defaultMlPerSecond * seconds,
  secondsFor: (volumeMl) => volumeMl / defaultMlPerSecond,
};

/** Duration and volume of a planned run. */
export interface PlannedRun {
  readonly totalMs: number;
  readonly volumeMl: number;
}

/**
 * The run for an amount; infinite for `continuously`. Undefined: the pump cannot move that volume, or the amount is below 0.
 */
export function planRun(amount: DoseAmount, flow: PumpFlow): PlannedRun | undefined {
  if (amount === 'continuously') return { totalMs: Number.POSITIVE_INFINITY, volumeMl: Number.POSITIVE_INFINITY };
  if ('durationS' in amount) {
    const { durationS } = amount;
    const volumeMl = durationS > 0 ? Math.max(0, flow.volumeIn(durationS)) : 0;
    return durationS >= 0 ? { totalMs: 1000 * durationS, volumeMl } : undefined;
  }
  const { volumeMl } = amount;
  if (volumeMl === 0) return { totalMs: 0, volumeMl: 0 };
  const seconds = volumeMl > 0 ? flow.secondsFor(volumeMl) : undefined;
  return seconds === undefined ? undefined : { totalMs: 1000 * seconds, volumeMl };
}

/** The ledger records a run in slices of this length, each before the pump moves it; a rehearsal has longer ones. */
export const sliceMs = 500;

/** A slice of a run. */
export interface RunSlice {
  /** End of the slice, from the start of the run. */
  readonly untilMs: number;
  readonly volumeMl: number;
}

/**
 * The slice of a run that follows the slices so far; undefined: the run is complete. The last slice is the exact remainder, so
 * that the slices of a run add up to its volume.
 */
export function nextSlice(
  run: PlannedRun,
  flow: PumpFlow,
  { untilMs, volumeMl }: { readonly untilMs: number; readonly volumeMl: number },
  lengthMs = sliceMs,
): RunSlice | undefined {
  if (untilMs >= run.totalMs) return undefined;
  const endMs = untilMs + lengthMs;
  if (endMs >= run.totalMs) return { untilMs: run.totalMs, volumeMl: run.volumeMl - volumeMl };
  return { untilMs: endMs, volumeMl: Math.max(0, flow.volumeIn(endMs / 1000) - volumeMl) };
}

/** The volume that a run has moved after this time. */
export const movedVolumeMl = (run: PlannedRun, flow: PumpFlow, ranMs: number): number =>
  ranMs >= run.totalMs
    ? run.volumeMl
    : Math.max(0, Math.min(run.volumeMl, ranMs > 0 ? flow.volumeIn(ranMs / 1000) : 0));
