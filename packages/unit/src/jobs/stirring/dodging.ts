import type { Json } from '@lcs/contract';
import type { JobContext } from '@lcs/platform';
import { type OpticalReading, type OpticalReadings, opticalReadingKey } from '../shared/optical-reading.ts';
import type { StirringConfig } from './stirring-config.ts';

/** Milliseconds that a reading takes at most, and that it takes to measure the speed. */
const readingMs = 1_000;
const lookMs = 1_300;

/** Milliseconds that a stirrer is given to reach a new speed: as many as there are, between these. */
const leastSettleMs = 1_000;
const mostSettleMs = 2_500;

/** At shorter intervals the culture is hardly stirred any more. */
const shortIntervalMs = 8_333;

/** The stirrer as dodging moves it. */
interface Stirrer {
  readonly targetRpm: number | null;
  /** Between two readings it changes its speed so often that nobody wants to hear of it. */
  dodge(isOn: boolean): void;
  aim(targetRpm: number): void;
  update(): Promise<void>;
}

/** Slows the stirrer down around each optical reading, when that is wished and readings are taken. */
export class Dodging {
  readonly #context: JobContext;
  readonly #config: StirringConfig;
  readonly #readings: OpticalReadings;
  readonly #stirrer: Stirrer;
  #isWished: boolean;
  #isAsleep = false;
  #duringRpm: number;
  #outsideRpm: number;
  #isOn = false;
  /** Interval about which something was said. */
  #saidOfMs: number | undefined;
  /** Whoever waits inside a turn stops when a newer one has begun. */
  #turns = 0;

  constructor(context: JobContext, config: StirringConfig, readings: OpticalReadings, stirrer: Stirrer) {
    this.#context = context;
    this.#config = config;
    this.#readings = readings;
    this.#stirrer = stirrer;
    this.#isWished = config.dodges;
    this.#duringRpm = config.duringRpm;
    this.#outsideRpm = config.outsideRpm;
  }

  begin(): void {
    this.#context.publish('enable_dodging_od', this.#isWished);
    this.#context.publish('currently_dodging_od', false);
    this.#context.listen(this.#readings, (news) => this.#take(news));
    this.#lookAgain();
  }

  /** Takes over its own settings; answers those that are left for the stirrer. */
  apply(values: Readonly<Record<string, Json>>): Readonly<Record<string, Json>> {
    const {
      enable_dodging_od: wished,
      target_rpm_during_od_reading: during,
      target_rpm_outside_od_reading: outside,
      target_rpm: target,
      ...others
    } = values;
    if (typeof during === 'number') this.#duringRpm = during;
    if (typeof outside === 'number') this.#outsideRpm = outside;
    if (typeof wished === 'boolean') this.#isWished = wished;
    if (wished !== undefined) this.#lookAgain();
    if (target === undefined) return others;
    if (!this.#isOn || typeof target !== 'number') return { ...others, target_rpm: target };
    // While it dodges the speed that people ask for is the one between the readings.
    this.#outsideRpm = target;
    this.#context.publish('target_rpm_outside_od_reading', target);
    return others;
  }

  sleep(): void {
    this.#isAsleep = true;
    this.#turns += 1;
  }

  wake(): void {
    this.#isAsleep = false;
    this.#lookAgain();
  }

  #lookAgain(): void {
    const latest = () => this.#readings.latest(opticalReadingKey) ?? { phase: 'off' as const };
    this.#context.clock.after(0, () => this.#take(latest()));
  }

  async #take(news: OpticalReading): Promise<void> {
    if (this.#isAsleep || news.phase === 'begun') return;
    this.#turns += 1;
    const turn = this.#turns;
    if (news.phase === 'off' || !this.#isWished || !this.#leavesTime(news.intervalMs)) return this.#end();
    this.#start();
    const { clock } = this.#context;
    await clock.sleep(this.#config.postDelayMs);
    if (turn !== this.#turns) return;
    this.#stirrer.aim(this.#outsideRpm);
    const quietAtMs = news.nextAtMs - this.#config.preDelayMs;
    const settleMs = Math.min(mostSettleMs, quietAtMs - clock.monotonic() - lookMs);
    if (settleMs >= leastSettleMs) {
      await clock.sleep(settleMs);
      if (turn === this.#turns) await this.#stirrer.update();
    }
    await clock.sleep(Math.max(0, quietAtMs - clock.monotonic()));
    if (turn === this.#turns) this.#stirrer.aim(this.#duringRpm);
  }

  #leavesTime(intervalMs: number): boolean {
    const { preDelayMs, postDelayMs, mode } = this.#config;
    const leaves = mode === 'control' && intervalMs - readingMs > preDelayMs + postDelayMs;
    if (this.#saidOfMs === intervalMs) return leaves;
    this.#saidOfMs = intervalMs;
    const every = `Readings every ${intervalMs / 1000} s`;
    if (mode !== 'control')
      this.#context.log('ERROR', 'Stirring cannot dodge readings without holding a speed: it goes on evenly.');
    else if (!leaves)
      this.#context.log('ERROR', `${every} leave no time to stir between them: stirring goes on evenly through them.`);
    else if (intervalMs < shortIntervalMs)
      this.#context.log('WARNING', `${every} leave little time to stir between them. Use a longer interval.`);
    return leaves;
  }

  #start(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    this.#stirrer.dodge(true);
    this.#context.publish('currently_dodging_od', true);
    this.#context.publish('target_rpm_during_od_reading', this.#duringRpm);
    this.#context.publish('target_rpm_outside_od_reading', this.#outsideRpm);
  }

  #end(): void {
    if (!this.#isOn) return;
    this.#isOn = false;
    this.#stirrer.dodge(false);
    this.#context.publish('currently_dodging_od', false);
    this.#context.publish('target_rpm_during_od_reading', null);
    this.#context.publish('target_rpm_outside_od_reading', null);
    this.#context.publish('target_rpm', this.#outsideRpm);
    this.#stirrer.aim(this.#outsideRpm);
  }
}
