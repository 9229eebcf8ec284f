import {
  type HeatLimits,
  heatDemand,
  initialThermostatState,
  limitDuty,
  limitTarget,
  lowerLimits,
  type ThermostatState,
  thermostatStep,
  withNewTarget,
} from '@lcs/domain';
import { type EndReason, type JobContext, toTimestamp } from '@lcs/platform';
import { endRule } from '../shared/end-rule.ts';
import { type LiquidEstimates, liquidEstimateKey } from '../shared/liquid-estimate.ts';
import { saidBeside } from '../shared/said-beside.ts';
import { isHardwareTrouble, type Trouble } from '../shared/trouble.ts';
import { troubleCodes } from '../shared/trouble-codes.ts';
import type { UnitDevices } from '../unit-devices.ts';
import type { Heater } from './heater.ts';
import { HeatingRecord } from './heating-record.ts';
import type { TemperatureSetup } from './temperature-setup.ts';
import type { LiquidReading, Thermometer } from './thermometer.ts';

/** A board that was not heated for so long shows the liquid's temperature. Chosen: three times the slow part of its cooling. */
const coolAfterMs = 300_000;

/** A limit that goes on acting is said again this often. */
const limitSaidAgainMs = 600_000;

/** While it heats the sensor is looked at this often; silent for so long, and it heats no more: before the guard says so. */
const watchEveryMs = 5_000;
const longestSilenceMs = 20_000;

/** °C above its target from where a strange sensor makes nothing hotter. */
const farAboveC = 2;

interface Parts {
  readonly heater: Heater;
  readonly thermometer: Thermometer;
  readonly trouble: Trouble;
  readonly estimates: LiquidEstimates;
  readonly showTrouble: UnitDevices['showTrouble'];
  readonly showControl: UnitDevices['showControl'];
  readonly tell: UnitDevices['tell'];
  /** The model of the unit now: it may have got another reactor since the job began. */
  readonly presentModel: UnitDevices['ownModel'];
  /** Called with each duty that a thermostat believes to hold its target. */
  readonly rememberHeld: (held: { readonly targetC: number; readonly duty: number }) => void;
}

/** Measures the temperature of the liquid at intervals and, as a thermostat, heats towards a target. */
export class TemperatureAutomation {
  readonly #context: JobContext;
  readonly #setup: TemperatureSetup;
  readonly #parts: Parts;
  readonly #record: HeatingRecord;
  #targetC: number;
  #thermostat: ThermostatState;
  /** What the thermostat wants, %; the heater may be below it for a while. */
  #wantedDuty = 0;
  #heatingSinceMs = 0;
  #sensorSeenMs = Number.NEGATIVE_INFINITY;
  /** The sensor does not follow the heater: nothing is heated until somebody has looked at it. */
  #isDistrusted = false;
  #isAsleep = false;
  /** How often it was put to sleep: what was begun before means nothing after it. */
  #naps = 0;
  #isBusy = false;
  #limitSaid: { readonly demand: string; readonly atMs: number } | undefined;

  constructor(context: JobContext, setup: TemperatureSetup, parts: Parts) {
    this.#context = context;
    this.#setup = setup;
    this.#parts = parts;
    this.#targetC = setup.thermostat?.targetC ?? 0;
    this.#thermostat = initialThermostatState(this.#targetC, setup.thermostat?.heldDuty);
    const settings = () => (setup.thermostat === undefined ? {} : { target_temperature: this.#targetC });
    this.#record = new HeatingRecord(context, setup, settings, parts.tell);
  }

  begin(): void {
    const { clock } = this.#context;
    const { periodS, samples, spacingS } = this.#setup.plan;
    this.#context.publish('heater_duty_cycle', 0);
    this.#record.settingsInForce();
    if (this.#parts.heater.restsForMs >= coolAfterMs) clock.after(0, () => this.#cycle());
    const restMs = 1000 * (samples - 1) * spacingS;
    clock.after(1000 * periodS - restMs, () => {
      this.#context.repeat(1000 * periodS, () => this.#cycle());
      return this.#cycle();
    });
    if (this.#setup.thermostat !== undefined) this.#context.repeat(watchEveryMs, () => this.#watch());
  }

  /** Holds another temperature, as far as the reactor bears it. */
  aim(targetC: number): void {
    const { thermostat } = this.#setup;
    if (thermostat === undefined) return;
    const allowedC = limitTarget(targetC, this.#limitsOf(thermostat));
    if (allowedC !== targetC) {
      this.#context.log('WARNING', `The target is ${allowedC} ℃: this reactor does not bear ${targetC} ℃.`);
      // After the wanted value was published.
      this.#context.clock.after(0, () => this.#context.publish('target_temperature', allowedC));
    }
    if (allowedC === this.#targetC) return;
    this.#thermostat = withNewTarget(this.#thermostat, this.#targetC, allowedC);
    this.#targetC = allowedC;
    this.#record.settingsInForce();
  }

  async sleep(): Promise<void> {
    this.#isAsleep = true;
    this.#naps += 1;
    if (this.#wantedDuty > 0) this.#record.duty(this.#parts.heater.duty, 0, { rule: 'The job sleeps.' });
    await this.#heat(0);
  }

  async wake(): Promise<void> {
    this.#isAsleep = false;
    this.#isDistrusted = false;
    if (this.#wantedDuty > 0) this.#record.duty(0, this.#wantedDuty, { rule: 'The job goes on where it was.' });
    await this.#heat(this.#wantedDuty);
  }

  async stop(reason: EndReason): Promise<void> {
    this.#parts.estimates.forget(liquidEstimateKey);
    const { duty } = this.#parts.heater;
    if (duty > 0) this.#record.duty(duty, 0, { rule: endRule(reason) });
    await this.#parts.heater.release();
  }

  #limitsOf({ model }: NonNullable<TemperatureSetup['thermostat']>): HeatLimits {
    return lowerLimits(model, this.#parts.presentModel());
  }

  /** Whether the target had to be lowered, because the unit has a reactor now that bears less. */
  #heedModel(): boolean {
    const { thermostat } = this.#setup;
    const beforeC = this.#targetC;
    if (thermostat === undefined || limitTarget(beforeC, this.#limitsOf(thermostat)) === beforeC) return false;
    this.aim(beforeC);
    return true;
  }

  /** A sensor that falls silent while it heats is not found out only at the next rest. */
  async #watch(): Promise<void> {
    const { heater, thermometer, trouble } = this.#parts;
    if (this.#heedModel()) return this.#cycle();
    if (this.#isBusy || heater.duty === 0) return;
    const { clock, signal } = this.#context;
    try {
      await thermometer.readBoard();
      this.#sensorSeenMs = clock.monotonic();
    } catch (error) {
      signal.throwIfAborted();
      if (!isHardwareTrouble(error)) throw error;
      if (clock.monotonic() - this.#sensorSeenMs < longestSilenceMs || this.#isBusy) return;
      trouble.is(error);
      await this.#switchOff('The temperature sensor was silent for 20 s.');
    }
  }

  async #cycle(): Promise<void> {
    if (this.#isBusy || this.#isAsleep) return;
    this.#isBusy = true;
    const { signal } = this.#context;
    const naps = this.#naps;
    const goesOn = () => naps === this.#naps;
    const dutyBefore = this.#parts.heater.duty;
    try {
      const reading = await this.#measure(goesOn);
      this.#parts.trouble.over();
      if (reading !== undefined && goesOn()) await this.#take(reading, dutyBefore);
    } catch (error) {
      signal.throwIfAborted();
      if (!isHardwareTrouble(error)) throw error;
      this.#parts.trouble.is(error);
      // Nobody knows how warm it is: it must not get warmer.
      if (dutyBefore > 0) await this.#switchOff('The temperature could not be measured.', dutyBefore);
    } finally {
      this.#isBusy = false;
    }
  }

  async #measure(goesOn: () => boolean): Promise<LiquidReading | undefined> {
    const { heater, thermometer } = this.#parts;
    const { duty } = heater;
    if (duty === 0) return thermometer.readRested();
    const heatedS = (this.#context.clock.monotonic() - this.#heatingSinceMs) / 1000;
    await heater.set(0);
    return thermometer.readCooling(duty, heatedS, goesOn);
  }

  async #take(reading: LiquidReading, dutyBefore: number): Promise<void> {
    const { thermostat, trim } = this.#setup;
    const { celsius, estimatedC } = reading;
    const { clock } = this.#context;
    const atMs = clock.now();
    this.#parts.estimates.publish(liquidEstimateKey, {
      celsius: estimatedC,
      duty: dutyBefore,
      atMs: clock.monotonic(),
    });
    if (thermostat !== undefined) await this.#control(reading, dutyBefore, thermostat);
    const said = saidBeside(this.#isDistrusted ? ['sensor_doubtful'] : []);
    this.#context.reading({
      ...{ source: 'temperature', value: celsius, atMs, ...said },
      ...(trim && { context: { calibration_name: trim.name, calibration_hash: trim.hash } }),
    });
    this.#context.publish('temperature', { temperature: celsius, ...said, timestamp: toTimestamp(atMs) });
  }

  async #control(
    reading: LiquidReading,
    dutyBefore: number,
    thermostat: NonNullable<TemperatureSetup['thermostat']>,
  ): Promise<void> {
    const { celsius, hottestBoardC } = reading;
    // A sensor that shows much more than is wanted makes nothing hotter, whatever is wrong with it.
    if (!reading.fitsHeater && celsius < this.#targetC + farAboveC) await this.#distrust(reading, dutyBefore);
    if (this.#isDistrusted) return;
    const before = this.#wantedDuty;
    const step = thermostatStep(this.#thermostat, thermostat.gains, { targetC: this.#targetC, liquidC: celsius });
    this.#parts.showControl(this.#context, 'temperature', step.control);
    const demand = heatDemand(hottestBoardC, this.#limitsOf(thermostat));
    const wanted = Math.round(100 * limitDuty(demand, step.duty)) / 100;
    if (demand !== 'none') this.#sayLimit(demand, hottestBoardC);
    await this.#heat(wanted);
    this.#wantedDuty = this.#parts.heater.duty;
    // What was refused or not allowed must not add up meanwhile.
    if (this.#wantedDuty === step.duty) {
      this.#thermostat = step.state;
      this.#parts.rememberHeld({ targetC: this.#targetC, duty: step.state.heldDuty });
    }
    if (this.#wantedDuty !== before) this.#record.step(before, this.#wantedDuty, this.#targetC, celsius);
  }

  async #distrust({ estimatedC }: LiquidReading, duty: number): Promise<void> {
    this.#isDistrusted = true;
    this.#parts.showTrouble(troubleCodes.heat);
    const seen = `After heating at ${duty} % the heater's board did not cool down (${estimatedC} ℃)`;
    const check = 'Check that sensor and heater board sit below the vial, then put the job to sleep and wake it.';
    this.#context.log(
      'ERROR',
      `${seen}: its sensor is detached or stuck, or its heater is dead. Heating ends. ${check}`,
    );
    await this.#switchOff('The board did not cool down after heating: its sensor cannot be trusted.', duty);
    this.#wantedDuty = 0;
  }

  async #switchOff(rule: string, from = this.#parts.heater.duty): Promise<void> {
    await this.#heat(0);
    this.#record.duty(from, 0, { rule });
  }

  async #heat(duty: number): Promise<void> {
    const { heater } = this.#parts;
    const { clock } = this.#context;
    await heater.set(this.#setup.thermostat === undefined ? 0 : duty);
    this.#heatingSinceMs = clock.monotonic();
    // The guard has read it too, or it would have refused.
    if (heater.duty > 0) this.#sensorSeenMs = clock.monotonic();
    this.#context.publish('heater_duty_cycle', heater.duty);
    if (this.#setup.thermostat !== undefined) this.#context.reading({ source: 'heater_duty', value: heater.duty });
  }

  #sayLimit(demand: 'reduce' | 'disable' | 'shut_down', boardC: number): void {
    const nowMs = this.#context.clock.monotonic();
    const said = this.#limitSaid;
    if (said?.demand === demand && nowMs - said.atMs < limitSaidAgainMs) return;
    this.#limitSaid = { demand, atMs: nowMs };
    if (demand !== 'reduce') this.#parts.showTrouble(troubleCodes.heat);
    const what = demand === 'reduce' ? 'heating is reduced' : 'heating is switched off';
    const level = demand === 'reduce' ? 'WARNING' : 'ERROR';
    this.#context.log(level, `The heater's board is at ${boardC.toFixed(1)} ℃, beyond its limit: ${what}.`);
  }
}
