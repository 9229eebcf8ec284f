import { type ActuationUnit, actuationEvent } from '@lcs/domain';
import type { JobContext } from '@lcs/platform';

interface Reason {
  /** A sentence; absent: somebody asked for it. */
  readonly rule?: string;
  /** What was measured and led to it. */
  readonly rpm?: number;
  readonly calibration?: string;
}

/** Records why the stirrer is driven: its target and its state. The small steps that hold a speed are the series `stirring_rpm`. */
export class StirrerRecord {
  readonly #context: Pick<JobContext, 'event' | 'jobSource' | 'clock'>;

  constructor(context: Pick<JobContext, 'event' | 'jobSource' | 'clock'>) {
    this.#context = context;
  }

  /** RPM. */
  speed(from: number, to: number, reason: Reason = {}): void {
    this.#say('RPM', from, to, reason);
  }

  /** Percent, where no speed is held. */
  duty(from: number, to: number): void {
    this.#say('%', from, to, {});
  }

  #say(unit: ActuationUnit, from: number, to: number, { rule, rpm, calibration }: Reason): void {
    const { jobSource: origin, clock } = this.#context;
    const reading = rpm === undefined ? undefined : { source: 'stirring_rpm', value: rpm, atMs: clock.now() };
    const because = { origin, ...(rule && { rule }), ...(reading && { reading }), ...(calibration && { calibration }) };
    this.#context.event(actuationEvent({ output: 'stirrer', from, to, unit, because }));
  }
}
