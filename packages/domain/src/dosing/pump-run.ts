/** Volume and time of a pump, as one calibration at one power ties them together. */
export interface PumpFlow {
  /** ml moved in so many seconds, from a standstill. */
  volumeIn(seconds: number): number;
  /** Seconds for a volume; undefined when the pump never moves that much. */
  secondsFor(volumeMl: number): number | undefined;
}

/** How much a pump is to move; exactly one of them. */
export type DoseAmount = { readonly volumeMl: number } | { readonly durationS: number } | 'continuously';

/** ml/s of a small peristaltic pump at full power, for pumps that nobody has calibrated (fact sheet, 5.1). */
const usualMlPerSecond = 0.0911;

/** The pump nobody has calibrated, at full power: good for runs by time, not for volumes. */
export const usualPumpFlow: PumpFlow = {
  volumeIn: (seconds) => usualMlPerSecond * seconds,
  secondsFor: (volumeMl) => volumeMl / usualMlPerSecond,
};

/** What a run will be: how long, and how much that is. */
export interface PlannedRun {
  readonly totalMs: number;
  readonly volumeMl: number;
}

/**
 * The run for an amount; without end for one that goes on until it is stopped. Undefined when the pump cannot move that
 * much, or the amount is below 0.
 */
export function plannedRun(amount: DoseAmount, flow: PumpFlow): PlannedRun | undefined {
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

/** A run is accounted for in pieces of this length, each before it is pumped. */
export const sliceMs = 500;

/** A piece of a run. */
export interface RunSlice {
  /** From the start of the run. */
  readonly untilMs: number;
  readonly volumeMl: number;
}

/**
 * The piece of a run after what is announced already, undefined when all is. The last one is the exact remainder, so that
 * the pieces of a whole run add up to its volume.
 */
export function nextSlice(
  run: PlannedRun,
  flow: PumpFlow,
  { untilMs, volumeMl }: { readonly untilMs: number; readonly volumeMl: number },
): RunSlice | undefined {
  if (untilMs >= run.totalMs) return undefined;
  const endMs = untilMs + sliceMs;
  if (endMs >= run.totalMs) return { untilMs: run.totalMs, volumeMl: run.volumeMl - volumeMl };
  return { untilMs: endMs, volumeMl: Math.max(0, flow.volumeIn(endMs / 1000) - volumeMl) };
}

/** What a run has moved that went on for so long. */
export const movedIn = (run: PlannedRun, flow: PumpFlow, ranMs: number): number =>
  ranMs >= run.totalMs
    ? run.volumeMl
    : Math.max(0, Math.min(run.volumeMl, ranMs > 0 ? flow.volumeIn(ranMs / 1000) : 0));
