import type { Plant } from './plants.ts';

/** One number that a run gives. */
export interface ScienceFigure {
  /** The same text in every run of a case. */
  readonly name: string;
  readonly unit: string;
  /** NaN or infinity: the run did not reach the measured event; its target is missed. */
  readonly value: number;
  /** Target of each run; without one the figure is for information. */
  readonly aim?: { readonly atMost: number } | { readonly atLeast: number };
  /** Share of the runs that must meet the aim. Default 0.95. */
  readonly share?: number;
}

/**
 * One measurement on simulated units. A case is a file of this folder, listed in `cases.ts`. It runs on virtual
 * time and without sockets, and must be quick enough for a hundred runs.
 */
export interface ScienceCase {
  readonly name: string;
  /** The text of the report: the procedure and the measured quantities. */
  readonly about: string;
  /** One run. All chance comes from `plant.chance`, so that a seed repeats it. */
  run(plant: Plant): Promise<readonly ScienceFigure[]> | readonly ScienceFigure[];
  /** Figures of all runs together, such as the relation of two medians. */
  overall?(runs: readonly (readonly ScienceFigure[])[]): readonly ScienceFigure[];
  /** Figures that do not depend on a seed, such as known vectors and recorded traces. */
  fixed?(): Promise<readonly ScienceFigure[]> | readonly ScienceFigure[];
}
