import type { ActuatedOutput, actuationUnits, Json } from '@lcs/contract';
import type { Because } from './because.ts';

export type ActuationUnit = (typeof actuationUnits)[number];

/** One decision to drive an output, or not to. */
export interface Actuation {
  readonly output: ActuatedOutput;
  /** What was asked for, in `unit`; null: until it is stopped. */
  readonly to: number | null;
  readonly unit: ActuationUnit;
  /** What was in force before, in `unit`; absent where there is no such thing, as with doses. */
  readonly from?: number;
  /** Why it was not done; a sentence. Absent: it was. */
  readonly refused?: string;
  readonly because: Because;
}

/** Name of the event that carries an actuation. */
export const actuationEventName = 'actuation';

type JsonObject = { readonly [key: string]: Json };

const readingJson = ({ source, channel, value, atMs }: NonNullable<Because['reading']>): JsonObject => ({
  source,
  ...(channel === undefined ? {} : { channel }),
  value,
  at: atMs,
});

/** The event with which a job records what it drives and why: `context.event(actuationEvent(…))`. */
export function actuationEvent(actuation: Actuation): {
  readonly name: string;
  readonly data: JsonObject;
} {
  const { output, to, unit, from, refused, because } = actuation;
  const { origin, rule, reading, settings, calibration } = because;
  const data = {
    output,
    to,
    unit,
    ...(from === undefined ? {} : { from }),
    ...(refused === undefined ? {} : { refused }),
    source_of_event: origin,
    ...(rule === undefined ? {} : { rule }),
    ...(reading === undefined ? {} : { reading: readingJson(reading) }),
    ...(settings === undefined ? {} : { settings }),
    ...(calibration === undefined ? {} : { calibration }),
  };
  return { name: actuationEventName, data };
}
