import type { CalibrationContent, EstimatorContent } from '@lcs/contract';
import {
  calibratedX,
  dutyForRpm,
  fuse,
  fusedDevice,
  probeComparisons,
  readingAt,
  secondsFor,
  turningPoint,
  volumeIn,
} from '@lcs/domain';
import type { PumpCalibrationOf } from '../jobs/pumps/pump-settings.ts';
import type { Calibration, CalibrationOf, FusionOf } from '../jobs/shared/calibration.ts';
import type { ActiveCalibrationFile, CalibrationFiles } from './calibration-files.ts';

type Files<Content extends object> = Pick<CalibrationFiles<Content>, 'active'>;

const ofOd = (content: CalibrationContent) =>
  'pd_channel' in content
    ? { irLedIntensity: content.ir_led_intensity, channel: content.pd_channel }
    : { irLedIntensity: null, channel: null };

const asCalibration = ({ content, hash }: ActiveCalibrationFile<CalibrationContent>): Calibration => ({
  name: content.calibration_name,
  hash,
  y: content.y,
  ...ofOd(content),
  inverse: (y) => calibratedX(content, y),
  get turnsAt() {
    return turningPoint(content);
  },
  shownFor: (x) => readingAt(content, x),
  dutyFor: (rpm) => dutyForRpm(content, rpm),
  ...(content.calibration_type === 'temperature' && { comparisons: probeComparisons(content) }),
});

/** The active calibrations of a unit, for its jobs. */
export const activeCalibrations =
  (files: Files<CalibrationContent>): CalibrationOf =>
  (device) => {
    const active = files.active(device);
    return active && asCalibration(active);
  };

/** The active estimator of fused OD, for jobs. */
export const activeFusion =
  (files: Files<EstimatorContent>): FusionOf =>
  () => {
    const active = files.active(fusedDevice);
    if (active === undefined) return undefined;
    const { content, hash } = active;
    return {
      name: content.estimator_name,
      hash,
      irLedIntensity: content.ir_led_intensity,
      fuse: (signals) => fuse(content, signals),
    };
  };

/** The active calibrations of pumps: volume and time at the power that they were made at. */
export const activePumpCalibrations =
  (files: Files<CalibrationContent>): PumpCalibrationOf =>
  (device) => {
    const content = files.active(device)?.content;
    if (content?.calibration_type !== 'simple_peristaltic_pump' || content.dc <= 0) return undefined;
    return {
      name: content.calibration_name,
      duty: Math.min(100, content.dc),
      flow: {
        volumeIn: (seconds) => volumeIn(content, seconds),
        secondsFor: (volumeMl) => secondsFor(content, volumeMl),
      },
    };
  };
