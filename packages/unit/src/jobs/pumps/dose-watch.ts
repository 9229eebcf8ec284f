import { type DoseEffect, doseVerdict, expectedOdRatio, implausibleInARow, implausibleRow } from '@lcs/domain';
import type { JobContext, JobEvent, JobReading } from '@lcs/platform';

interface Seen {
  readonly atMs: number;
  readonly value: number;
}

/** Doses that belong together: no OD was settled between them. */
interface Doses {
  readonly before: readonly Seen[];
  readonly startMs: number;
  readonly volumeMl: number;
  /** Sum of the logarithms by which each piece thins. */
  readonly fall: number;
  readonly lastMs: number;
  readonly after: readonly Seen[];
}

/** Readings before and after that are compared, and how old those before may be. Chosen. */
const readingCount = 4;
const oldestMs = 120_000;
/** Mixing, the waste pump and the filters of the reader are over then. Chosen. */
const settleMs = 30_000;

const mean = (seen: readonly Seen[]): number => seen.reduce((sum, { value }) => sum + value, 0) / seen.length;

/** Relative standard deviation of single readings, at least that of a good reader. */
function noiseOf(seen: readonly Seen[]): number {
  const middle = mean(seen);
  const square = seen.reduce((sum, { value }) => sum + (value - middle) ** 2, 0) / Math.max(1, seen.length - 1);
  return Math.max(leastNoise, Math.sqrt(square) / middle);
}
const leastNoise = 0.002;

const isUsable = ({ flags = [], value }: JobReading): boolean =>
  value > 0 && !flags.some((flag) => flag === 'saturated' || flag === 'outlier');

/**
 * Looks whether doses show in the optical density: fresh medium thins the culture. When several in a row do not, it says so:
 * event `dose_implausible` and a WARNING. Lives as long as the job.
 */
export class DoseWatch {
  readonly #context: JobContext;
  readonly #volumeMl: () => number;
  readonly #isRowFull = implausibleRow();
  /** The photodiode that is watched: the first that tells something. */
  #key: string | undefined;
  #recent: readonly Seen[] = [];
  #doses: Doses | undefined;

  /** @param volumeMl what is in the vial, the dose that is being told included */
  constructor(context: JobContext, volumeMl: () => number) {
    this.#context = context;
    this.#volumeMl = volumeMl;
  }

  begin(): void {
    const { topics, listen } = this.#context;
    listen(topics.events, (event, name) => {
      if (name === 'dosing') this.#dosed(event);
    });
    listen(topics.readings, (reading, key) => {
      if (key.startsWith('od/') && isUsable(reading)) this.#read(key, reading);
    });
  }

  #dosed({ data: { event, volume_change_ml: changeMl } }: JobEvent): void {
    if (typeof event !== 'string' || typeof changeMl !== 'number' || !event.startsWith('add_')) return;
    const nowMs = this.#context.clock.now();
    const beforeMl = this.#volumeMl() - changeMl;
    if (beforeMl <= 0 || beforeMl + changeMl <= 0) return;
    const doses = this.#doses ?? {
      before: this.#recent.filter(({ atMs }) => nowMs - atMs < oldestMs),
      startMs: nowMs,
      volumeMl: beforeMl,
      fall: 0,
      lastMs: nowMs,
      after: [],
    };
    const fall = doses.fall + Math.log((beforeMl + changeMl) / beforeMl);
    this.#doses = { ...doses, fall, lastMs: nowMs, after: [] };
  }

  #read(key: string, { value, atMs }: JobReading & { readonly atMs: number }): void {
    this.#key ??= key;
    if (key !== this.#key) return;
    const seen = { atMs, value };
    this.#recent = [...this.#recent.slice(1 - readingCount), seen];
    const doses = this.#doses;
    if (doses === undefined || atMs - doses.lastMs < settleMs) return;
    const after = [...doses.after, seen];
    this.#doses = { ...doses, after };
    if (after.length < readingCount) return;
    this.#doses = undefined;
    this.#judge({ ...doses, after });
  }

  #judge({ before, after, startMs, volumeMl, fall }: Doses): void {
    if (before.length < readingCount) return;
    const middleMs = mean(after.map(({ atMs }) => ({ atMs, value: atMs })));
    const effect: DoseEffect = {
      odBefore: mean(before),
      odAfter: mean(after),
      volumeMl,
      addedMl: volumeMl * (Math.exp(fall) - 1),
      growthPerHour: this.#context.topics.readings.latest('growth_rate')?.value ?? 0,
      hours: (middleMs - startMs) / 3_600_000,
      noise: noiseOf(before) / Math.sqrt(readingCount),
    };
    if (this.#isRowFull(doseVerdict(effect))) this.#tell(effect);
  }

  #tell(effect: DoseEffect): void {
    const { odBefore, odAfter, addedMl } = effect;
    const expected = odBefore * expectedOdRatio(effect);
    const message =
      `${implausibleInARow} doses in a row did not show in the optical density: the last one, of ${addedMl.toFixed(2)} mL, ` +
      `left ${odAfter.toFixed(3)} where ${expected.toFixed(3)} was to be seen. Look at the tubes, the pumps and the bottles.`;
    const data = { added_ml: addedMl, od_before: odBefore, od_after: odAfter, od_expected: expected };
    this.#context.event({ name: 'dose_implausible', message, data });
    this.#context.log('WARNING', message);
  }
}
