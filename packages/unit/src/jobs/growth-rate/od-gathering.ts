import { isUsableForGrowth } from '@lcs/domain';
import type { JobContext, JobReading } from '@lcs/node';

/** The ODs of one time, by channel. */
export interface OdSet {
  readonly atMs: number;
  /** Without those that the growth filter must not use. */
  readonly ods: Readonly<Record<string, number>>;
  /** By channel, the calibration, estimator or blank from which the OD was computed; absent without one. */
  readonly bases: Readonly<Record<string, string>>;
  /** Signal flags of all of them. */
  readonly flags: readonly string[];
  /** At least one of them is a lower bound (saturated). */
  readonly isLeast: boolean;
}

/** Channel name of the fused OD, which has no channel of its own. */
const fusedChannel = 'fused';

const setOf = (atMs: number, readings: readonly JobReading[]): OdSet => ({
  atMs,
  // Smoothing would delay doses and change the noise.
  ods: Object.fromEntries(
    readings
      .filter(({ flags = [] }) => isUsableForGrowth(flags))
      .map(({ channel = fusedChannel, value, unsmoothed = value }) => [channel, unsmoothed]),
  ),
  bases: Object.fromEntries(
    readings.flatMap(({ channel = fusedChannel, context }) => {
      const basis = context?.calibration_hash;
      return typeof basis === 'string' ? [[channel, basis]] : [];
    }),
  ),
  flags: [...new Set(readings.flatMap(({ flags = [] }) => flags))],
  isLeast: readings.some(({ isLeast = false }) => isLeast),
});

/** Groups the readings of one time: they arrive one by one within one turn of the event loop. */
export function gatherOds(
  { topics, listen }: Pick<JobContext, 'topics' | 'listen'>,
  source: 'od' | 'od_fused',
  onSet: (setOf: OdSet) => void,
): void {
  let open: { readonly atMs: number; readonly readings: JobReading[] } | undefined;
  const close = async (own: { readonly atMs: number; readonly readings: readonly JobReading[] }): Promise<void> => {
    await Promise.resolve();
    if (open === own) open = undefined;
    onSet(setOf(own.atMs, own.readings));
  };
  // Most readings are of other sources: they cost no promise.
  listen(topics.readings, (reading) => {
    const { atMs } = reading;
    if (reading.source !== source) return;
    if (open?.atMs === atMs) {
      open.readings.push(reading);
      return;
    }
    open = { atMs, readings: [reading] };
    return close(open);
  });
}
