import { ApiError, type Json } from '@lcs/contract';
import type { Clock, Log } from '@lcs/platform';
import type { JobOrigin } from './job-definition.ts';
import type { JobRuntime } from './job-runtime.ts';
import type { JobState } from './job-state.ts';
import { readSetTopic, settingTopic, stateTopic } from './job-topics.ts';
import { endsAtSetting } from './planned-ends.ts';
import { settingText } from './setting-value.ts';

/** Publishes to the broker in the background; without a connection, retained messages are published later. */
export interface JobMqtt {
  publish(topic: string, payload: string, options?: { readonly retain?: boolean; readonly qos?: 0 | 1 | 2 }): void;
}

export interface JobMirrorOptions {
  readonly unit: string;
  readonly mqtt: JobMqtt;
  /** Limits the rate of repeated rejections. */
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly log: Log;
}

/** A running job rejected a value of an MQTT client. */
export interface JobRefusal {
  readonly job: JobOrigin;
  /** One sentence for users. */
  readonly message: string;
}

/** A client that repeats a rejected request must not fill the log. */
const repeatIntervalMs = 10_000;
/** The most topics whose last rejection is remembered. */
const maxRemembered = 100;
/** The most characters of a rejected payload in the log. */
const shownLength = 60;

const shownText = (payload: string): string =>
  JSON.stringify(payload.length > shownLength ? `${payload.slice(0, shownLength)}…` : payload);

/** Publishes states and settings of jobs on retained topics, and applies the requests of MQTT clients. */
export class JobMirror {
  readonly #options: JobMirrorOptions;
  /** The time of the last logged rejection by topic. */
  readonly #loggedAtMs = new Map<string, number>();

  constructor(options: JobMirrorOptions) {
    this.#options = options;
  }

  state(job: JobOrigin, state: JobState): void {
    this.#retain(stateTopic(this.#options.unit, job), state.kind);
  }

  setting(job: JobOrigin, setting: string, value: Json): void {
    // The end of a job would leave its retained topic behind.
    if (setting === endsAtSetting) return;
    this.#retain(settingTopic(this.#options.unit, job, setting), settingText(value));
  }

  /**
   * Applies a message of a `…/set` topic; ignores a retained one, which is old. Returns a rejection for the job's log, at most one in 10 s
   * for each topic.
   */
  async handle(
    runtime: JobRuntime,
    topic: string,
    payload: string,
    isRetained: boolean,
  ): Promise<JobRefusal | undefined> {
    const order = readSetTopic(this.#options.unit, topic);
    if (order === undefined || isRetained) return undefined;
    const { jobName, experiment, setting } = order;
    const target = { jobName, ...(experiment === undefined ? {} : { experiment }) };
    const job = runtime.running(target).at(-1)?.origin;
    try {
      await runtime.updateFromText(target, setting, payload, 'mqtt');
      return undefined;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // A broadcast also reaches units without such a running job; that is not a fault.
      if (error.code === 'job_not_running' || job === undefined) {
        this.#options.log.debug('An MQTT client set a value of a job that does not run', { topic });
        return undefined;
      }
      return this.#refusal(
        job,
        topic,
        `The job rejected the value ${shownText(payload)} for ${setting}: ${error.body.cause}`,
      );
    }
  }

  #refusal(job: JobOrigin, topic: string, what: string): JobRefusal | undefined {
    const nowMs = this.#options.clock.monotonic();
    if (nowMs - (this.#loggedAtMs.get(topic) ?? Number.NEGATIVE_INFINITY) < repeatIntervalMs) return undefined;
    if (this.#loggedAtMs.size >= maxRemembered) this.#loggedAtMs.clear();
    this.#loggedAtMs.set(topic, nowMs);
    return { job, message: `Request of an MQTT client: ${what}` };
  }

  #retain(topic: string, payload: string): void {
    this.#options.mqtt.publish(topic, payload, { retain: true, qos: 2 });
  }
}
