import { actuationEvent, type StirrerEffect } from '@lcs/domain';
import type { JobContext, JobEvent, JobOrigin } from '@lcs/node';

type Actuation = Extract<StirrerEffect, { kind: 'record' }>;

/** Records targets and states of the stirrer with their reasons. The small steps that hold a speed are the series `stirring_rpm`. */
export class StirrerRecord {
  readonly #context: JobContext;
  readonly #recordEvent: (job: JobOrigin, event: JobEvent) => void;

  /** `recordEvent` also records events at the end of the job. */
  constructor(context: JobContext, recordEvent: (job: JobOrigin, event: JobEvent) => void) {
    this.#context = context;
    this.#recordEvent = recordEvent;
  }

  /** `calibration`: name of the active one; it is a reason only for requests of people. */
  actuation({ unit, from, to, rule, rpm }: Actuation, calibration: string | undefined): void {
    const { jobSource: origin, clock } = this.#context;
    const reason = {
      origin,
      ...(rule !== undefined && { rule }),
      ...(rpm !== undefined && { reading: { source: 'stirring_rpm', value: rpm, atMs: clock.now() } }),
      ...(rule === undefined && unit === 'RPM' && calibration !== undefined && { calibration }),
    };
    this.#recordEvent(this.#context, actuationEvent({ output: 'stirrer', from, to, unit, reason }));
  }
}
