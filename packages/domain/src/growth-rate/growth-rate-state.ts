import type { RunningState } from './follow-reading.ts';
import type { OdObservation } from './warm-up.ts';

/** What normalised OD goes on from where the ODs begin to mean something else. */
export interface Anchor {
  /** ln of normalised OD at `atMs`. */
  readonly level: number;
  /** Per hour. */
  readonly rate: number;
  readonly atMs: number;
}

/** All that a filter knows. Keep it, and it goes on after a restart as if nothing had been. */
export interface GrowthRateState {
  readonly factors: Readonly<Record<string, number>>;
  /** By channel, what the OD was made with that the factor is of; see `OdObservation`. */
  readonly bases: Readonly<Record<string, string>>;
  /** Absent: normalised OD begins at 1. */
  readonly anchor?: Anchor;
  readonly waiting: readonly OdObservation[];
  readonly running: RunningState | null;
}

/** Pass the factors of an earlier run of the experiment, so that normalised OD means the same. */
export const freshGrowthRate = (factors: Readonly<Record<string, number>> = {}): GrowthRateState => ({
  factors,
  bases: {},
  waiting: [],
  running: null,
});
