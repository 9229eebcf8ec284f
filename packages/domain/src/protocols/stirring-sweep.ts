import type { CalibrationContent } from '@lcs/contract';
import { fitSpline } from '../curves/fit-spline.ts';
import type { ProtocolAction, ProtocolFacts, ResultOf } from './protocol.ts';

/** Lowest and highest duty of the sweep, as shares of the configured duty. */
const lowestShare = 0.66;
const highestShare = 1.33;

/** The device of stirrer calibrations. */
export const stirringDevice = 'stirring';

type Sweep = Extract<ProtocolAction, { kind: 'stirring' }>;

/** The default range of duties for the sweep, %. */
export const defaultSweep = ({ initialDuty }: Pick<ProtocolFacts, 'initialDuty'>): Sweep => ({
  kind: 'stirring',
  lowestDuty: lowestShare * initialDuty,
  highestDuty: Math.min(100, highestShare * initialDuty),
});

/** `2026-11-21_04-24`. */
const minuteOf = (nowMs: number): string =>
  new Date(nowMs).toISOString().slice(0, 16).replace('T', '_').replace(':', '-');

/** The default name of a calibration. */
export const defaultStirringName = (nowMs: number): string => `stirring-calibration-${minuteOf(nowMs)}`;

/** The calibration (speed by duty) from a sweep; undefined: the stirrer did not turn. */
export function stirringCalibration(
  { points, supplyV }: Pick<ResultOf<Sweep>, 'points' | 'supplyV'>,
  { unit, nowMs, stirrerHz }: Pick<ProtocolFacts, 'unit' | 'nowMs' | 'stirrerHz'>,
  name: string = defaultStirringName(nowMs),
): CalibrationContent | undefined {
  const turning = points.filter(({ rpm }) => rpm > 0);
  const curve = fitSpline(turning.map(({ duty, rpm }) => ({ x: duty, y: rpm })));
  if (curve === undefined) return undefined;
  return {
    calibration_type: 'simple_stirring',
    calibration_name: name,
    calibrated_on_reactor_unit: unit,
    created_at: new Date(nowMs).toISOString(),
    curve_data_: curve,
    x: 'DC %',
    y: 'RPM',
    recorded_data: { x: turning.map(({ duty }) => duty), y: turning.map(({ rpm }) => rpm) },
    pwm_hz: stirrerHz,
    voltage: supplyV,
  };
}

/** The message when a sweep gives no calibration. */
export const noRotationMessage =
  'The speed sensor detected no rotation of the stirrer. Check the bar, the vial and the speed sensor.';
