import {
  initialTemperatureState,
  lowerLimits,
  type TemperatureEffect,
  type TemperatureEvent,
  type TemperatureNotice,
  type TemperatureState,
  temperatureStep,
} from '@lcs/domain';
import type { EndReason, JobContext, JobLogLevel } from '@lcs/node';
import { toTimestamp } from '@lcs/platform';
import { allOf } from '../shared/all-of.ts';
import { endRule } from '../shared/end-rule.ts';
import { faultCodes } from '../shared/fault-codes.ts';
import { type HardwareFault, isHardwareFault } from '../shared/hardware-fault.ts';
import { type LiquidEstimates, liquidEstimateKey } from '../shared/liquid-estimate.ts';
import { LogLimit } from '../shared/log-limit.ts';
import { flagsField } from '../shared/reading-flags.ts';
import type { UnitDevices } from '../unit-devices.ts';
import type { Heater } from './heater.ts';
import { HeatingRecord } from './heating-record.ts';
import type { LiquidInference } from './liquid-inference.ts';
import type { TemperatureSetup } from './temperature-setup.ts';
import type { Thermometer } from './thermometer.ts';

/** A board that was off for this time has the temperature of the liquid. Chosen: three times the slow part of its cooling. */
const coolAfterMs = 300_000;

/** A limit that keeps acting is logged again after this time. */
const limitLoggedAgainMs = 600_000;

interface Parts {
  readonly heater: Heater;
  readonly thermometer: Thermometer;
  readonly inference: LiquidInference;
  /** Between two measurements model and sensor are checked at this interval. */
  readonly checkEveryMs: number;
  readonly fault: HardwareFault;
  readonly estimates: LiquidEstimates;
  readonly showFault: UnitDevices['showFault'];
  readonly showControl: UnitDevices['showControl'];
  readonly recordEvent: UnitDevices['recordEvent'];
  /** The present model of the unit: it may have another reactor than at the start of the job. */
  readonly presentModel: UnitDevices['ownModel'];
}

/** Measures the temperature of the liquid and controls it: performs the effects of its state machine, and returns results to it. */
export class TemperatureAutomation {
  readonly #context: JobContext;
  readonly #setup: TemperatureSetup;
  readonly #parts: Parts;
  readonly #record: HeatingRecord;
  readonly #limitLog: LogLimit;
  #state: TemperatureState;

  constructor(context: JobContext, setup: TemperatureSetup, parts: Parts) {
    this.#context = context;
    this.#setup = setup;
    this.#parts = parts;
    this.#limitLog = new LogLimit(context.clock, limitLoggedAgainMs);
    this.#state = initialTemperatureState(setup.thermostat);
    const settings = () => (setup.thermostat === undefined ? {} : { target_temperature: this.#state.targetC });
    this.#record = new HeatingRecord(context, setup, settings, parts.recordEvent);
  }

  begin(): void {
    const { clock } = this.#context;
    const { periodS, samples, spacingS } = this.#setup.plan;
    const measure = () => this.#send({ kind: 'due' });
    this.#context.publish('heater_duty_cycle', 0);
    this.#record.settingsChanged();
    const isCool = this.#isCool();
    if (isCool) clock.after(0, measure);
    const coolingMs = 1000 * (samples - 1) * spacingS;
    clock.after(isCool ? 1000 * periodS - coolingMs : 0, () => {
      this.#context.repeat(1000 * periodS, measure);
      return measure();
    });
    if (this.#setup.thermostat !== undefined)
      this.#context.repeat(this.#parts.checkEveryMs, () => this.#send({ kind: 'check_due' }));
  }

  /** Holds another temperature, within the limits of the reactor. */
  setTarget(targetC: number): Promise<void> {
    return this.#send({ kind: 'set_target', targetC });
  }

  /** Resolves when the heater is off. */
  sleep(): Promise<void> {
    return this.#send({ kind: 'pause' });
  }

  wake(): Promise<void> {
    return this.#send({ kind: 'resume' });
  }

  /**
   * The guard has given the heater this duty (%) by itself. The estimate follows; the decisions do not, and the board must cool after the
   * requested heat: the guard rests a heater that it cannot see.
   */
  overridden(duty: number): void {
    // In the job's own time: a failure ends the job, not the guard's listener.
    this.#context.clock.after(0, () => {
      const { heater } = this.#parts;
      const from = heater.duty;
      if (duty === from) return;
      heater.overridden(duty);
      this.#showDuty();
      const rule = duty < from ? 'The guard holds the heater back.' : 'The guard has released the heater.';
      this.#record.duty(from, duty, { rule });
    });
  }

  async stop(reason: EndReason): Promise<void> {
    this.#parts.estimates.forget(liquidEstimateKey);
    await this.#send({ kind: 'stop', rule: endRule(reason) });
    await this.#parts.heater.release();
    this.#record.end();
  }

  /** Resolves when the heater is set; measurements continue afterwards. */
  #send(event: TemperatureEvent): Promise<void> {
    const { thermostat } = this.#setup;
    const limits = thermostat && lowerLimits(thermostat.model, this.#parts.presentModel());
    const nowMs = this.#context.clock.monotonic();
    const { state, effects } = temperatureStep(this.#state, { ...event, nowMs, limits }, thermostat);
    this.#state = state;
    const performed: Promise<void>[] = [];
    for (const effect of effects) {
      const lasting = this.#perform(effect);
      if (lasting !== undefined) performed.push(lasting);
    }
    return allOf(performed);
  }

  /** Undefined: it is done. */
  #perform(effect: TemperatureEffect): Promise<void> | undefined {
    const { clock } = this.#context;
    const { estimates, fault, showControl } = this.#parts;
    switch (effect.kind) {
      case 'measure':
        clock.after(0, () => this.#measure(effect));
        break;
      case 'read_board':
        clock.after(0, () => this.#readBoard());
        break;
      case 'heat':
        return this.#heat(effect.duty);
      case 'publish_estimate':
        estimates.publish(liquidEstimateKey, {
          celsius: effect.celsius,
          boardC: effect.boardC,
          duty: effect.duty,
          atMs: clock.monotonic(),
        });
        break;
      case 'report':
        this.#report(effect);
        break;
      case 'show_control':
        showControl(this.#context, 'temperature', effect.control);
        break;
      case 'record':
        this.#record.duty(effect.from, effect.to, { rule: effect.rule });
        break;
      case 'record_step':
        this.#record.step(effect.from, effect.to, effect.targetC, effect.celsius);
        break;
      case 'publish_target':
        // After the runtime has published the requested value.
        clock.after(0, () => this.#context.publish('target_temperature', effect.targetC));
        break;
      case 'record_settings':
        this.#record.settingsChanged();
        break;
      case 'notify':
        this.#notify(effect.notice);
        break;
      case 'log_fault':
        fault.set(effect.error);
        break;
    }
    return undefined;
  }

  /** Then one reading shows the temperature of the liquid. */
  #isCool(): boolean {
    return this.#parts.heater.offForMs >= coolAfterMs;
  }

  async #measure({ duty, heatedS }: Extract<TemperatureEffect, { kind: 'measure' }>): Promise<void> {
    const { heater, thermometer, inference, fault } = this.#parts;
    const mayContinue = () => this.#state.activity.kind === 'measuring';
    const measured = async (): Promise<TemperatureEvent> => {
      const isCool = this.#isCool();
      if (heater.isRequested) await heater.set(0);
      inference.follow(heater.duty);
      const readings = await thermometer.readPause(mayContinue, isCool ? 1 : undefined);
      fault.clear();
      const reading = readings && inference.after(readings, duty, heatedS);
      return reading === undefined ? { kind: 'abandoned' } : { kind: 'measured', reading };
    };
    await this.#send(await this.#orFault(measured, (error) => ({ kind: 'measurement_failed', error })));
  }

  async #readBoard(): Promise<void> {
    const seen = async (): Promise<TemperatureEvent> => {
      await this.#parts.thermometer.readBoard();
      return { kind: 'sensor_seen' };
    };
    await this.#send(await this.#orFault(seen, (error) => ({ kind: 'sensor_silent', error })));
  }

  /** The event of an operation, or that of the hardware fault that ended it. */
  async #orFault(
    operation: () => Promise<TemperatureEvent>,
    failed: (error: Error) => TemperatureEvent,
  ): Promise<TemperatureEvent> {
    try {
      return await operation();
    } catch (error) {
      this.#context.signal.throwIfAborted();
      if (!isHardwareFault(error)) throw error;
      return failed(error);
    }
  }

  async #heat(duty: number): Promise<void> {
    const { heater } = this.#parts;
    await heater.set(this.#setup.thermostat === undefined ? 0 : duty);
    this.#showDuty();
    await this.#send({ kind: 'driven', duty: heater.duty });
  }

  #showDuty(): void {
    const { duty } = this.#parts.heater;
    this.#parts.inference.follow(duty);
    this.#context.publish('heater_duty_cycle', duty);
    if (this.#setup.thermostat !== undefined) this.#context.reading({ source: 'heater_duty', value: duty });
  }

  #report({ celsius, flags }: Extract<TemperatureEffect, { kind: 'report' }>): void {
    const { trim } = this.#setup;
    const atMs = this.#context.clock.now();
    const context = trim && { calibration_name: trim.name, calibration_hash: trim.hash };
    this.#context.reading({
      source: 'temperature',
      value: celsius,
      atMs,
      ...flagsField(flags),
      ...(context && { context }),
    });
    this.#context.publish('temperature', { temperature: celsius, ...flagsField(flags), timestamp: toTimestamp(atMs) });
  }

  #notify(notice: TemperatureNotice): void {
    const { showFault } = this.#parts;
    if (notice.code === 'sensor_doubtful') showFault(faultCodes.heat);
    if (notice.code === 'board_hot') {
      if (!this.#limitLog.isDue(notice.demand)) return;
      if (notice.demand !== 'reduce') showFault(faultCodes.heat);
    }
    this.#context.log(...noticeText(notice));
  }
}

function noticeText(notice: TemperatureNotice): readonly [JobLogLevel, string] {
  switch (notice.code) {
    case 'target_lowered':
      return ['WARNING', `The target is ${notice.targetC} °C: this reactor allows no ${notice.requestedC} °C.`];
    case 'sensor_doubtful': {
      const seen = `After heating at ${notice.duty} % the heater's board did not cool down (${notice.boardC} °C)`;
      const check = 'Check that sensor and heater board sit below the vial. Then pause and resume the job.';
      return ['ERROR', `${seen}: its sensor is detached or stuck, or its heater is dead. Heating ends. ${check}`];
    }
    case 'board_hot': {
      const { demand, boardC } = notice;
      const action = demand === 'reduce' ? 'The job reduces heating' : 'The job switches the heater off';
      const level = demand === 'reduce' ? 'WARNING' : 'ERROR';
      return [level, `The heater's board is at ${boardC.toFixed(1)} °C, beyond its limit. ${action}.`];
    }
  }
}
