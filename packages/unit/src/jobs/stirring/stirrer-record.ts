import { type ActuationUnit, actuationEvent } from '@lcs/domain';
import type { JobContext, JobEvent, JobOrigin } from '@lcs/platform';

interface Reason {
  /** A sentence; absent: somebody asked for it. */
  readonly rule?: string;
  /** What was measured and led to it. */
  readonly rpm?: number;
  readonly calibration?: string;
}

/** Records why the stirrer is driven: its target and its state. The small steps that hold a speed are the series `stirring_rpm`. */
export class StirrerRecord {
  readonly #context: JobContext;
  readonly #tell: (job: JobOrigin, event: JobEvent) => void;

  /** `tell` also takes what happens at the end of the job. */
  constructor(context: JobContext, tell: (job: JobOrigin, event: JobEvent) => void) {
    this.#context = context;
    this.#tell = tell;
  }

  /** RPM. */
  speed(from: number, to: number, reason: Reason = {}): void {
    this.#say('RPM', from, to, reason);
  }

  /** Percent, where no speed is held. */
  duty(from: number, to: number, reason: Reason = {}): void {
    this.#say('%', from, to, reason);
  }

  #say(unit: ActuationUnit, from: number, to: number, { rule, rpm, calibration }: Reason): void {
    const { jobSource: origin, clock } = this.#context;
    const reading = rpm === undefined ? undefined : { source: 'stirring_rpm', value: rpm, atMs: clock.now() };
    const reason = { origin, ...(rule && { rule }), ...(reading && { reading }), ...(calibration && { calibration }) };
    this.#tell(this.#context, actuationEvent({ output: 'stirrer', from, to, unit, reason }));
  }
}
