import type { Json } from '@lcs/contract';
import {
  countingSeconds,
  dutyAfterStall,
  type HeldDuty,
  initialDuty,
  initialSearch,
  initialSpeedState,
  isBarLoose,
  isImplausibleChange,
  measuredRpm,
  type ObservedSpeed,
  proportionalDuty,
  recordKick,
  recouplingKick,
  searchCountingSeconds,
  searchStep,
  speedStep,
  speedUpKick,
  stallKick,
  startKick,
} from '@lcs/domain';
import { type EndReason, type JobContext, SettingRefused, toTimestamp } from '@lcs/platform';
import { endRule } from '../shared/end-rule.ts';
import { type HeldOutput, whileAlive } from '../shared/job-hands.ts';
import { opticalReadingKey } from '../shared/optical-reading.ts';
import { saidBeside } from '../shared/said-beside.ts';
import { isHardwareTrouble, Trouble } from '../shared/trouble.ts';
import { troubleCodes } from '../shared/trouble-codes.ts';
import type { UnitDevices } from '../unit-devices.ts';
import { Motor } from './motor.ts';
import { StirrerRecord } from './stirrer-record.ts';
import type { StirringConfig } from './stirring-config.ts';

/** Milliseconds that a stirrer is given to slow down after a kick, and to follow a change while a speed is looked for. */
const afterKickMs = 2_200;
const afterChangeMs = 1_400;

/** Somebody else still counts. */
const waitForSensorMs = 200;

/** After attempts to bring a loose bar back that did not help. */
const restAfterLooseMs = 600_000;

/** A kick this near before an optical reading would be seen in it; so long it lasts, with the stirrer settled. */
const nearReadingMs = 2_000;

/** Counted for when nothing has to be held. */
const watchingSeconds = 4;

type Devices = Pick<UnitDevices, 'hall' | 'calibrationOf' | 'opticalReadings' | 'showTrouble' | 'showControl' | 'tell'>;

/** Turns the stirrer, holds its speed, and sees when it stands still or has lost its bar. */
export class Stirring {
  readonly #context: JobContext;
  readonly #config: StirringConfig;
  readonly #devices: Devices;
  readonly #output: HeldOutput;
  readonly #motor: Motor;
  readonly #record: StirrerRecord;
  readonly #sensor: Trouble;
  readonly #driver: Trouble;
  /** Duty that was found right for a speed, so that coming back to it needs no search. */
  readonly #found = new Map<number, number>();
  #targetRpm: number | null;
  #speed: ReturnType<typeof initialSpeedState>;
  /** Of the stirrer with its bar: what a speed is compared with to see that the bar is lost. */
  #coupled: ObservedSpeed | undefined;
  #kicksMs: readonly number[] = [];
  #looseMs: readonly number[] = [];
  #acceptsLooseUntilMs = Number.NEGATIVE_INFINITY;
  #isAsleep = false;
  #isMeasuring = false;
  /** Whoever looks for a speed stops when another one is wanted. */
  #searches = 0;
  #isSearching = false;

  constructor(context: JobContext, config: StirringConfig, devices: Devices, output: HeldOutput) {
    this.#context = context;
    this.#config = config;
    this.#devices = devices;
    this.#output = output;
    this.#motor = new Motor(context, output);
    this.#record = new StirrerRecord(context, devices.tell);
    this.#targetRpm = config.mode === 'control' ? config.targetRpm : null;
    this.#speed = initialSpeedState(config.initialDuty);
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
    this.#speed = initialSpeedState(this.#dutyFor(this.#targetRpm, true));
    this.#behind(async () => {
      // After a restart it may sleep from the start.
      if (this.#isAsleep) return;
      this.#recordWish(0);
      const { duty } = this.#speed;
      await this.#goTo(duty, duty > 0 ? startKick : []);
    });
    if (this.#config.mode === 'blind') return;
    this.#context.repeat(this.#config.updateMs, () => (this.#motor.isTold ? this.update() : undefined));
  }

  /** While it dodges, who moves it measures it too, and its changes are not told. */
  dodge(isOn: boolean): void {
    this.#motor.isTold = !isOn;
  }

  /** Measures once, and moves the duty towards the target. */
  async update(): Promise<void> {
    // Only one can count the sensor's pulses at a time.
    if (this.#isAsleep || this.#isMeasuring || this.#isSearching) return;
    const seconds = this.#config.mode === 'watch' ? watchingSeconds : countingSeconds(this.#targetRpm ?? 0);
    const rpm = await this.#lookAgainIfSurprised(seconds);
    if (rpm === undefined || this.#config.mode !== 'control' || this.#targetRpm === null) return;
    if (rpm === 0 && this.#targetRpm > 0) return this.#freeFromStall();
    this.#kicksMs = [];
    const { duty } = this.#motor;
    if (this.#isLooseAt(duty, rpm)) return this.#recouple(rpm);
    this.#speed = speedStep(this.#speed, this.#config.gains, { targetRpm: this.#targetRpm, measuredRpm: rpm });
    const { control } = this.#speed;
    if (control !== undefined) this.#devices.showControl(this.#context, 'rpm', control);
    if (this.#targetRpm > 0) {
      this.#found.set(this.#targetRpm, this.#speed.duty);
      // A bar that is lost for good must not be taken for the usual.
      if (this.#looseMs.length === 0) this.#coupled = { duty, rpm };
    }
    await this.#drive(this.#speed.duty);
  }

  /** Holds another speed from now on. */
  aim(targetRpm: number): void {
    const isStarting = targetRpm > 0 && this.#motor.duty === 0;
    const duty = this.#dutyFor(targetRpm, false);
    const before = this.#targetRpm;
    this.#targetRpm = targetRpm;
    this.#speed = initialSpeedState(duty);
    this.#kicksMs = [];
    if (this.#motor.isTold && before !== targetRpm) this.#recordWish(before ?? 0);
    if (!this.#isAsleep) this.#behind(() => this.#goTo(duty, isStarting ? speedUpKick : []));
  }

  apply({ target_rpm: target, duty_cycle: duty }: Readonly<Record<string, Json>>): void {
    if (target !== undefined && this.#config.mode !== 'control')
      throw new SettingRefused('target_rpm', 'No speed is held in this mode: start stirring with use_rpm.');
    if (target === null) throw new SettingRefused('target_rpm', 'It cannot be empty while a speed is held.');
    if (typeof target === 'number') this.aim(target);
    if (typeof duty !== 'number') return;
    this.#record.duty(this.#motor.duty, duty);
    this.#speed = initialSpeedState(duty);
    if (!this.#isAsleep) this.#behind(() => this.#drive(duty));
  }

  sleep(): void {
    if (!this.#isAsleep && this.#motor.orders > 0)
      this.#record.speed(this.#targetRpm ?? 0, 0, { rule: 'The job sleeps.' });
    this.#isAsleep = true;
    this.#endSearch();
    this.#behind(() => (this.#config.mode === 'control' ? this.#drive(0) : this.#met(() => this.#motor.rest())));
    this.#tell(0);
  }

  wake(): void {
    this.#isAsleep = false;
    this.#kicksMs = [];
    const { duty } = this.#speed;
    this.#recordWish(0);
    this.#behind(() => this.#goTo(duty, duty > 0 ? startKick : []));
  }

  stop(reason: EndReason): Promise<void> {
    if (!this.#isAsleep && this.#motor.duty > 0) {
      const rule = endRule(reason);
      if (this.#targetRpm === null) this.#record.duty(this.#motor.duty, 0, { rule });
      else this.#record.speed(this.#targetRpm, 0, { rule });
    }
    return this.#output.release();
  }

  /** Drives, and finds the duty for the wanted speed. */
  async #goTo(duty: number, kicks: readonly HeldDuty[]): Promise<void> {
    this.#endSearch();
    await this.#drive(duty, kicks);
    if (this.#config.mode === 'control' && this.#motor.isTold && (this.#targetRpm ?? 0) > 0) await this.#find();
  }

  #endSearch(): void {
    this.#searches += 1;
    this.#isSearching = false;
  }

  async #find(): Promise<void> {
    const number = this.#searches;
    const goesOn = () => number === this.#searches && !this.#isAsleep;
    const { clock } = this.#context;
    let search = initialSearch;
    this.#isSearching = true;
    try {
      await clock.sleep(afterKickMs);
      while (goesOn()) {
        if (this.#isMeasuring) await clock.sleep(waitForSensorMs);
        else {
          const targetRpm = this.#targetRpm ?? 0;
          const rpm = await this.#look(searchCountingSeconds(targetRpm));
          // Who does not turn, or is not seen to, is left to the looks that come regularly.
          if (!goesOn() || rpm === undefined || rpm === 0) return;
          const step = searchStep(search, { targetRpm, measuredRpm: rpm, duty: this.#speed.duty });
          search = step.search;
          this.#speed = initialSpeedState(step.duty);
          await this.#drive(step.duty);
          if (step.isOver) return this.#rememberFound(targetRpm, rpm);
          await clock.sleep(afterChangeMs);
        }
      }
    } finally {
      if (number === this.#searches) this.#isSearching = false;
    }
  }

  #rememberFound(targetRpm: number, rpm: number): void {
    this.#found.set(targetRpm, this.#speed.duty);
    this.#coupled = { duty: this.#speed.duty, rpm };
  }

  /** Something may have happened in the middle of a look: what would follow from it is seen by the next one. */
  async #lookAgainIfSurprised(seconds: number): Promise<number | undefined> {
    const rpm = await this.#look(seconds);
    if (rpm === undefined || rpm === 0 || !isImplausibleChange(this.#coupled, { duty: this.#motor.duty, rpm }))
      return rpm;
    return this.#look(seconds);
  }

  /** RPM now; undefined when the sensor does not answer, or something has changed meanwhile. */
  async #look(seconds: number): Promise<number | undefined> {
    const { orders } = this.#motor;
    this.#isMeasuring = true;
    const rpm = await this.#measure(seconds).finally(() => {
      this.#isMeasuring = false;
    });
    // What was measured while the duty changed says nothing about either duty.
    return this.#isAsleep || orders !== this.#motor.orders ? undefined : rpm;
  }

  async #measure(seconds: number): Promise<number | undefined> {
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
    const said = saidBeside(this.#looseMs.length > 0 ? ['bar_loose'] : []);
    this.#context.reading({ source: 'stirring_rpm', value: rpm, atMs, ...said });
    this.#context.publish('measured_rpm', { measured_rpm: rpm, ...said, timestamp: toTimestamp(atMs) });
  }

  /** Kicks a few times; then rests, for whoever has to look at it: a motor that cannot turn only gets hot. */
  async #freeFromStall(): Promise<void> {
    const { clock, log } = this.#context;
    const { kicksMs, giveUp } = recordKick(this.#kicksMs, clock.monotonic());
    this.#kicksMs = giveUp ? [] : kicksMs;
    this.#devices.showTrouble(troubleCodes.stirring);
    if (giveUp) {
      const check = 'Check that the bar lies in the vial, that it is free, and that the speed sensor is connected.';
      log('ERROR', `No turn of the stirrer is seen, and kicks did not help: stirring sleeps. ${check} Then wake it.`);
      return this.#context.rest();
    }
    log('WARNING', 'The stirrer stands still although it is driven: it gets a kick.');
    this.#record.speed(0, this.#targetRpm ?? 0, { rule: 'It stood still and gets a kick.', rpm: 0 });
    await this.#sleepPastReading();
    this.#speed = initialSpeedState(dutyAfterStall(this.#speed.duty));
    if (!this.#isAsleep) await this.#drive(this.#speed.duty, stallKick);
  }

  /** Without a bar the motor turns faster at the same duty. */
  #isLooseAt(duty: number, rpm: number): boolean {
    if (this.#context.clock.monotonic() < this.#acceptsLooseUntilMs) return false;
    const isNow = isBarLoose(this.#coupled, { duty, rpm });
    if (!isNow) this.#looseMs = [];
    return isNow;
  }

  async #recouple(rpm: number): Promise<void> {
    const nowMs = this.#context.clock.monotonic();
    const { kicksMs, giveUp } = recordKick(this.#looseMs, nowMs);
    this.#looseMs = kicksMs;
    this.#devices.showTrouble(troubleCodes.stirring);
    const seen = `The stirrer turns at ${rpm.toFixed(0)} RPM, much faster than before at the same duty`;
    if (giveUp) {
      const check = 'Check that there is a stir bar in the vial. The motor is held at its speed meanwhile.';
      this.#context.log('ERROR', `${seen}: its bar is lost, and letting go of it did not help. ${check}`);
      this.#acceptsLooseUntilMs = nowMs + restAfterLooseMs;
      return;
    }
    this.#context.log('WARNING', `${seen}: its bar seems to be loose, so it is let go and taken up again.`);
    this.#record.speed(rpm, this.#targetRpm ?? 0, { rule: 'The bar seemed loose and is taken up again.', rpm });
    await this.#sleepPastReading();
    if (!this.#isAsleep) await this.#drive(this.#speed.duty, recouplingKick);
  }

  /** An optical reading that is near or under way is waited for. */
  async #sleepPastReading(): Promise<void> {
    const news = this.#devices.opticalReadings.latest(opticalReadingKey);
    if (news === undefined || news.phase === 'off') return;
    const { clock } = this.#context;
    const untilMs = news.phase === 'begun' ? 0 : news.nextAtMs - clock.monotonic();
    if (untilMs <= nearReadingMs) await clock.sleep(Math.max(0, untilMs) + nearReadingMs);
  }

  #dutyFor(targetRpm: number | null, isFirst: boolean): number {
    if (targetRpm === null) return this.#config.initialDuty;
    const known = this.#found.get(targetRpm);
    if (known !== undefined) return known;
    const calibrated = this.#devices.calibrationOf('stirring')?.dutyFor(targetRpm);
    if (calibrated === undefined && this.#coupled !== undefined && targetRpm > 0)
      return proportionalDuty(targetRpm, this.#coupled);
    return initialDuty(targetRpm, this.#presentDuty(calibrated, isFirst), calibrated);
  }

  /** At the start a calibration knows more about this stirrer than the configuration. */
  #presentDuty(calibrated: number | undefined, isFirst: boolean): number {
    const { givenDuty, initialDuty } = this.#config;
    if (isFirst) return givenDuty ?? calibrated ?? initialDuty;
    return this.#speed.duty > 0 ? this.#speed.duty : this.#config.initialDuty;
  }

  #recordWish(fromRpm: number): void {
    const calibration = this.#devices.calibrationOf('stirring')?.name;
    if (this.#targetRpm === null) this.#record.duty(0, this.#speed.duty);
    else this.#record.speed(fromRpm, this.#targetRpm, { ...(calibration !== undefined && { calibration }) });
  }

  #drive(duty: number, kicks: readonly HeldDuty[] = []): Promise<void> {
    return this.#met(() => this.#motor.run(duty, kicks));
  }

  /** A fault of the board passes. */
  async #met(work: () => Promise<void>): Promise<void> {
    try {
      await work();
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
