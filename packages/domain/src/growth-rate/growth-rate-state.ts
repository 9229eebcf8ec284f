import type { RunningFilter } from './filter-reading.ts';
import type { OdObservation } from './warm-up.ts';

/** Where normalised OD continues when the basis of the ODs changes. */
export interface Anchor {
  /** ln of normalised OD at `atMs`. */
  readonly level: number;
  /** Per hour. */
  readonly rate: number;
  readonly atMs: number;
}

/** The complete state of a filter. A filter with a stored state continues after a restart without a difference. */
export interface GrowthRateState {
  readonly factors: Readonly<Record<string, number>>;
  /** By channel, the basis of the OD to which the factor belongs; see `OdObservation`. */
  readonly bases: Readonly<Record<string, string>>;
  /** Absent: normalised OD starts at 1. */
  readonly anchor?: Anchor;
  readonly waiting: readonly OdObservation[];
  /** The signal was not clear of its noise: it must be so for longer than at a start. */
  readonly nearBackground?: true;
  readonly running: RunningFilter | null;
}

/** Pass the factors of an earlier run of the experiment, so that normalised OD keeps its scale. */
export const initialGrowthRateState = (factors: Readonly<Record<string, number>> = {}): GrowthRateState => ({
  factors,
  bases: {},
  waiting: [],
  running: null,
});
