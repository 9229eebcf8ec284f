import { photodiodeVolts } from '@lcs/domain';
import { calibratedX } from '../../../packages/domain/src/calibrations/calibration-use.ts';
import { fitAkima } from '../../../packages/domain/src/curves/fit-akima.ts';
import type { Calibration } from '../../../packages/unit/src/jobs/shared/calibration.ts';
import type { Plant } from './plants.ts';

/**
 * A calibration with standards that were exact, on this unit's photodiode: what is left is the service's own error, and the light of the LED
 * relative to that of the standards. `light`: that of the run, where it must not count.
 */
export function exactCalibration(plant: Plant, light = 1): Calibration {
  const sensitivity = light * plant.of('optics.sensitivity');
  const ods = Array.from({ length: 16 }, (_, index) => 0.01 * 1.5 ** index);
  const points = ods.map((x) => ({ x, y: sensitivity * photodiodeVolts('90', x) }));
  const curve = fitAkima(points);
  if (curve === undefined) throw new Error('The standards make no curve.');
  const known = { curve_data_: curve, recorded_data: { x: ods, y: points.map(({ y }) => y) } };
  return {
    name: 'exact',
    hash: '0',
    y: 'Voltage',
    irLedIntensity: null,
    channel: null,
    inverse: (volts) => calibratedX(known, volts),
    dutyFor: () => undefined,
    shownFor: (x) => x,
  };
}
