import type { Json } from '@lcs/contract';
import type { AutomationEvent, AutomationType } from '@lcs/domain';
import { type JobContext, toTimestamp } from '@lcs/platform';

type Settings = Readonly<Record<string, Json>>;
type Context = Pick<JobContext, 'publish' | 'event' | 'clock'>;

interface Interval {
  readonly sinceMs: number;
  readonly settings: Settings;
}

/** What an automation tells of itself: its events, and the intervals in which its settings stayed the same. */
export class AutomationVoice {
  readonly #context: Context;
  readonly #kind: AutomationType;
  readonly #automationName: string;
  #interval: Interval | undefined;

  constructor(context: Context, kind: AutomationType, automationName: string) {
    this.#context = context;
    this.#kind = kind;
    this.#automationName = automationName;
  }

  /** An event: kept, and shown as the latest. */
  tell({ name: event_name, message, data }: AutomationEvent): void {
    const timestamp = toTimestamp(this.#context.clock.now());
    this.#context.publish('latest_event', { event_name, message, data, timestamp });
    const told = { kind: this.#kind, automation_name: this.#automationName, event_name, data };
    this.#context.event({ name: 'automation', message, data: told });
  }

  /** These settings are in force from now on; told when the interval opens, and that before it when it has ended. */
  inForce(settings: Settings): void {
    const nowMs = this.#context.clock.now();
    if (this.#interval !== undefined) this.#tellInterval(this.#interval, nowMs);
    this.#interval = { sinceMs: nowMs, settings };
    this.#tellInterval(this.#interval, null);
  }

  #tellInterval({ sinceMs, settings }: Interval, endedAtMs: number | null): void {
    const interval = { started_at: sinceMs, ended_at: endedAtMs, settings };
    const data = { kind: this.#kind, automation_name: this.#automationName, ...interval };
    this.#context.event({ name: 'automation_settings', data });
  }
}
