import type { Json } from '@lcs/contract';
import {
  type JobEvent,
  type JobLogLevel,
  JobMirror,
  type JobMirrorOptions,
  type JobOrigin,
  type JobState,
} from '@lcs/node';
import { toTimestamp } from '@lcs/platform';
import type { RecordMirror } from '../record-sink/outbox-record-sink.ts';
import { controlMessage, type ShowControl } from './control-message.ts';
import { ShownOutputs } from './shown-outputs.ts';

/** Events that are published to MQTT clients, with their topics. */
const eventTopics: ReadonlyMap<string, { readonly topic: string; readonly qos: 0 | 2 }> = new Map([
  ['dosing', { topic: 'dosing_events', qos: 2 }],
  ['led_change', { topic: 'led_change_events', qos: 0 }],
  ['calibration', { topic: 'calibration_changes', qos: 2 }],
]);

/** The MQTT topics of a unit. */
export class UnitMirror implements RecordMirror {
  readonly jobs: JobMirror;
  readonly outputs: ShownOutputs;
  readonly #options: JobMirrorOptions;

  constructor(options: JobMirrorOptions) {
    this.#options = options;
    this.jobs = new JobMirror(options);
    this.outputs = new ShownOutputs(options);
  }

  state(job: JobOrigin, state: JobState): void {
    this.jobs.state(job, state);
    if (state.kind === 'lost') this.outputs.forgetEarlier(job.experiment);
  }

  setting(job: JobOrigin, setting: string, value: Json): void {
    this.jobs.setting(job, setting, value);
  }

  event({ experiment }: Pick<JobOrigin, 'experiment'>, { name, data }: JobEvent, atMs: number): void {
    if (name === 'automation_settings') this.#automationSettings(experiment, data);
    const shown = eventTopics.get(name);
    if (shown === undefined) return;
    const payload = JSON.stringify({ ...payloadOf(name, data), timestamp: toTimestamp(atMs) });
    this.#options.mqtt.publish(`reactor/${this.#options.unit}/${experiment}/${shown.topic}`, payload, {
      qos: shown.qos,
    });
  }

  readonly control: ShowControl = ({ experiment, jobName }, target, step) => {
    const { unit, mqtt } = this.#options;
    mqtt.publish(`reactor/${unit}/${experiment}/pid_log/${target}`, controlMessage(jobName, target, step), { qos: 0 });
  };

  log({ experiment, jobName }: JobOrigin, level: JobLogLevel, message: string, atMs: number): void {
    const entry = { message, task: jobName, source: 'app', level, timestamp: toTimestamp(atMs) };
    const topic = `reactor/${this.#options.unit}/${experiment}/logs/app/${level.toLowerCase()}`;
    this.#options.mqtt.publish(topic, JSON.stringify(entry), { qos: 0 });
  }

  /** An interval with constant settings of an automation; without an end while it lasts. */
  #automationSettings(experiment: string, data: JobEvent['data']): void {
    const { unit, mqtt } = this.#options;
    const { kind, automation_name = null, started_at, ended_at, settings = {} } = data;
    const job = `${String(kind)}_automation`;
    const payload = {
      reactor_unit: unit,
      experiment,
      started_at: instant(started_at),
      ended_at: instant(ended_at),
      automation_name,
      settings: Buffer.from(JSON.stringify(settings)).toString('base64'),
    };
    mqtt.publish(`reactor/${unit}/${experiment}/${job}/${job}_settings`, JSON.stringify(payload), { qos: 2 });
  }
}

const instant = (atMs: Json | undefined): string | null => (typeof atMs === 'number' ? toTimestamp(atMs) : null);

/** MQTT clients expect the moved volume under a shorter name, without the volumes before and after and the job. */
function payloadOf(name: string, data: JobEvent['data']): Readonly<Record<string, Json>> {
  if (name !== 'dosing') return data;
  const { volume_change_ml = null, volume_before_ml: _before, volume_after_ml: _after, job_id: _job, ...rest } = data;
  return { ...rest, volume_change: volume_change_ml };
}
