import type { Json, Model } from '@lcs/contract';
import {
  type CoolingPlan,
  dutyAllowed,
  freshThermostat,
  heatDemand,
  type ThermostatGains,
  targetAllowed,
  thermostatStep,
} from '@lcs/domain';
import { type JobContext, toTimestamp } from '@lcs/platform';
import { isHardwareTrouble, type Trouble } from '../shared/trouble.ts';
import type { Heater } from './heater.ts';
import type { LiquidReading, Thermometer } from './thermometer.ts';

/** A board that was not heated for so long shows the liquid's temperature. Chosen: three times the slow part of its cooling. */
const coolAfterMs = 300_000;

/** A limit that goes on acting is said again this often. */
const limitSaidAgainMs = 600_000;

export interface TemperatureSetup {
  readonly automationName: string;
  readonly plan: CoolingPlan;
  /** Absent: it only records. */
  readonly thermostat: { readonly gains: ThermostatGains; readonly targetC: number; readonly model: Model } | undefined;
}

interface Parts {
  readonly heater: Heater;
  readonly thermometer: Thermometer;
  readonly trouble: Trouble;
}

/** Measures the temperature of the liquid at intervals and, as a thermostat, heats towards a target. */
export class TemperatureAutomation {
  readonly #context: JobContext;
  readonly #setup: TemperatureSetup;
  readonly #parts: Parts;
  #targetC: number;
  #pid = freshThermostat;
  /** What the thermostat has found right, %; the heater may be below it for a while. */
  #wantedDuty = 0;
  #isAsleep = false;
  /** How often it was put to sleep: what was begun before means nothing after it. */
  #naps = 0;
  #isBusy = false;
  #settingsSinceMs = 0;
  #limitSaid: { readonly demand: string; readonly atMs: number } | undefined;

  constructor(context: JobContext, setup: TemperatureSetup, parts: Parts) {
    this.#context = context;
    this.#setup = setup;
    this.#parts = parts;
    this.#targetC = setup.thermostat?.targetC ?? 0;
  }

  begin(): void {
    const { clock } = this.#context;
    const { periodS, samples, spacingS } = this.#setup.plan;
    this.#context.publish('heater_duty_cycle', 0);
    this.#settingsSinceMs = clock.now();
    this.#tellSettings(null);
    if (this.#parts.heater.restsForMs >= coolAfterMs) clock.after(0, () => this.#cycle());
    const restMs = 1000 * (samples - 1) * spacingS;
    clock.after(1000 * periodS - restMs, () => {
      this.#context.repeat(1000 * periodS, () => this.#cycle());
      return this.#cycle();
    });
  }

  /** Holds another temperature, as far as the reactor bears it. */
  aim(targetC: number): void {
    const { thermostat } = this.#setup;
    if (thermostat === undefined) return;
    const allowedC = targetAllowed(targetC, thermostat.model);
    if (allowedC !== targetC) {
      this.#context.log('WARNING', `The target is ${allowedC} ℃: this reactor does not bear ${targetC} ℃.`);
      // After the wanted value was published.
      this.#context.clock.after(0, () => this.#context.publish('target_temperature', allowedC));
    }
    if (allowedC === this.#targetC) return;
    const { now } = this.#context.clock;
    this.#tellSettings(now());
    this.#targetC = allowedC;
    this.#settingsSinceMs = now();
    this.#tellSettings(null);
  }

  async sleep(): Promise<void> {
    this.#isAsleep = true;
    this.#naps += 1;
    await this.#heat(0);
  }

  async wake(): Promise<void> {
    this.#isAsleep = false;
    await this.#heat(this.#wantedDuty);
  }

  stop(): Promise<void> {
    return this.#parts.heater.release();
  }

  async #cycle(): Promise<void> {
    if (this.#isBusy || this.#isAsleep) return;
    this.#isBusy = true;
    const { signal } = this.#context;
    const naps = this.#naps;
    const goesOn = () => naps === this.#naps;
    try {
      const reading = await this.#measure(goesOn);
      this.#parts.trouble.over();
      if (reading !== undefined && goesOn()) await this.#take(reading);
    } catch (error) {
      signal.throwIfAborted();
      if (!isHardwareTrouble(error)) throw error;
      this.#parts.trouble.is(error);
      // Nobody knows how warm it is: it must not get warmer.
      await this.#heat(0);
    } finally {
      this.#isBusy = false;
    }
  }

  async #measure(goesOn: () => boolean): Promise<LiquidReading | undefined> {
    const { heater, thermometer } = this.#parts;
    const { duty } = heater;
    if (duty === 0) return thermometer.readRested();
    await heater.set(0);
    return thermometer.readCooling(duty, goesOn);
  }

  async #take({ celsius, hottestBoardC }: LiquidReading): Promise<void> {
    const { thermostat } = this.#setup;
    const atMs = this.#context.clock.now();
    if (thermostat !== undefined) await this.#control(celsius, hottestBoardC, thermostat);
    this.#context.reading({ source: 'temperature', value: celsius, atMs });
    this.#context.publish('temperature', { temperature: celsius, timestamp: toTimestamp(atMs) });
  }

  async #control(
    celsius: number,
    hottestBoardC: number,
    { gains, model }: NonNullable<TemperatureSetup['thermostat']>,
  ): Promise<void> {
    const before = this.#wantedDuty;
    const now = { targetC: this.#targetC, liquidC: celsius, duty: before };
    const step = thermostatStep(this.#pid, gains, now);
    this.#pid = step.state;
    const demand = heatDemand(hottestBoardC, model);
    this.#wantedDuty = Math.round(100 * dutyAllowed(demand, step.duty)) / 100;
    if (demand !== 'none') this.#sayLimit(demand, hottestBoardC);
    await this.#heat(this.#wantedDuty);
    // What was refused must not add up meanwhile.
    this.#wantedDuty = this.#parts.heater.duty;
    if (this.#wantedDuty !== before) this.#tellChange(before, celsius);
  }

  async #heat(duty: number): Promise<void> {
    const { heater } = this.#parts;
    await heater.set(this.#setup.thermostat === undefined ? 0 : duty);
    this.#context.publish('heater_duty_cycle', heater.duty);
    if (this.#setup.thermostat !== undefined) this.#context.reading({ source: 'heater_duty', value: heater.duty });
  }

  #sayLimit(demand: 'reduce' | 'disable' | 'shut_down', boardC: number): void {
    const nowMs = this.#context.clock.monotonic();
    const said = this.#limitSaid;
    if (said?.demand === demand && nowMs - said.atMs < limitSaidAgainMs) return;
    this.#limitSaid = { demand, atMs: nowMs };
    const what = demand === 'reduce' ? 'heating is reduced' : 'heating is switched off';
    const level = demand === 'reduce' ? 'WARNING' : 'ERROR';
    this.#context.log(level, `The heater's board is at ${boardC.toFixed(1)} ℃, beyond its limit: ${what}.`);
  }

  #tellChange(before: number, celsius: number): void {
    const duty = this.#wantedDuty;
    const data = {
      current_dc: duty,
      delta_dc: Math.round(100 * (duty - before)) / 100,
      target_temperature: this.#targetC,
      latest_temperature: celsius,
    };
    const message = `The heater's duty goes from ${before} % to ${duty} %.`;
    const event_name = 'UpdatedHeaterDC';
    const { automationName } = this.#setup;
    const timestamp = toTimestamp(this.#context.clock.now());
    this.#context.publish('latest_event', { event_name, message, data, timestamp });
    const told = { kind: 'temperature', automation_name: automationName, event_name, data };
    this.#context.event({ name: 'automation', message, data: told });
  }

  /** An interval in which the settings were the same: told when it opens, and again when it has ended. */
  #tellSettings(endedAtMs: number | null): void {
    const settings: Record<string, Json> =
      this.#setup.thermostat === undefined ? {} : { target_temperature: this.#targetC };
    const interval = { started_at: this.#settingsSinceMs, ended_at: endedAtMs, settings };
    const data = { kind: 'temperature', automation_name: this.#setup.automationName, ...interval };
    this.#context.event({ name: 'automation_settings', data });
  }
}
