import type { Json } from '@lcs/contract';
import { type ActuationReason, actuationEvent } from '@lcs/domain';
import type { JobContext, JobEvent, JobOrigin } from '@lcs/node';
import { AutomationLog } from '../shared/automation-log.ts';
import type { TemperatureSetup } from './temperature-setup.ts';

/** Settings of an automation, as its records have them. */
type AutomationSettings = Readonly<Record<string, Json>>;

/** Records actuations of the heater with their reasons, and the effective settings. */
export class HeatingRecord {
  readonly #context: JobContext;
  readonly #setup: Pick<TemperatureSetup, 'automationName' | 'trim'>;
  readonly #settings: () => AutomationSettings;
  readonly #recordEvent: (job: JobOrigin, event: JobEvent) => void;
  readonly #log: AutomationLog;

  /** `recordEvent` also records events at the end of the job. */
  constructor(
    context: JobContext,
    setup: Pick<TemperatureSetup, 'automationName' | 'trim'>,
    settings: () => AutomationSettings,
    recordEvent: (job: JobOrigin, event: JobEvent) => void,
  ) {
    this.#recordEvent = recordEvent;
    this.#context = context;
    this.#setup = setup;
    this.#settings = settings;
    this.#log = new AutomationLog(context, 'temperature', setup.automationName, recordEvent);
  }

  /** A change of the duty, %. */
  duty(from: number, to: number, why: Pick<ActuationReason, 'rule' | 'reading'>): void {
    const { automationName, trim } = this.#setup;
    const reason = {
      origin: `temperature_automation:${automationName}`,
      ...why,
      settings: this.#settings(),
      ...(trim && { calibration: trim.name }),
    };
    this.#recordEvent(this.#context, actuationEvent({ output: 'heater', from, to, unit: '%', reason }));
  }

  /** A change of the duty by the thermostat, which is also the latest event of the automation. */
  step(from: number, to: number, targetC: number, celsius: number): void {
    const nowMs = this.#context.clock.now();
    const rule = `The liquid is at ${celsius} °C, the target is ${targetC} °C.`;
    this.duty(from, to, { rule, reading: { source: 'temperature', value: celsius, atMs: nowMs } });
    const data = {
      current_dc: to,
      delta_dc: Math.round(100 * (to - from)) / 100,
      target_temperature: targetC,
      latest_temperature: celsius,
    };
    const message = `The heater's duty goes from ${from} % to ${to} %.`;
    this.#log.recordEvent({ name: 'UpdatedHeaterDC', message, data });
  }

  /** Begins another interval of constant settings. */
  settingsChanged(): void {
    this.#log.recordSettings(this.#settings());
  }

  /** The job ends. */
  end(): void {
    this.#log.end();
  }
}
