import { growthCurve, type OdBin } from '../growth-curves/curve-points.ts';
import type { PastDose } from '../growth-rate/growth-replay.ts';
import { SeededStream } from '../random/seeded-stream.ts';

const hourMs = 3_600_000;

/** Values that look random and are easy to repeat in another language. */
const wave = (index: number): number => 0.02 * Math.sin(7.3 * index) + 0.015 * Math.cos(2.9 * index * index);

/** A curve with this ln OD at equal times, with `wave` added. */
export const wavedCurve = (levelAt: (h: number) => number, stepH: number, lastH: number) =>
  growthCurve(
    Array.from({ length: Math.floor(lastH / stepH) + 1 }, (_, index) =>
      binAt(index * stepH, levelAt(index * stepH) + wave(index)),
    ),
    [],
  );

export const binAt = (h: number, level: number): OdBin => ({
  firstMs: h * hourMs,
  lastMs: h * hourMs,
  od: Math.exp(level),
  readings: 1,
});

/** ln OD of a logistic culture with an exponential rate, OD 0.05 to 1.5, without lag. */
export const logisticLevel = (h: number, rate: number): number =>
  Math.log(1.5 / (1 + (1.5 / 0.05 - 1) * Math.exp(-rate * h)));

/** Such a culture for 24 h with normal noise of ln OD. */
export function logisticCurve(seed: string, rate: number, noise: number) {
  const stream = new SeededStream(seed);
  const bins = Array.from({ length: 24 * 12 }, (_, index) =>
    binAt(index / 12, logisticLevel(index / 12, rate) + noise * stream.normal()),
  );
  return growthCurve(bins, []);
}

/** A turbidostat at a constant rate: the vial of 15 ml gets 1 ml whenever the OD is above 0.5. */
export function turbidostat(rate: number, hours: number, noise: number) {
  const stream = new SeededStream('turbidostat');
  const bins: OdBin[] = [];
  const doses: PastDose[] = [];
  let level = Math.log(0.3);
  for (let minute = 0; minute < hours * 60; minute += 1) {
    bins.push(binAt(minute / 60, level + noise * stream.normal()));
    level += rate / 60;
    if (level <= Math.log(0.5)) continue;
    doses.push({ atMs: ((minute + 0.5) / 60) * hourMs, volumeMl: 14, addedMl: 1 });
    level += Math.log(14 / 15);
  }
  return { bins, doses };
}
