import { ApiError, type Json } from '@lcs/contract';
import type { Clock, Log } from '@lcs/platform';
import type { JobOrigin } from './job-definition.ts';
import type { JobRuntime } from './job-runtime.ts';
import type { JobState } from './job-state.ts';
import { readSetTopic, settingTopic, stateTopic } from './job-topics.ts';
import { settingText } from './setting-value.ts';

/** Publishes to the broker in the background; a broker that is away fails nothing, and hears later what is retained. */
export interface JobMqtt {
  publish(topic: string, payload: string, options?: { readonly retain?: boolean; readonly qos?: 0 | 1 | 2 }): void;
}

export interface JobMirrorOptions {
  readonly unit: string;
  readonly mqtt: JobMqtt;
  /** Times how often the same refusal is told. */
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly log: Log;
}

/** A running job did not take a value of an MQTT client. */
export interface JobRefusal {
  readonly job: JobOrigin;
  /** One sentence for people. */
  readonly message: string;
}

/** A client that goes on wishing for what was refused must not fill the log. */
const saidAgainMs = 10_000;
/** Topics whose last refusal is remembered. */
const mostRemembered = 100;
/** Of a refused wish as much is shown; it may be anything. */
const shownLength = 60;

const shownText = (payload: string): string =>
  JSON.stringify(payload.length > shownLength ? `${payload.slice(0, shownLength)}…` : payload);

/** Shows states and settings of jobs on retained topics, and takes the wishes of outside clients. */
export class JobMirror {
  readonly #options: JobMirrorOptions;
  /** By topic: when a refusal was told. */
  readonly #saidAtMs = new Map<string, number>();

  constructor(options: JobMirrorOptions) {
    this.#options = options;
  }

  state(job: JobOrigin, state: JobState): void {
    this.#retain(stateTopic(this.#options.unit, job), state.kind);
  }

  setting(job: JobOrigin, setting: string, value: Json): void {
    this.#retain(settingTopic(this.#options.unit, job, setting), settingText(value));
  }

  /**
   * Applies a message of a `…/set` topic; ignores a retained one, which is old. Returns a refusal for the job's log, at most one
   * in 10 s for each topic.
   */
  async take(
    runtime: JobRuntime,
    topic: string,
    payload: string,
    isRetained: boolean,
  ): Promise<JobRefusal | undefined> {
    const order = readSetTopic(this.#options.unit, topic);
    if (order === undefined || isRetained) return undefined;
    const { jobName, experiment, setting } = order;
    const target = { jobName, ...(experiment === undefined ? {} : { experiment }) };
    const meant = runtime.running(target).at(-1)?.origin;
    try {
      await runtime.updateFromText(target, setting, payload, 'mqtt');
      return undefined;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // A broadcast reaches units on which nothing of that name runs; that is no fault.
      if (error.code === 'job_not_running' || meant === undefined) {
        this.#options.log.debug('An MQTT client set a value of a job that does not run', { topic });
        return undefined;
      }
      return this.#refusal(meant, topic, `${shownText(payload)} for ${setting} was refused: ${error.body.cause}`);
    }
  }

  #refusal(job: JobOrigin, topic: string, what: string): JobRefusal | undefined {
    const nowMs = this.#options.clock.monotonic();
    if (nowMs - (this.#saidAtMs.get(topic) ?? Number.NEGATIVE_INFINITY) < saidAgainMs) return undefined;
    if (this.#saidAtMs.size >= mostRemembered) this.#saidAtMs.clear();
    this.#saidAtMs.set(topic, nowMs);
    return { job, message: `The wish of an MQTT client, ${what}` };
  }

  #retain(topic: string, payload: string): void {
    this.#options.mqtt.publish(topic, payload, { retain: true, qos: 2 });
  }
}
