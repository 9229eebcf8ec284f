import { type Inference, inferenceSetup, inferredLiquid, steadyInference, withReadings } from '@lcs/domain';
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
const cycle = { heatedS: 95, pauseS: 105 } as const;

/**
 * The inference for the measured traces, each as the first thing that is seen of a vial that was heated for long: nothing is known
 * of its room or its parameters, and the five recorded temperatures are all readings.
 */
export const coolingTraceFigures = (): readonly ScienceFigure[] =>
  traces.map(({ duty, boardC, liquidC }) => {
    const setup = inferenceSetup([], cycle);
    const readings = boardC.map((celsius, index) => ({ atMs: 1000 * spacingS * index, celsius }));
    const before: Inference = steadyInference(setup, duty, boardC[4]);
    const inferred = inferredLiquid(withReadings(before, setup, readings), cycle);
    return {
      name: `measured cooling trace at ${duty} %: error of the liquid against the accepted one (±0.5 °C)`,
      unit: '°C',
      value: inferred.celsius - liquidC,
      aim: { atMost: 0.3 },
    };
  });
