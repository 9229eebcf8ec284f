import type { ActuatedOutput, actuationUnits, Json } from '@lcs/contract';
import type { ActuationReason, TriggerReading } from './actuation-reason.ts';

export type ActuationUnit = (typeof actuationUnits)[number];

/** One decision to drive an output, or to refuse it. */
export interface Actuation {
  readonly output: ActuatedOutput;
  /** The requested value, in `unit`; null: on until stopped. */
  readonly to: number | null;
  readonly unit: ActuationUnit;
  /** The value before, in `unit`; absent where there is none, as for doses. */
  readonly from?: number;
  /** The pump moved its liquid into a vessel, and not into or out of the vial. Absent: it acted on the vial. */
  readonly isOutsideVial?: boolean;
  /** Why the output was not driven, in one sentence. Absent: it was driven. */
  readonly refused?: string;
  readonly reason: ActuationReason;
}

/** Name of the event that carries an actuation. */
export const actuationEventName = 'actuation';

type JsonObject = { readonly [key: string]: Json };

const readingJson = ({ source, channel, value, atMs }: TriggerReading): JsonObject => ({
  source,
  ...(channel === undefined ? {} : { channel }),
  value,
  at: atMs,
});

/** The event with which a job records an actuation and its reason: `context.event(actuationEvent(…))`. */
export function actuationEvent(actuation: Actuation): {
  readonly name: string;
  readonly data: JsonObject;
} {
  const { output, to, unit, from, isOutsideVial, refused, reason } = actuation;
  const { origin, rule, reading, settings, calibration } = reason;
  const data = {
    output,
    to,
    unit,
    ...(from === undefined ? {} : { from }),
    ...(isOutsideVial === true && { outside_vial: true }),
    ...(refused === undefined ? {} : { refused }),
    source_of_event: origin,
    ...(rule === undefined ? {} : { rule }),
    ...(reading === undefined ? {} : { reading: readingJson(reading) }),
    ...(settings === undefined ? {} : { settings }),
    ...(calibration === undefined ? {} : { calibration }),
  };
  return { name: actuationEventName, data };
}
