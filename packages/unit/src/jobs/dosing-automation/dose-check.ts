import { hourMs } from '@lcs/contract';
import { type DoseEffect, expectedOdRatio, implausibleDoseCounter, implausibleDosesForAlarm } from '@lcs/domain';
import type { JobContext, JobEvent, JobReading } from '@lcs/node';
import { pumpDeviceOf } from '../pumps/pump-settings.ts';
import { onDilution } from '../shared/dose-subscriber.ts';
import { isTrusted, staleAfterMs } from './fresh-readings.ts';

/** Readings that are compared, before and after a dose; fewer give no result. Chosen. */
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
  /** Volume before the first part, by the event of the dose; undefined before it. */
  readonly volumeMl: number | undefined;
}

/** The added volume, mL. */
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

/** The pump that a person should check first; undefined when both have pumped. */
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

/** Checks that the optical density falls with each dose. */
export class DoseCheck {
  readonly #context: Context;
  readonly #report: (event: ReturnType<typeof implausible>) => void;
  readonly #row = implausibleDoseCounter();
  /** By the monotonic clock: the age of rates from before the start of the job is unknown. */
  #growth: { readonly perHour: number; readonly receivedAtMs: number } | undefined;
  #channel: string | undefined;
  #recent: Level[] = [];
  #before: Before | undefined;
  /** The last dose, and the readings since. */
  #dose:
    | { readonly before: Before; readonly added: Added; readonly mixedAtMs: number; readonly after: Level[] }
    | undefined;

  /** `report`: called after several implausible doses in a row. */
  constructor(context: Context, report: (event: ReturnType<typeof implausible>) => void) {
    this.#context = context;
    this.#report = report;
  }

  begin(): void {
    onDilution(this.#context, ({ volumeMl }) => {
      if (this.#before !== undefined) this.#before = { ...this.#before, volumeMl: this.#before.volumeMl ?? volumeMl };
    });
    this.#context.listen(this.#context.topics.readings, (reading) => {
      if (!isTrusted(reading)) return;
      if (reading.source === 'od') this.#take(reading);
      if (reading.source === 'growth_rate')
        this.#growth = { perHour: reading.value, receivedAtMs: this.#context.clock.monotonic() };
    });
  }

  /** A dose begins now. */
  doseBegins(): void {
    this.#evaluate();
    const atMs = this.#context.clock.monotonic();
    const levels = this.#recent.filter((level) => atMs - level.atMs <= recentMs);
    const od = median(levels);
    const noise = (medianPenalty * noiseOf(levels)) / Math.sqrt(levels.length) / od;
    this.#before = levels.length < fewest ? undefined : { od, noise, atMs, volumeMl: undefined };
  }

  /** The dose has ended. */
  doseEnds({ mediaMl, altMediaMl }: Added): void {
    if (this.#before === undefined || mediaMl + altMediaMl <= 0) return;
    const mixedAtMs = this.#context.clock.monotonic() + mixingMs;
    this.#dose = { before: this.#before, added: { mediaMl, altMediaMl }, mixedAtMs, after: [] };
  }

  #take({ channel = '', value }: JobReading): void {
    // The first of several photodiodes, as for the biomass.
    if (this.#channel !== undefined && channel > this.#channel) return;
    if (channel !== this.#channel) this.#recent = [];
    this.#channel = channel;
    const level = { value, atMs: this.#context.clock.monotonic() };
    this.#recent = [...this.#recent, level].slice(-most);
    if (this.#dose === undefined || level.atMs < this.#dose.mixedAtMs) return;
    this.#dose.after.push(level);
    if (this.#dose.after.length >= most) this.#evaluate();
  }

  #evaluate(): void {
    const dose = this.#dose;
    this.#dose = undefined;
    if (dose === undefined || dose.before.volumeMl === undefined || dose.after.length < fewest) return;
    const { before, added, after } = dose;
    const { volumeMl } = dose.before;
    const middle = after[Math.floor(after.length / 2)]?.atMs ?? before.atMs;
    const effect: DoseEffect = {
      odBefore: before.od,
      odAfter: median(after),
      volumeMl,
      addedMl: added.mediaMl + added.altMediaMl,
      growthPerHour: this.#growthPerHour(),
      hours: (middle - before.atMs) / hourMs,
      noise: before.noise,
    };
    if (this.#row(effect)) this.#report(implausible(effect, added));
  }

  /** An unknown or outdated rate counts as no growth. */
  #growthPerHour(): number {
    const growth = this.#growth;
    if (growth === undefined || this.#context.clock.monotonic() - growth.receivedAtMs > staleAfterMs) return 0;
    return growth.perHour;
  }
}
