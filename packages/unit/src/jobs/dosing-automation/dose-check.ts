import { type DoseEffect, expectedOdRatio, implausibleDoseCounter, implausibleDosesForAlarm } from '@lcs/domain';
import type { JobContext, JobEvent, JobReading } from '@lcs/platform';
import { pumpDeviceOf } from '../pumps/pump-settings.ts';
import { isTrusted, staleAfterMs } from './fresh-readings.ts';

/** Readings that are compared, before and after a dose; with fewer nothing is said. Chosen. */
const most = 5;
const fewest = 3;
/** Readings before a dose may be so old. Chosen. */
const recentMs = 120_000;
/** Until fresh medium is mixed in. Chosen: a stirred vial takes a few seconds. */
const mixingMs = 10_000;
/** The median of a few values is so much less exact than their mean. */
const medianPenalty = 1.25;

interface Level {
  readonly value: number;
  readonly atMs: number;
}

interface Before {
  readonly od: number;
  /** Of one median, relative. */
  readonly noise: number;
  readonly atMs: number;
  readonly volumeMl: number;
}

/** What was added, mL. */
interface Added {
  readonly mediaMl: number;
  readonly altMediaMl: number;
}

const median = (levels: readonly Level[]): number => {
  const sorted = levels.map(({ value }) => value).sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};

/** Standard deviation of neighbours from each other, as that of one value: slow growth does not count. */
function noiseOf(levels: readonly Level[]): number {
  const steps = levels.slice(1).map(({ value }, index) => value - (levels[index]?.value ?? value));
  const variance = steps.reduce((sum, step) => sum + step * step, 0) / Math.max(1, steps.length) / 2;
  return Math.sqrt(variance);
}

type Context = Pick<JobContext, 'clock' | 'listen' | 'topics'>;

/** The pump that a person looks at first; undefined when both have pumped. */
function pumpOf({ mediaMl, altMediaMl }: Added): string | undefined {
  if (mediaMl > 0 && altMediaMl > 0) return undefined;
  return mediaMl > 0 ? pumpDeviceOf.media : pumpDeviceOf.alt_media;
}

/** The event of doses that did not show; the leader makes an alarm of it. */
function implausible(effect: DoseEffect, added: Added): JobEvent & { readonly message: string } {
  const what = `The optical density did not fall with ${implausibleDosesForAlarm} doses in a row`;
  const pump = pumpOf(added);
  return {
    name: 'dose_implausible',
    message: `${what}: check that there is medium in the bottle, and that pumps and tubes move it.`,
    data: {
      added_ml: effect.addedMl,
      od_before: effect.odBefore,
      od_after: effect.odAfter,
      od_expected: effect.odBefore * expectedOdRatio(effect),
      ...(pump === undefined ? {} : { pump }),
    },
  };
}

/** Looks whether the optical density falls with each dose, as it must. */
export class DoseCheck {
  readonly #context: Context;
  readonly #tell: (event: ReturnType<typeof implausible>) => void;
  readonly #row = implausibleDoseCounter();
  /** By the monotonic clock: what was told before this job began is of a time that nobody knows. */
  #growth: { readonly perHour: number; readonly heardAtMs: number } | undefined;
  #channel: string | undefined;
  #recent: Level[] = [];
  #before: Before | undefined;
  /** A dose that was done, and what was read since. */
  #dose:
    | { readonly before: Before; readonly added: Added; readonly mixedAtMs: number; readonly after: Level[] }
    | undefined;

  /** `tell` hears of doses that did not show, several in a row. */
  constructor(context: Context, tell: (event: ReturnType<typeof implausible>) => void) {
    this.#context = context;
    this.#tell = tell;
  }

  begin(): void {
    this.#context.listen(this.#context.topics.readings, (reading) => {
      if (!isTrusted(reading)) return;
      if (reading.source === 'od') this.#take(reading);
      if (reading.source === 'growth_rate')
        this.#growth = { perHour: reading.value, heardAtMs: this.#context.clock.monotonic() };
    });
  }

  /** A dose begins now. */
  doseBegins(volumeMl: number): void {
    this.#judge();
    const atMs = this.#context.clock.monotonic();
    const levels = this.#recent.filter((level) => atMs - level.atMs <= recentMs);
    const od = median(levels);
    const noise = (medianPenalty * noiseOf(levels)) / Math.sqrt(levels.length) / od;
    this.#before = levels.length < fewest ? undefined : { od, noise, atMs, volumeMl };
  }

  /** It is done; so much was added. */
  doseEnds({ mediaMl, altMediaMl }: Added): void {
    if (this.#before === undefined || mediaMl + altMediaMl <= 0) return;
    const mixedAtMs = this.#context.clock.monotonic() + mixingMs;
    this.#dose = { before: this.#before, added: { mediaMl, altMediaMl }, mixedAtMs, after: [] };
  }

  #take({ channel = '', value }: JobReading): void {
    // Of several photodiodes the first one: that which the biomass is read with.
    if (this.#channel !== undefined && channel > this.#channel) return;
    if (channel !== this.#channel) this.#recent = [];
    this.#channel = channel;
    const level = { value, atMs: this.#context.clock.monotonic() };
    this.#recent = [...this.#recent, level].slice(-most);
    if (this.#dose === undefined || level.atMs < this.#dose.mixedAtMs) return;
    this.#dose.after.push(level);
    if (this.#dose.after.length >= most) this.#judge();
  }

  #judge(): void {
    const dose = this.#dose;
    this.#dose = undefined;
    if (dose === undefined || dose.after.length < fewest) return;
    const { before, added, after } = dose;
    const middle = after[Math.floor(after.length / 2)]?.atMs ?? before.atMs;
    const effect: DoseEffect = {
      odBefore: before.od,
      odAfter: median(after),
      volumeMl: before.volumeMl,
      addedMl: added.mediaMl + added.altMediaMl,
      growthPerHour: this.#growthPerHour(),
      hours: (middle - before.atMs) / 3_600_000,
      noise: before.noise,
    };
    if (this.#row(effect)) this.#tell(implausible(effect, added));
  }

  /** A rate that nobody knows any more is taken for none, as it is where none was ever told. */
  #growthPerHour(): number {
    const growth = this.#growth;
    if (growth === undefined || this.#context.clock.monotonic() - growth.heardAtMs > staleAfterMs) return 0;
    return growth.perHour;
  }
}
