import { type Static, Type } from 'typebox';
import { closed, Nullable, Timestamp } from './common.ts';

/** A calibration of a unit without its curve: for tables of all units. */
export const CalibrationSummary = closed(
  {
    reactor_unit: Type.String(),
    device: Type.String(),
    calibration_name: Type.String(),
    calibration_type: Type.String(),
    created_at: Timestamp,
    is_active: Type.Boolean(),
    active_since: Nullable(Timestamp, { description: 'When the leader saw it become active' }),
    points: Type.Integer({ minimum: 0 }),
    range: Nullable(
      closed({
        quantity: Type.String({ description: 'The name of the calibrated axis, such as Volume or OD600' }),
        low: Type.Number(),
        high: Type.Number(),
      }),
    ),
    residual: Nullable(Type.Number(), {
      description:
        'Root mean square distance of the points from the curve, in the unit of y; null: the curve passes through them',
    }),
    scatter: Nullable(Type.Number(), { description: 'The residual as a share of the mean of y' }),
    copied_at: Nullable(Timestamp, { description: 'When the unit last reported it' }),
  },
  { title: 'CalibrationSummary' },
);
export type CalibrationSummary = Static<typeof CalibrationSummary>;
