import { photodiodeVolts } from '@lcs/domain/boards';
import type { VialPlant } from '@lcs/hardware';
import type { Calibration } from '../jobs/shared/calibration.ts';

/** Above it the signal of a photodiode at 90° falls again. */
const highestOd = 6;

const signalOf = (od: number): number => photodiodeVolts('90', od);

/** The OD whose signal is this, by bisection to 0.0001. */
function odFor(signal: number): number {
  let [low, high] = [0, highestOd];
  while (high - low > 1e-4) {
    const middle = (low + high) / 2;
    if (signalOf(middle) < signal) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * The calibration of a photodiode at 90° that was made at the moment of the first reading and is exact there: readings are optical
 * densities then, with the noise and the drift of the light.
 */
export function perfectOdCalibration(plant: Pick<VialPlant, 'vial'>): Calibration {
  let scale: number | undefined;
  return {
    name: 'rehearsal',
    hash: '',
    y: 'Voltage',
    irLedIntensity: null,
    channel: null,
    inverse: (y) => {
      scale ??= y / signalOf(plant.vial.od);
      const signal = y / scale;
      const isLowerBound = signal >= signalOf(highestOd);
      return { x: odFor(signal), isOutOfRange: isLowerBound, isLowerBound };
    },
    shownFor: (x) => (scale ?? 1) * signalOf(x),
    dutyFor: () => undefined,
  };
}
