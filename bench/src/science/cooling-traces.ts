import { liquidTemperature } from '@lcs/domain';
import type { ScienceFigure } from './science-case.ts';

/**
 * Four real cooling traces of a comparable instrument: the duty before the rest, the heater board's temperatures at 0, 25,
 * 50, 75 and 100 s, and the temperature of the liquid that was accepted for it (±0.5 °C, of unknown origin).
 */
const traces = [
  { duty: 12.53, boardC: [35.39, 33.66, 32.77, 32.18, 31.82], liquidC: 31.85 },
  { duty: 14.79, boardC: [34.75, 32.94, 32.12, 31.69, 31.4], liquidC: 30.95 },
  { duty: 27.31, boardC: [42.28, 38.47, 36.59, 35.39, 34.62], liquidC: 34.12 },
  { duty: 46.12, boardC: [48.55, 42.59, 40.25, 39.0, 38.19], liquidC: 38.94 },
] as const;

const spacingS = 25;
const samples = 21;
const sampleS = 5;

/** The board's temperature between two recorded ones, along a line. */
function boardAt(boardC: readonly number[], atS: number): number {
  const index = Math.min(boardC.length - 2, Math.floor(atS / spacingS));
  const [before, after] = [boardC[index] ?? Number.NaN, boardC[index + 1] ?? Number.NaN];
  return before + (after - before) * (atS / spacingS - index);
}

/** Our estimate for the real traces. It has no target: it was not fitted to them. */
export const coolingTraceFigures = (): readonly ScienceFigure[] =>
  traces.map(({ duty, boardC, liquidC }) => {
    const curve = Array.from({ length: samples }, (_, index) => boardAt(boardC, index * sampleS));
    const value = liquidTemperature(curve, duty).celsius - liquidC;
    return { name: `real cooling trace at ${duty} %: estimate minus accepted liquid temperature`, unit: '°C', value };
  });
