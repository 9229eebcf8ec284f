import type { CalibrationContent, EstimatorContent } from '@lcs/contract';
import { calibratedX, dutyForRpm, fuse, fusedDevice } from '@lcs/domain';
import type { Calibration, CalibrationOf, FusionOf } from '../jobs/shared/calibration.ts';
import type { ActiveArtefact, ArtefactShelf } from './artefact-shelf.ts';

type Shelf<Content extends object> = Pick<ArtefactShelf<Content>, 'active'>;

const ofOd = (content: CalibrationContent) =>
  'pd_channel' in content
    ? { irLedIntensity: content.ir_led_intensity, channel: content.pd_channel }
    : { irLedIntensity: null, channel: null };

const asCalibration = ({ content, hash }: ActiveArtefact<CalibrationContent>): Calibration => ({
  name: content.calibration_name,
  hash,
  y: content.y,
  ...ofOd(content),
  inverse: (y) => calibratedX(content, y),
  dutyFor: (rpm) => dutyForRpm(content, rpm),
});

/** The active calibrations of a unit, as its jobs ask for them. */
export const activeCalibrations =
  (shelf: Shelf<CalibrationContent>): CalibrationOf =>
  (device) => {
    const active = shelf.active(device);
    return active && asCalibration(active);
  };

/** The active estimator of fused OD, as jobs ask for it. */
export const activeFusion =
  (shelf: Shelf<EstimatorContent>): FusionOf =>
  () => {
    const active = shelf.active(fusedDevice);
    if (active === undefined) return undefined;
    const { content, hash } = active;
    return {
      name: content.estimator_name,
      hash,
      irLedIntensity: content.ir_led_intensity,
      fuse: (signals) => fuse(content, signals),
    };
  };
