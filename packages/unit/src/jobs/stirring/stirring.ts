import type { Json } from '@lcs/contract';
import {
  countingSeconds,
  dutyAfterStall,
  firstDuty,
  type HeldDuty,
  kicksAfter,
  measuredRpm,
  speedStep,
  speedUpKick,
  stallKick,
  startedSpeed,
  startKick,
} from '@lcs/domain';
import { type JobContext, SettingRefused, toTimestamp } from '@lcs/platform';
import { type HeldOutput, whileAlive } from '../shared/job-hands.ts';
import { isHardwareTrouble, Trouble } from '../shared/trouble.ts';
import type { UnitDevices } from '../unit-devices.ts';
import { Motor } from './motor.ts';
import type { StirringConfig } from './stirring-config.ts';

/** Milliseconds from the start to the first look at the speed. */
const firstLookMs = 6_000;

/** Rest after kicks that did not help. */
const restAfterGivingUpMs = 600_000;

/** Counted for when nothing has to be held. */
const watchingSeconds = 4;

type Devices = Pick<UnitDevices, 'hall' | 'calibrationOf'>;

/** Turns the stirrer, holds its speed, and sees when it stands still. */
export class Stirring {
  readonly #context: JobContext;
  readonly #config: StirringConfig;
  readonly #devices: Devices;
  readonly #output: HeldOutput;
  readonly #motor: Motor;
  readonly #sensor: Trouble;
  readonly #driver: Trouble;
  /** Duty that was found right for a speed, so that coming back to it needs no search. */
  readonly #found = new Map<number, number>();
  #targetRpm: number | null;
  #speed: ReturnType<typeof startedSpeed>;
  #kicksMs: readonly number[] = [];
  #noKickUntilMs = Number.NEGATIVE_INFINITY;
  #isAsleep = false;
  #isMeasuring = false;

  constructor(context: JobContext, config: StirringConfig, devices: Devices, output: HeldOutput) {
    this.#context = context;
    this.#config = config;
    this.#devices = devices;
    this.#output = output;
    this.#motor = new Motor(context, output);
    this.#targetRpm = config.mode === 'control' ? config.targetRpm : null;
    this.#speed = startedSpeed(config.initialDuty);
    const goesOn = 'Stirring goes on with the duty it had.';
    this.#sensor = new Trouble(context, 'The speed cannot be measured.', `Check the speed sensor. ${goesOn}`);
    const retried = 'Check the board and its supply. It is tried again.';
    this.#driver = new Trouble(context, 'The stirrer cannot be driven.', retried);
  }

  /** RPM that is held; null when none is. */
  get targetRpm(): number | null {
    return this.#targetRpm;
  }

  /** Starts turning; what takes time goes on behind it. */
  begin(): void {
    this.#context.publish('target_rpm', this.#targetRpm);
    this.#speed = startedSpeed(this.#dutyFor(this.#targetRpm, true));
    this.#behind(() => this.#drive(this.#speed.duty, startKick));
    if (this.#config.mode === 'blind') return;
    const update = () => (this.#motor.isTold ? this.update() : undefined);
    this.#context.clock.after(firstLookMs, update);
    this.#context.repeat(this.#config.updateMs, update);
  }

  /** While it dodges, who moves it measures it too, and its changes are not told. */
  dodge(isOn: boolean): void {
    this.#motor.isTold = !isOn;
  }

  /** Measures once, and moves the duty towards the target. */
  async update(): Promise<void> {
    // Only one can count the sensor's pulses at a time.
    if (this.#isAsleep || this.#isMeasuring) return;
    const { orders } = this.#motor;
    this.#isMeasuring = true;
    const rpm = await this.#measure().finally(() => {
      this.#isMeasuring = false;
    });
    // What was measured while the duty changed says nothing about either duty.
    if (rpm === undefined || this.#isAsleep || orders !== this.#motor.orders) return;
    if (this.#config.mode !== 'control' || this.#targetRpm === null) return;
    if (rpm === 0 && this.#targetRpm > 0) return this.#freeFromStall();
    this.#speed = speedStep(this.#speed, this.#config.gains, { targetRpm: this.#targetRpm, measuredRpm: rpm });
    if (this.#targetRpm > 0) this.#found.set(this.#targetRpm, this.#speed.duty);
    await this.#drive(this.#speed.duty);
  }

  /** Holds another speed from now on. */
  aim(targetRpm: number): void {
    const isStarting = targetRpm > 0 && this.#motor.duty === 0;
    const duty = this.#dutyFor(targetRpm, false);
    this.#targetRpm = targetRpm;
    this.#speed = startedSpeed(duty);
    this.#noKickUntilMs = Number.NEGATIVE_INFINITY;
    if (!this.#isAsleep) this.#behind(() => this.#drive(duty, isStarting ? speedUpKick : []));
  }

  apply({ target_rpm: target, duty_cycle: duty }: Readonly<Record<string, Json>>): void {
    if (target !== undefined && this.#config.mode !== 'control')
      throw new SettingRefused('target_rpm', 'No speed is held in this mode: start stirring with use_rpm.');
    if (target === null) throw new SettingRefused('target_rpm', 'It cannot be empty while a speed is held.');
    if (typeof target === 'number') this.aim(target);
    if (typeof duty !== 'number') return;
    this.#speed = startedSpeed(duty);
    if (!this.#isAsleep) this.#behind(() => this.#drive(duty));
  }

  sleep(): void {
    this.#isAsleep = true;
    this.#behind(() => this.#drive(0));
    this.#tell(0);
  }

  wake(): void {
    this.#isAsleep = false;
    this.#noKickUntilMs = Number.NEGATIVE_INFINITY;
    const { duty } = this.#speed;
    this.#behind(() => this.#drive(duty, duty > 0 ? startKick : []));
  }

  stop(): Promise<void> {
    return this.#output.release();
  }

  /** Answers nothing when the sensor does not. */
  async #measure(): Promise<number | undefined> {
    const seconds = this.#config.mode === 'watch' ? watchingSeconds : countingSeconds(this.#targetRpm ?? 0);
    const { hall } = this.#devices;
    const { signal } = this.#context;
    try {
      const edgesUs = await whileAlive(signal, hall.measure(1000 * seconds, signal));
      this.#sensor.over();
      const rpm = measuredRpm(edgesUs.map((edgeUs) => edgeUs / 1e6));
      if (!this.#isAsleep) this.#tell(rpm);
      return rpm;
    } catch (error) {
      signal.throwIfAborted();
      if (!isHardwareTrouble(error)) throw error;
      this.#sensor.is(error);
      return undefined;
    }
  }

  #tell(rpm: number): void {
    const atMs = this.#context.clock.now();
    this.#context.reading({ source: 'stirring_rpm', value: rpm, atMs });
    this.#context.publish('measured_rpm', { measured_rpm: rpm, timestamp: toTimestamp(atMs) });
  }

  /** Kicks a few times; then drives on as it is, for a sensor that sees nothing must not stop a stirrer that turns. */
  async #freeFromStall(): Promise<void> {
    const nowMs = this.#context.clock.monotonic();
    if (nowMs < this.#noKickUntilMs) return;
    const { kicksMs, giveUp } = kicksAfter(this.#kicksMs, nowMs);
    this.#kicksMs = giveUp ? [] : kicksMs;
    if (giveUp) {
      this.#noKickUntilMs = nowMs + restAfterGivingUpMs;
      const check = 'Check that the bar lies in the vial, that it is free, and that the speed sensor is connected.';
      const next = `It is driven on at ${this.#motor.duty.toFixed(1)} % and kicked again in ten minutes.`;
      this.#context.log('ERROR', `No turn of the stirrer is seen, and kicks did not help. ${check} ${next}`);
      return;
    }
    this.#context.log('WARNING', 'The stirrer stands still although it is driven: it gets a kick.');
    this.#speed = startedSpeed(dutyAfterStall(this.#speed.duty));
    await this.#drive(this.#speed.duty, stallKick);
  }

  #dutyFor(targetRpm: number | null, isFirst: boolean): number {
    if (targetRpm === null) return this.#config.initialDuty;
    const known = this.#found.get(targetRpm);
    if (known !== undefined) return known;
    const calibrated = this.#devices.calibrationOf('stirring')?.dutyFor(targetRpm);
    return firstDuty(targetRpm, this.#presentDuty(calibrated, isFirst), calibrated);
  }

  /** At the start a calibration knows more about this stirrer than the configuration. */
  #presentDuty(calibrated: number | undefined, isFirst: boolean): number {
    const isGiven = typeof this.#context.options.duty_cycle === 'number';
    if (isFirst) return isGiven ? this.#config.initialDuty : (calibrated ?? this.#config.initialDuty);
    return this.#speed.duty > 0 ? this.#speed.duty : this.#config.initialDuty;
  }

  async #drive(duty: number, kicks: readonly HeldDuty[] = []): Promise<void> {
    try {
      await this.#motor.run(duty, kicks);
      this.#driver.over();
    } catch (error) {
      this.#context.signal.throwIfAborted();
      if (!isHardwareTrouble(error)) throw error;
      this.#driver.is(error);
    }
  }

  /** Nobody waits for a kick: callers are answered at once, and a failure ends the job as any other does. */
  #behind(work: () => Promise<void>): void {
    this.#context.clock.after(0, work);
  }
}
