import type { Json } from '@lcs/contract';
import { type ActuationReason, actuationEvent } from '@lcs/domain';
import type { JobContext, JobEvent, JobOrigin } from '@lcs/platform';
import { AutomationVoice } from '../shared/automation-voice.ts';
import type { TemperatureSetup } from './temperature-setup.ts';

/** Settings of an automation, as its records have them. */
type AutomationSettings = Readonly<Record<string, Json>>;

/** Records what a temperature automation heats and why, and which settings were in force. */
export class HeatingRecord {
  readonly #context: JobContext;
  readonly #setup: Pick<TemperatureSetup, 'automationName' | 'trim'>;
  readonly #settings: () => AutomationSettings;
  readonly #tell: (job: JobOrigin, event: JobEvent) => void;
  readonly #voice: AutomationVoice;

  /** `tell` also takes what happens at the end of the job. */
  constructor(
    context: JobContext,
    setup: Pick<TemperatureSetup, 'automationName' | 'trim'>,
    settings: () => AutomationSettings,
    tell: (job: JobOrigin, event: JobEvent) => void,
  ) {
    this.#tell = tell;
    this.#context = context;
    this.#setup = setup;
    this.#settings = settings;
    this.#voice = new AutomationVoice(context, 'temperature', setup.automationName);
  }

  /** The heater goes from one duty to another, %. */
  duty(from: number, to: number, why: Pick<ActuationReason, 'rule' | 'reading'>): void {
    const { automationName, trim } = this.#setup;
    const reason = {
      origin: `temperature_automation:${automationName}`,
      ...why,
      settings: this.#settings(),
      ...(trim && { calibration: trim.name }),
    };
    this.#tell(this.#context, actuationEvent({ output: 'heater', from, to, unit: '%', reason }));
  }

  /** The same as a step of the thermostat, which is shown as the automation's latest event too. */
  step(from: number, to: number, targetC: number, celsius: number): void {
    const nowMs = this.#context.clock.now();
    const rule = `The liquid is at ${celsius} ℃, ${targetC} ℃ are wanted.`;
    this.duty(from, to, { rule, reading: { source: 'temperature', value: celsius, atMs: nowMs } });
    const data = {
      current_dc: to,
      delta_dc: Math.round(100 * (to - from)) / 100,
      target_temperature: targetC,
      latest_temperature: celsius,
    };
    const message = `The heater's duty goes from ${from} % to ${to} %.`;
    this.#voice.tell({ name: 'UpdatedHeaterDC', message, data });
  }

  /** The settings are these from now on: an interval of them opens, and the one before it has ended. */
  settingsInForce(): void {
    this.#voice.inForce(this.#settings());
  }
}
