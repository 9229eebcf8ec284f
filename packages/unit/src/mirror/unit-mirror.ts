import type { Json } from '@lcs/contract';
import {
  type JobEvent,
  type JobLogLevel,
  JobMirror,
  type JobMqtt,
  type JobOrigin,
  type JobState,
  type Log,
  toTimestamp,
} from '@lcs/platform';
import type { OutletMirror } from '../outlet/outbox-outlet.ts';

export interface UnitMirrorOptions {
  readonly unit: string;
  readonly mqtt: JobMqtt;
  readonly log: Log;
}

/** Events that outside clients hear as they happen, with the topic of each. */
const eventTopics: ReadonlyMap<string, { readonly topic: string; readonly qos: 0 | 2 }> = new Map([
  ['dosing', { topic: 'dosing_events', qos: 2 }],
  ['led_change', { topic: 'led_change_events', qos: 0 }],
]);

/** What a unit shows of itself on MQTT. */
export class UnitMirror implements OutletMirror {
  readonly jobs: JobMirror;
  readonly #options: UnitMirrorOptions;

  constructor(options: UnitMirrorOptions) {
    this.#options = options;
    this.jobs = new JobMirror(options);
  }

  state(job: JobOrigin, state: JobState): void {
    this.jobs.state(job, state);
  }

  setting(job: JobOrigin, setting: string, value: Json): void {
    this.jobs.setting(job, setting, value);
  }

  event({ experiment }: JobOrigin, { name, data }: JobEvent, atMs: number): void {
    const shown = eventTopics.get(name);
    if (shown === undefined) return;
    const payload = JSON.stringify({ ...payloadOf(name, data), timestamp: toTimestamp(atMs) });
    this.#options.mqtt.publish(`reactor/${this.#options.unit}/${experiment}/${shown.topic}`, payload, {
      qos: shown.qos,
    });
  }

  log({ experiment, jobName }: JobOrigin, level: JobLogLevel, message: string, atMs: number): void {
    const entry = { message, task: jobName, source: 'app', level, timestamp: toTimestamp(atMs) };
    const topic = `reactor/${this.#options.unit}/${experiment}/logs/app/${level.toLowerCase()}`;
    this.#options.mqtt.publish(topic, JSON.stringify(entry), { qos: 0 });
  }
}

/** Outside clients know the moved volume under a shorter name. */
function payloadOf(name: string, data: JobEvent['data']): Readonly<Record<string, Json>> {
  if (name !== 'dosing') return data;
  const { volume_change_ml = null, ...rest } = data;
  return { ...rest, volume_change: volume_change_ml };
}
