import { type Json, minuteMs } from '@lcs/contract';
import { type DosingSignal, jobOfSource, type ReadingSourceName, type TriggerReading } from '@lcs/domain';
import type { JobContext, JobReading } from '@lcs/node';
import { numberIn } from './number-in.ts';

/** Where a rule takes the values of a signal from. */
export type SignalSource =
  | { readonly from: 'reading'; readonly source: ReadingSourceName; readonly channel?: string }
  /** A published setting of another job; `keys` lead to the number if the value is an object. */
  | { readonly from: 'setting'; readonly job: string; readonly setting: string; readonly keys: readonly string[] };

/** A reading that a rule needs is missing or outdated; the message is one sentence. */
export class ReadingMissing extends Error {
  /** The measuring job has just started, which is not a fault. */
  readonly isEarly: boolean;

  constructor(message: string, isEarly = false) {
    super(message);
    this.isEarly = isEarly;
    this.name = 'ReadingMissing';
  }
}

/** Older readings cause no doses. */
export const staleAfterMs = 300_000;

/**
 * Flags of correct values. A saturated signal is at least as high as its value. Where a dose was not seen, the filtered density
 * follows the signal; the evidence of the doses themselves decides whether dosing goes on.
 */
const harmless: ReadonlySet<string> = new Set([
  'simulated',
  'unsynced',
  'moved',
  'corrected',
  'saturated',
  'dose_unseen',
]);

/** Flags that forbid acting on a reading. A culture above the end of a calibration is dense enough to be diluted. */
const exclusionsOf = ({ flags = [], isLeast = false }: Pick<JobReading, 'flags' | 'isLeast'>): readonly string[] =>
  flags.filter((flag) => !harmless.has(flag) && !(isLeast && flag === 'out_of_range'));

/** A flagged reading (bubbles, the vial is out, the lamp fails) must not move liquid. */
export const isTrusted = (reading: Pick<JobReading, 'flags' | 'isLeast'>): boolean =>
  exclusionsOf(reading).length === 0;

type Context = Pick<JobContext, 'topics' | 'listen' | 'clock'>;

interface Followed {
  /** For people. */
  readonly name: string;
  /** The job that makes it. */
  readonly producer: string;
  readonly end: () => void;
  /** Milliseconds of the monotonic clock since which it is followed. */
  readonly sinceMs: number;
  newest?: {
    readonly reading: TriggerReading;
    /** Milliseconds of the monotonic clock: the clock of the unit may be set in the meantime. */
    readonly receivedAtMs: number;
  };
  /** The newest reading if nothing may be dosed by it. */
  excluded?: { readonly reasons: readonly string[]; readonly receivedAtMs: number };
}

/** Takes the readings of a signal. */
interface Receiver {
  readonly keep: (reading: TriggerReading) => void | Promise<void>;
  readonly exclude: (reasons: readonly string[]) => void;
}

/** The newest reading at a place, without following it. @throws ReadingMissing */
export function readingNow(
  { topics, clock }: Pick<JobContext, 'topics' | 'clock'>,
  place: SignalSource,
): TriggerReading {
  const readings = new FreshReadings({ topics, clock, listen: () => () => {} });
  readings.follow('biomass', place, true);
  return readings.readingOf('biomass');
}

/** The newest readings for the rules. */
export class FreshReadings {
  readonly #context: Context;
  readonly #followed = new Map<DosingSignal, Followed>();
  readonly #waiting = new Set<() => void>();

  constructor(context: Context) {
    this.#context = context;
  }

  /**
   * Follows a signal from now on, possibly from another source than before. `usesLatest`: the latest earlier reading counts
   * too, if it is not too old. `onReading` is called for new readings only.
   */
  follow(
    signal: DosingSignal,
    place: SignalSource,
    usesLatest: boolean,
    onReading: () => void | Promise<void> = () => {},
  ): void {
    this.#followed.get(signal)?.end();
    const receiver: Receiver = {
      keep: (reading) => {
        followed.newest = { reading, receivedAtMs: this.#context.clock.monotonic() };
        delete followed.excluded;
        for (const wake of [...this.#waiting]) wake();
        return onReading();
      },
      exclude: (reasons) => {
        followed.excluded = { reasons, receivedAtMs: this.#context.clock.monotonic() };
      },
    };
    const followed: Followed =
      place.from === 'setting' ? this.#ofSetting(place, receiver) : this.#ofReading(place, receiver, usesLatest);
    this.#followed.set(signal, followed);
  }

  /** @throws ReadingMissing */
  readingOf(signal: DosingSignal): TriggerReading {
    const nowMs = this.#context.clock.monotonic();
    const { name = signal, producer = '', sinceMs = nowMs, newest, excluded } = this.#followed.get(signal) ?? {};
    const exclude = excluded !== undefined && nowMs - excluded.receivedAtMs <= staleAfterMs ? excluded : undefined;
    if (newest === undefined) {
      const isEarly = this.#isRunning(producer) && nowMs - sinceMs < staleAfterMs;
      const advice = isEarly ? `${producer} has not reported one yet.` : this.#advice(producer, exclude?.reasons);
      throw new ReadingMissing(
        `${exclude ? `All readings of ${name} are unreliable` : `A reading of ${name} is missing`}. ${advice}`,
        isEarly,
      );
    }
    const ageMs = nowMs - newest.receivedAtMs;
    if (ageMs <= staleAfterMs) return newest.reading;
    const which = exclude ? 'The newest reading that may be trusted' : 'The newest reading';
    const age = `of ${name} is ${Math.floor(ageMs / minuteMs)} minutes old`;
    throw new ReadingMissing(`${which} ${age}. ${this.#advice(producer, exclude?.reasons)}`);
  }

  /** Waits so long for signals of which nothing was receiver yet, while the jobs that make them run. */
  async wait(signals: readonly DosingSignal[], limitMs: number): Promise<void> {
    const { clock } = this.#context;
    const endMs = clock.monotonic() + limitMs;
    const isAwaited = (signal: DosingSignal): boolean => {
      const followed = this.#followed.get(signal);
      return followed !== undefined && followed.newest === undefined && this.#isRunning(followed.producer);
    };
    while (signals.some(isAwaited) && clock.monotonic() < endMs) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      await Promise.race([promise, clock.sleep(endMs - clock.monotonic())]);
      this.#waiting.delete(resolve);
    }
  }

  #isRunning(producer: string): boolean {
    return this.#context.topics.states.latest(producer)?.state === 'ready';
  }

  #advice(producer: string, reasons?: readonly string[]): string {
    if (reasons !== undefined) return `New readings are marked ${reasons.join(', ')} and cause no doses.`;
    return this.#isRunning(producer)
      ? `Check ${producer}: it runs but reports nothing.`
      : `Start ${producer}: it does not run.`;
  }

  #ofReading(
    { source, channel }: Extract<SignalSource, { from: 'reading' }>,
    { keep, exclude }: Receiver,
    usesLatest: boolean,
  ): Followed {
    const { clock, topics, listen } = this.#context;
    const key = channel === undefined ? source : `${source}/${channel}`;
    const behind = ({ value, atMs }: JobReading & { readonly atMs: number }): TriggerReading => ({
      source,
      ...(channel === undefined ? {} : { channel }),
      value,
      atMs,
    });
    const end = listen(topics.readings, (received, newKey) => {
      if (newKey !== key) return undefined;
      const reasons = exclusionsOf(received);
      return reasons.length === 0 ? keep(behind(received)) : exclude(reasons);
    });
    const latest = usesLatest ? topics.readings.latest(key) : undefined;
    const producer = jobOfSource(source) ?? '';
    const sinceMs = clock.monotonic();
    if (latest === undefined) return { name: key, producer, end, sinceMs };
    const ageMs = clock.now() - latest.atMs;
    // The clock was set back since: the age is unknown.
    if (ageMs < 0) return { name: key, producer, end, sinceMs };
    const reasons = exclusionsOf(latest);
    if (reasons.length > 0)
      return { name: key, producer, end, sinceMs, excluded: { reasons, receivedAtMs: sinceMs - ageMs } };
    return { name: key, producer, end, sinceMs, newest: { reading: behind(latest), receivedAtMs: sinceMs - ageMs } };
  }

  /** The age of a retained value is unknown: only newly published values count. */
  #ofSetting({ job, setting, keys }: Extract<SignalSource, { from: 'setting' }>, { keep }: Receiver): Followed {
    const { clock, topics, listen } = this.#context;
    const key = `${job}/${setting}`;
    const name = [key, ...keys].join('.');
    const end = listen(topics.settings, (received: Json, newKey) => {
      const value = newKey === key ? numberIn(received, keys) : undefined;
      return value === undefined ? undefined : keep({ source: name, value, atMs: clock.now() });
    });
    return { name, producer: job, end, sinceMs: clock.monotonic() };
  }
}
