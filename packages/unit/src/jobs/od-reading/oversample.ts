import { defaultOversampling, type OversamplingPlan, oversamplingFor, type Sample, slotWaitS } from '@lcs/domain';
import type { Clock } from '@lcs/platform';
import type { Photodiode } from '../shared/photodiode.ts';

/** Milliseconds of one conversion, with the tolerance of the converter's oscillator, and of waiting for a new one. */
const conversionMs = 8.7;
const settledConversionMs = 2 * conversionMs;

/** Share of the interval that a reading may take. */
const mostOfInterval = 0.75;

/** How one reading is spread over time; at very short intervals the conversions follow each other without a pause. */
export function planFor(intervalS: number | null): OversamplingPlan {
  if (intervalS === null) return defaultOversampling;
  const plan = oversamplingFor(intervalS);
  return readingMs(plan) > mostOfInterval * 1000 * intervalS ? { ...plan, spanS: 0 } : plan;
}

/** Milliseconds that a reading takes. */
export const readingMs = ({ rounds, spanS }: OversamplingPlan): number =>
  spanS === 0
    ? settledConversionMs + (rounds - 1) * conversionMs
    : Math.max(1000 * spanS, rounds * settledConversionMs);

/**
 * One reading of all photodiodes at the same moments: rounds with uneven waits between them, so that no hum aliases.
 * Samples by photodiode, in their order. @throws BusError, the signal's reason
 */
export async function oversample(
  photodiodes: readonly Photodiode[],
  plan: OversamplingPlan,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<readonly (readonly Sample[])[]> {
  if (plan.spanS === 0) return withoutPause(photodiodes, plan);
  const samples: Sample[][] = photodiodes.map(() => []);
  const startMs = clock.monotonic();
  for (let round = 0; round < plan.rounds; round += 1) {
    const roundMs = clock.monotonic();
    const volts = await Promise.all(photodiodes.map((photodiode) => photodiode.readVolts()));
    signal.throwIfAborted();
    const endMs = clock.monotonic();
    volts.forEach((value, index) => {
      samples[index]?.push({ timeS: (endMs - startMs) / 1000, value });
    });
    const restMs = 1000 * slotWaitS(plan, round) - (endMs - roundMs);
    if (restMs > 0 && round < plan.rounds - 1) await clock.sleep(restMs);
  }
  await Promise.all(photodiodes.map((photodiode) => photodiode.verify?.()));
  signal.throwIfAborted();
  return samples;
}

async function withoutPause(photodiodes: readonly Photodiode[], { rounds }: OversamplingPlan) {
  const series = await Promise.all(photodiodes.map((photodiode) => photodiode.readSeries(rounds)));
  return series.map((volts, photodiode) => {
    const eachMs = photodiodes[photodiode]?.conversionMs ?? conversionMs;
    return volts.map((value, index) => ({ timeS: (index * eachMs) / 1000, value }));
  });
}
