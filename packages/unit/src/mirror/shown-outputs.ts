import { ledNames, type OutputId } from '@lcs/hardware';
import type { JobMqtt, JobOrigin } from '@lcs/node';

/** GPIO line of each PWM output: outside clients know the outputs by their lines, the same on all boards. */
const pwmLines: readonly (readonly [output: OutputId, line: number])[] = [
  ['pwm1', 17],
  ['pwm2', 13],
  ['pwm3', 16],
  ['pwm4', 12],
  ['pwm5', 18],
];

/** Publishes changes of output levels. */
export interface OutputDisplay {
  /** A job has set an output to this level, in percent. */
  level(job: JobOrigin, output: OutputId, percent: number): void;
  /** Outputs are off; with `jobId` only those that this job has set. */
  off(outputs: readonly OutputId[], jobId?: number): void;
}

interface Level {
  readonly jobId: number;
  readonly experiment: string;
  readonly percent: number;
}

/** Levels of LEDs and PWM outputs, on one retained topic each for the experiment that drives them. */
export class ShownOutputs implements OutputDisplay {
  readonly #options: { readonly unit: string; readonly mqtt: JobMqtt };
  readonly #levels = new Map<OutputId, Level>();
  /** The published payload by topic. */
  readonly #published = new Map<string, string>();

  constructor(options: { readonly unit: string; readonly mqtt: JobMqtt }) {
    this.#options = options;
  }

  level({ jobId, experiment }: JobOrigin, output: OutputId, percent: number): void {
    this.#levels.set(output, { jobId, experiment, percent });
    this.#publishLevels(experiment, [output]);
  }

  off(outputs: readonly OutputId[], jobId?: number): void {
    for (const output of outputs) {
      const level = this.#levels.get(output);
      if (level === undefined || (jobId !== undefined && level.jobId !== jobId)) continue;
      this.#levels.delete(output);
      this.#publishLevels(level.experiment, [output]);
    }
  }

  /** A job of an earlier run was interrupted; the topics of its experiment may have its values. */
  forgetEarlier(experiment: string): void {
    this.#publishLevels(experiment, ['pwm1', 'ledA']);
  }

  /** The topics of this experiment were cleared: the next values must be published. */
  cleared(experiment: string): void {
    for (const topic of this.#published.keys())
      if (topic.startsWith(`reactor/${this.#options.unit}/${experiment}/`)) this.#published.delete(topic);
  }

  #publishLevels(experiment: string, outputs: readonly OutputId[]): void {
    if (outputs.some((output) => output.startsWith('led'))) {
      const levels: Record<string, number> = {};
      for (const led of ledNames) levels[led] = this.#percent(experiment, `led${led}`);
      this.#publish(experiment, 'leds/intensity', levels);
    }
    if (outputs.some((output) => output.startsWith('pwm'))) {
      const levels: Record<string, number> = {};
      for (const [output, line] of pwmLines) {
        const percent = this.#percent(experiment, output);
        if (percent !== 0) levels[line] = percent;
      }
      this.#publish(experiment, 'pwms/dc', levels);
    }
  }

  #percent(experiment: string, output: OutputId): number {
    const level = this.#levels.get(output);
    return level?.experiment === experiment ? level.percent : 0;
  }

  #publish(experiment: string, place: string, levels: Readonly<Record<string, number>>): void {
    const topic = `reactor/${this.#options.unit}/${experiment}/${place}`;
    const payload = JSON.stringify(levels);
    if (this.#published.get(topic) === payload) return;
    this.#published.set(topic, payload);
    this.#options.mqtt.publish(topic, payload, { retain: true, qos: 0 });
  }
}
