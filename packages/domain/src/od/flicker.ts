import { median } from '../growth-rate/robust-statistics.ts';

/** One reading of a signal. */
export interface LevelAt {
  readonly atMs: number;
  /** ln of the signal. */
  readonly level: number;
}

/** With fewer readings nothing is said. Chosen. */
const fewestReadings = 12;
/**
 * Share of the readings beyond each level: bubbles and shocks move fewer. Chosen; with a tenth, up to 6 % of the readings of measured
 * series with a reading every 50 s counted as flicker, with a fifth 1 %.
 */
const outerShare = 0.2;
/** Distance of the levels, as a difference of ln. Chosen. */
const leastDistance = 0.1;
/** The same in standard deviations of the scatter between readings: in normal noise these levels are 1.7 apart. Chosen. */
const leastDeviations = 4;
/** A reading is on one of the levels outside of this share of their distance. */
const betweenShare = 0.3;
/** A change from one level to the other takes at most so many readings: growth and doses that do not arrive take longer in one direction. */
const longestChange = 2;
const fewestChanges = 3;
/** Flicker is over when a level stays for this multiple of the longest time that one has stayed. Chosen. */
const overAfter = 2;

/** Change of the level per ms that jumps up and down do not tilt, nor a single step. */
function slopeOf(readings: readonly LevelAt[]): number {
  const apart = Math.floor(readings.length / 4);
  return median(
    readings.slice(apart).map(({ atMs, level }, index) => {
      const from = readings[index] ?? { atMs, level };
      return (level - from.level) / Math.max(1, atMs - from.atMs);
    }),
  );
}

interface Change {
  readonly atMs: number;
  readonly isRise: boolean;
  readonly readings: number;
}

/** Whether a signal jumps up and down between two levels: neither of them, nor their mean, is known to be that of the liquid. */
export function flickers(readings: readonly LevelAt[]): boolean {
  const [first, last] = [readings[0], readings.at(-1)];
  if (first === undefined || last === undefined || readings.length < fewestReadings) return false;
  const slope = slopeOf(readings);
  const flat = readings.map(({ atMs, level }) => ({ atMs, level: level - slope * (atMs - first.atMs) }));
  const sorted = flat.map(({ level }) => level).sort((one, other) => one - other);
  const outer = Math.floor(outerShare * sorted.length);
  const low = sorted[outer] ?? 0;
  const distance = (sorted[sorted.length - 1 - outer] ?? 0) - low;
  const steps = flat.slice(1).map(({ level }, index) => Math.abs(level - (flat[index]?.level ?? level)));
  const scatter = (1.4826 * median(steps)) / Math.SQRT2;
  if (distance < Math.max(leastDistance, leastDeviations * scatter)) return false;
  const changes = changesOf(flat, low + betweenShare * distance, low + (1 - betweenShare) * distance);
  const sudden = changes.filter(({ readings: count }) => count <= longestChange);
  const isBothWays = sudden.some(({ isRise }) => isRise) && sudden.some(({ isRise }) => !isRise);
  if (!isBothWays || sudden.length < fewestChanges) return false;
  const edges = [first.atMs, ...sudden.map(({ atMs }) => atMs)];
  const longest = Math.max(...edges.slice(1).map((atMs, index) => atMs - (edges[index] ?? atMs)));
  return last.atMs - (edges.at(-1) ?? last.atMs) <= overAfter * longest;
}

/** From below the lower of two limits to above the upper one, or back. */
function changesOf(readings: readonly LevelAt[], lower: number, upper: number): readonly Change[] {
  const changes: Change[] = [];
  let known: { readonly isHigh: boolean; readonly index: number } | undefined;
  for (const [index, { atMs, level }] of readings.entries()) {
    if (level > lower && level < upper) continue;
    const isHigh = level >= upper;
    if (known !== undefined && known.isHigh !== isHigh)
      changes.push({ atMs, isRise: isHigh, readings: index - known.index });
    known = { isHigh, index };
  }
  return changes;
}
