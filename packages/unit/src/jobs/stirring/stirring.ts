import type { Json } from '@lcs/contract';
import {
  initialQuietPeriods,
  initialStirrerState,
  isAlternating,
  isTooSlowToMeasure,
  measuredRpm,
  type OpticalReading,
  type QuietPeriodEffect,
  type QuietPeriodEvent,
  type QuietPeriodState,
  quietPeriodStep,
  type StirrerEffect,
  type StirrerEvent,
  type StirrerState,
  slowestMeasuredRpm,
  stirrerStep,
} from '@lcs/domain';
import { type EndReason, type JobContext, SettingRefused, whileRunning } from '@lcs/node';
import { toTimestamp } from '@lcs/platform';
import { endRule } from '../shared/end-rule.ts';
import { faultCodes } from '../shared/fault-codes.ts';
import { HardwareFault, isHardwareFault } from '../shared/hardware-fault.ts';
import type { HeldOutput } from '../shared/held-output.ts';
import { opticalReadingKey } from '../shared/optical-reading.ts';
import { PhaseTimer } from '../shared/phase-timer.ts';
import { flagsField } from '../shared/reading-flags.ts';
import type { UnitDevices } from '../unit-devices.ts';
import { StirrerRecord } from './stirrer-record.ts';
import type { StirringConfig } from './stirring-config.ts';
import { logQuietPeriodNotice, logStirrerNotice } from './stirring-notices.ts';

type Devices = Pick<
  UnitDevices,
  'hallSensor' | 'calibrationOf' | 'opticalReadings' | 'showFault' | 'showControl' | 'recordEvent'
>;

/** Drives the stirrer: performs the effects of its two state machines, and returns results to them. */
export class Stirring {
  readonly #context: JobContext;
  readonly #config: StirringConfig;
  readonly #devices: Devices;
  readonly #output: HeldOutput;
  readonly #record: StirrerRecord;
  readonly #sensorFault: HardwareFault;
  readonly #driverFault: HardwareFault;
  readonly #timer: PhaseTimer;
  readonly #quietTimer: PhaseTimer;
  readonly #startTimer: PhaseTimer;
  readonly #parameters: Parameters<typeof stirrerStep>[2];
  readonly #quietParameters: Parameters<typeof quietPeriodStep>[2];
  #stirrer: StirrerState;
  #quiet: QuietPeriodState;

  constructor(context: JobContext, config: StirringConfig, devices: Devices, output: HeldOutput) {
    this.#context = context;
    this.#config = config;
    this.#devices = devices;
    this.#output = output;
    this.#record = new StirrerRecord(context, devices.recordEvent);
    const check = 'Check the speed sensor. Stirring continues with the same duty.';
    this.#sensorFault = new HardwareFault(context, 'The speed cannot be measured.', check);
    const supply = 'Check the board and its supply. The job tries again.';
    this.#driverFault = new HardwareFault(context, 'The stirrer cannot be driven.', supply);
    this.#timer = new PhaseTimer(context.clock, () => this.#send({ kind: 'timer' }));
    this.#quietTimer = new PhaseTimer(context.clock, () => this.#sendQuiet({ kind: 'timer' }));
    this.#startTimer = new PhaseTimer(context.clock, () => this.wake());
    const calibratedDuty = (rpm: number) => devices.calibrationOf('stirring')?.dutyFor(rpm);
    this.#parameters = { ...config, calibratedDuty };
    this.#quietParameters = { ...config, controlsSpeed: config.mode === 'control' };
    this.#stirrer = initialStirrerState(this.#parameters);
    this.#quiet = initialQuietPeriods(config);
  }

  /** Starts the motor after the job is ready, unless the job is paused by then. */
  begin(): void {
    const { targetRpm } = this.#stirrer;
    const { duringRpm, outsideRpm } = this.#quiet;
    this.#warnOfSlow(this.#quiet.isEnabled ? [duringRpm, outsideRpm] : [targetRpm]);
    this.#context.publish('target_rpm', this.#stirrer.targetRpm);
    this.#context.publish('enable_dodging_od', this.#quiet.isEnabled);
    this.#context.publish('currently_dodging_od', isAlternating(this.#quiet));
    this.#context.listen(this.#devices.opticalReadings, () => this.#sendQuiet({ kind: 'optical_reading' }));
    this.#startTimer.start(0);
    if (this.#config.mode !== 'blind')
      this.#context.repeat(this.#config.updateMs, () => this.#send({ kind: 'due', by: 'schedule' }));
  }

  /** @throws SettingRefused for a target without speed control */
  apply(values: Readonly<Record<string, Json>>): void {
    const { target_rpm: target, duty_cycle: duty } = values;
    if (target !== undefined && this.#config.mode !== 'control')
      throw new SettingRefused('target_rpm', 'No speed is controlled in this mode: start stirring with use_rpm.');
    if (target === null) throw new SettingRefused('target_rpm', 'It must not be empty while the speed is controlled.');
    const {
      enable_dodging_od: isEnabled,
      target_rpm_during_od_reading: duringRpm,
      target_rpm_outside_od_reading: outsideRpm,
    } = values;
    const settings = {
      ...(typeof isEnabled === 'boolean' && { isEnabled }),
      ...(typeof duringRpm === 'number' && { duringRpm }),
      ...(typeof outsideRpm === 'number' && { outsideRpm }),
    };
    this.#warnOfSlow([target, duringRpm, outsideRpm]);
    this.#sendQuiet({ kind: 'set', settings, ...(typeof target === 'number' && { targetRpm: target }) });
    if (typeof duty === 'number') this.#send({ kind: 'set_duty', duty });
  }

  /** The motor would be taken for standing still, and kicked again and again. */
  #warnOfSlow(targetsRpm: readonly unknown[]): void {
    if (this.#config.mode !== 'control') return;
    const slow = targetsRpm.find((rpm) => typeof rpm === 'number' && isTooSlowToMeasure(rpm));
    if (slow !== undefined)
      this.#context.log(
        'WARNING',
        `A target of ${String(slow)} RPM is slower than the sensor can measure (${slowestMeasuredRpm} RPM): the stirrer counts as stalled. Set 0 to stop it, or a higher speed.`,
      );
  }

  sleep(): void {
    this.#startTimer.cancel();
    this.#sendQuiet({ kind: 'pause' });
    this.#send({ kind: 'pause' });
  }

  wake(): void {
    this.#send({ kind: 'resume' });
    this.#sendQuiet({ kind: 'resume' });
  }

  stop(reason: EndReason): Promise<void> {
    this.#send({ kind: 'stop', rule: endRule(reason) });
    return this.#output.release();
  }

  #situation(): { readonly nowMs: number; readonly optical: OpticalReading } {
    const optical = this.#devices.opticalReadings.latest(opticalReadingKey) ?? { phase: 'off' };
    return { nowMs: this.#context.clock.monotonic(), optical };
  }

  #send(event: StirrerEvent): void {
    const before = this.#stirrer.activity;
    const { state, effects } = stirrerStep(this.#stirrer, { ...event, ...this.#situation() }, this.#parameters);
    this.#stirrer = state;
    if (state.activity !== before) this.#timer.cancel();
    for (const effect of effects) this.#perform(effect);
  }

  #sendQuiet(event: QuietPeriodEvent): void {
    const before = this.#quiet.phase;
    const { state, effects } = quietPeriodStep(this.#quiet, { ...event, ...this.#situation() }, this.#quietParameters);
    this.#quiet = state;
    if (state.phase !== before) this.#quietTimer.cancel();
    for (const effect of effects) this.#performQuiet(effect);
  }

  #perform(effect: StirrerEffect): void {
    const { clock } = this.#context;
    switch (effect.kind) {
      case 'drive':
        // A failure that is not a hardware fault ends the job, as in any of its timers.
        clock.after(0, () => this.#drive(effect.duty));
        break;
      case 'timer':
        this.#timer.start(effect.ms);
        break;
      case 'measure':
        clock.after(0, () => this.#measure(effect.seconds));
        break;
      case 'publish':
        this.#context.publish(effect.setting, effect.value);
        break;
      case 'report':
        this.#report(effect);
        break;
      case 'record':
        this.#record.actuation(effect, this.#devices.calibrationOf('stirring')?.name);
        break;
      case 'show_control':
        this.#devices.showControl(this.#context, 'rpm', effect.control);
        break;
      case 'notify':
        this.#devices.showFault(faultCodes.stirring);
        logStirrerNotice(this.#context, effect.notice);
        break;
      case 'pause_job':
        this.#context.rest();
        break;
    }
  }

  #performQuiet(effect: QuietPeriodEffect): void {
    switch (effect.kind) {
      case 'timer':
        this.#quietTimer.start(effect.ms);
        break;
      case 'set_target':
        this.#send({ kind: 'set_target', rpm: effect.rpm });
        break;
      case 'measure':
        this.#send({ kind: 'due', by: 'quiet_period' });
        break;
      case 'set_changes':
        this.#send({ kind: 'set_changes', changes: effect.changes });
        break;
      case 'publish':
        this.#context.publish(effect.setting, effect.value);
        break;
      case 'notify':
        logQuietPeriodNotice(this.#context, effect);
        break;
    }
  }

  async #drive(duty: number): Promise<void> {
    try {
      await this.#output.set(duty);
      this.#driverFault.clear();
    } catch (error) {
      this.#context.signal.throwIfAborted();
      if (!isHardwareFault(error)) throw error;
      this.#driverFault.set(error);
    }
  }

  async #measure(seconds: number): Promise<void> {
    const rpm = await this.#countTurns(seconds);
    this.#send(rpm === undefined ? { kind: 'measurement_failed' } : { kind: 'measured', rpm });
  }

  /** RPM; undefined: the sensor does not respond. */
  async #countTurns(seconds: number): Promise<number | undefined> {
    const { signal } = this.#context;
    try {
      const edgesUs = await whileRunning(signal, this.#devices.hallSensor.measure(1000 * seconds, signal));
      this.#sensorFault.clear();
      return measuredRpm(edgesUs.map((edgeUs) => edgeUs / 1e6));
    } catch (error) {
      signal.throwIfAborted();
      if (!isHardwareFault(error)) throw error;
      this.#sensorFault.set(error);
      return undefined;
    }
  }

  #report({ rpm, flags }: Extract<StirrerEffect, { kind: 'report' }>): void {
    const atMs = this.#context.clock.now();
    this.#context.reading({ source: 'stirring_rpm', value: rpm, atMs, ...flagsField(flags) });
    const published = { measured_rpm: rpm, ...flagsField(flags), timestamp: toTimestamp(atMs) };
    this.#context.publish('measured_rpm', published);
  }
}
