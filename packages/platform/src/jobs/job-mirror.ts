import { ApiError, type Json } from '@lcs/contract';
import type { Log } from '../log/log.ts';
import type { JobOrigin } from './job-definition.ts';
import type { JobRuntime } from './job-runtime.ts';
import type { JobState } from './job-state.ts';
import { readSetTopic, settingTopic, stateTopic } from './job-topics.ts';
import { settingText } from './setting-value.ts';

/** Publishes to the broker in the background; a broker that is away fails nothing, and hears later what is retained. */
export interface JobMqtt {
  publish(topic: string, payload: string, options?: { readonly retain?: boolean; readonly qos?: 0 | 1 | 2 }): void;
}

interface JobMirrorOptions {
  readonly unit: string;
  readonly mqtt: JobMqtt;
  readonly log: Log;
}

/** Shows states and settings of jobs on retained topics, and takes the wishes of outside clients. */
export class JobMirror {
  readonly #options: JobMirrorOptions;

  constructor(options: JobMirrorOptions) {
    this.#options = options;
  }

  state(job: JobOrigin, state: JobState): void {
    this.#retain(stateTopic(this.#options.unit, job), state.kind);
  }

  setting(job: JobOrigin, setting: string, value: Json): void {
    this.#retain(settingTopic(this.#options.unit, job, setting), settingText(value));
  }

  /** Takes a message of a `…/set` topic. Refusals are logged; retained messages are old wishes and ignored. */
  async take(runtime: JobRuntime, topic: string, payload: string, isRetained: boolean): Promise<void> {
    const order = readSetTopic(this.#options.unit, topic);
    if (order === undefined || isRetained) return;
    const { jobName, experiment, setting } = order;
    try {
      await runtime.updateFromText(
        { jobName, ...(experiment === undefined ? {} : { experiment }) },
        setting,
        payload,
        'mqtt',
      );
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // A broadcast reaches units on which nothing of that name runs; that is no fault.
      if (error.code === 'job_not_running') this.#options.log.debug('A wish for a job that does not run', { topic });
      else this.#options.log.error('A wish was refused', { topic, payload, cause: error.body.cause });
    }
  }

  #retain(topic: string, payload: string): void {
    this.#options.mqtt.publish(topic, payload, { retain: true, qos: 2 });
  }
}
