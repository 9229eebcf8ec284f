import type { Json } from '@lcs/contract';
import type { DosingSignal, ReadingBehind } from '@lcs/domain';
import type { JobContext, JobReading } from '@lcs/platform';
import { numberIn } from './number-in.ts';
import type { SignalPlace } from './signal-place.ts';

/** A reading that a rule needs is not there, or too old; the message is one sentence. */
export class ReadingMissing extends Error {
  /** The job that makes it has hardly begun: nothing is wrong yet. */
  readonly isEarly: boolean;

  constructor(message: string, isEarly = false) {
    super(message);
    this.isEarly = isEarly;
    this.name = 'ReadingMissing';
  }
}

/** Nothing is dosed by what was measured longer ago than this. */
export const staleAfterMs = 300_000;

/** Flags that say something else than that the value is wrong. A saturated signal is at least as high as it says. */
const harmless: ReadonlySet<string> = new Set(['simulated', 'unsynced', 'moved', 'corrected', 'saturated']);

/** A flagged reading (bubbles, the vial is out, the lamp fails) must not move liquid. */
export const isTrusted = ({ flags = [] }: Pick<JobReading, 'flags'>): boolean =>
  flags.every((flag) => harmless.has(flag));

type Context = Pick<JobContext, 'topics' | 'listen' | 'clock'>;

interface Followed {
  /** For people. */
  readonly name: string;
  /** The job that makes it. */
  readonly maker: string;
  readonly end: () => void;
  /** Milliseconds of the monotonic clock since which it is followed. */
  readonly sinceMs: number;
  newest?: {
    readonly reading: ReadingBehind;
    /** Milliseconds of the monotonic clock: the clock of the unit may be set meanwhile. */
    readonly heardAtMs: number;
  };
}

const growthSources: ReadonlySet<string> = new Set(['od_filtered', 'growth_rate']);

/** The newest readings that rules look at. */
export class FreshReadings {
  readonly #context: Context;
  readonly #followed = new Map<DosingSignal, Followed>();
  readonly #waiting = new Set<() => void>();

  constructor(context: Context) {
    this.#context = context;
  }

  /**
   * Follows a signal from now on, at another place than before perhaps. `takesLatest`: a reading that was told before counts
   * too, if it is not too old. `onFresh` hears of what is told anew only.
   */
  follow(
    signal: DosingSignal,
    place: SignalPlace,
    takesLatest: boolean,
    onFresh: () => void | Promise<void> = () => {},
  ): void {
    this.#followed.get(signal)?.end();
    const keep = (reading: ReadingBehind) => {
      followed.newest = { reading, heardAtMs: this.#context.clock.monotonic() };
      for (const wake of [...this.#waiting]) wake();
      return onFresh();
    };
    const followed: Followed =
      place.from === 'setting' ? this.#ofSetting(place, keep) : this.#ofReading(place, keep, takesLatest);
    this.#followed.set(signal, followed);
  }

  /** @throws ReadingMissing */
  take(signal: DosingSignal): ReadingBehind {
    const nowMs = this.#context.clock.monotonic();
    const { name = signal, maker = '', sinceMs = nowMs, newest } = this.#followed.get(signal) ?? {};
    if (newest === undefined) {
      const isEarly = this.#isRunning(maker) && nowMs - sinceMs < staleAfterMs;
      const advice = isEarly ? `${maker} has to tell one first.` : this.#advice(maker);
      throw new ReadingMissing(`There is no reading of ${name} yet. ${advice}`, isEarly);
    }
    const ageMs = nowMs - newest.heardAtMs;
    if (ageMs <= staleAfterMs) return newest.reading;
    const minutes = Math.floor(ageMs / 60_000);
    throw new ReadingMissing(`The newest reading of ${name} is ${minutes} minutes old. ${this.#advice(maker)}`);
  }

  /** Waits so long for signals of which nothing was heard yet, while the jobs that make them run. */
  async wait(signals: readonly DosingSignal[], limitMs: number): Promise<void> {
    const { clock } = this.#context;
    const endMs = clock.monotonic() + limitMs;
    const isAwaited = (signal: DosingSignal): boolean => {
      const followed = this.#followed.get(signal);
      return followed !== undefined && followed.newest === undefined && this.#isRunning(followed.maker);
    };
    while (signals.some(isAwaited) && clock.monotonic() < endMs) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      await Promise.race([promise, clock.sleep(endMs - clock.monotonic())]);
      this.#waiting.delete(resolve);
    }
  }

  #isRunning(maker: string): boolean {
    return this.#context.topics.states.latest(maker)?.state === 'ready';
  }

  #advice(maker: string): string {
    return this.#isRunning(maker)
      ? `Look at ${maker}: it runs, and tells nothing.`
      : `Start ${maker}: it does not run.`;
  }

  #ofReading(
    { source, channel }: Extract<SignalPlace, { from: 'reading' }>,
    keep: (reading: ReadingBehind) => void | Promise<void>,
    takesLatest: boolean,
  ): Followed {
    const { clock, topics, listen } = this.#context;
    const key = channel === undefined ? source : `${source}/${channel}`;
    const behind = ({ value, atMs }: JobReading & { readonly atMs: number }): ReadingBehind => ({
      source,
      ...(channel === undefined ? {} : { channel }),
      value,
      atMs,
    });
    const end = listen(topics.readings, (told, toldKey) => {
      return toldKey === key && isTrusted(told) ? keep(behind(told)) : undefined;
    });
    const latest = takesLatest ? topics.readings.latest(key) : undefined;
    const maker = growthSources.has(source) ? 'growth_rate_calculating' : 'od_reading';
    const sinceMs = clock.monotonic();
    if (latest === undefined || !isTrusted(latest)) return { name: key, maker, end, sinceMs };
    const ageMs = clock.now() - latest.atMs;
    // The clock was set back since: nobody knows how old it is.
    if (ageMs < 0) return { name: key, maker, end, sinceMs };
    return { name: key, maker, end, sinceMs, newest: { reading: behind(latest), heardAtMs: sinceMs - ageMs } };
  }

  /** Of a published value nobody knows how old it is: only what is told anew counts. */
  #ofSetting(
    { job, setting, keys }: Extract<SignalPlace, { from: 'setting' }>,
    keep: (reading: ReadingBehind) => void | Promise<void>,
  ): Followed {
    const { clock, topics, listen } = this.#context;
    const key = `${job}/${setting}`;
    const name = [key, ...keys].join('.');
    const end = listen(topics.settings, (told: Json, toldKey) => {
      const value = toldKey === key ? numberIn(told, keys) : undefined;
      return value === undefined ? undefined : keep({ source: name, value, atMs: clock.now() });
    });
    return { name, maker: job, end, sinceMs: clock.monotonic() };
  }
}
