import type { Json } from '@lcs/contract';
import type { AutomationEvent, AutomationType } from '@lcs/domain';
import type { JobContext, JobEvent, JobOrigin } from '@lcs/node';
import { toTimestamp } from '@lcs/platform';

type Settings = Readonly<Record<string, Json>>;
type Context = Pick<JobContext, 'publish' | 'event' | 'clock'> & JobOrigin;
/** Also records events at the end of the job. */
type RecordEvent = (job: JobOrigin, event: JobEvent) => void;

interface Interval {
  readonly sinceMs: number;
  readonly settings: Settings;
}

/** Records the events of an automation, and the intervals of constant settings. */
export class AutomationLog {
  readonly #context: Context;
  readonly #kind: AutomationType;
  readonly #automationName: string;
  readonly #recordAtAnyTime: RecordEvent;
  #interval: Interval | undefined;

  constructor(context: Context, kind: AutomationType, automationName: string, recordAtAnyTime: RecordEvent) {
    this.#context = context;
    this.#kind = kind;
    this.#automationName = automationName;
    this.#recordAtAnyTime = recordAtAnyTime;
  }

  /** Stores an event, and publishes it as the latest. */
  recordEvent({ name: event_name, message, data }: AutomationEvent): void {
    const timestamp = toTimestamp(this.#context.clock.now());
    this.#context.publish('latest_event', { event_name, message, data, timestamp });
    const recorded = { kind: this.#kind, automation_name: this.#automationName, event_name, data };
    this.#context.event({ name: 'automation', message, data: recorded });
  }

  /** These settings are effective from now on: ends the present interval and begins another. */
  recordSettings(settings: Settings): void {
    const nowMs = this.#context.clock.now();
    if (this.#interval !== undefined) this.#recordInterval(this.#interval, nowMs);
    this.#interval = { sinceMs: nowMs, settings };
    this.#recordInterval(this.#interval, null);
  }

  /** The job ends, and its settings with it. */
  end(): void {
    if (this.#interval !== undefined) this.#recordInterval(this.#interval, this.#context.clock.now());
    this.#interval = undefined;
  }

  #recordInterval({ sinceMs, settings }: Interval, endedAtMs: number | null): void {
    const interval = { started_at: sinceMs, ended_at: endedAtMs, settings };
    const data = { kind: this.#kind, automation_name: this.#automationName, ...interval };
    this.#recordAtAnyTime(this.#context, { name: 'automation_settings', data });
  }
}
