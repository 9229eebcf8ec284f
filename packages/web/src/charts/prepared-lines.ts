import { type BandPoint, deviationBand } from './deviation-band.ts';
import { breaksOf } from './gaps.ts';
import type { PlotLine } from './plot-types.ts';

/** A line with what is computed once for its readings, and not for each frame of a movement. */
export interface PreparedLine extends PlotLine {
  /** The moments of its pauses, and of a mean those at which its units change. */
  readonly breaks: readonly number[];
  /** The pieces of its uncertainty; empty: the values are not estimates. */
  readonly band: readonly (readonly BandPoint[])[];
}

export const preparedLines = (lines: readonly PlotLine[]): readonly PreparedLine[] =>
  lines.map((line) => {
    const ofChanges = (line.changes ?? []).map(({ atMs }) => atMs);
    const breaks = [...new Set([...breaksOf(line.points.x), ...ofChanges])].sort((one, other) => one - other);
    const band = line.deviations === null ? [] : deviationBand(line.points, line.deviations, breaks);
    return { ...line, breaks, band };
  });
