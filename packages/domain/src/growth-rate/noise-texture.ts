import type { SlowNoise } from './kalman.ts';

/** Moments and levels of ln OD not long ago, oldest first. */
interface Seen {
  readonly atMs: number;
  readonly level: number;
}

/**
 * Two averages that tell how the noise of readings is made: of changes from one reading to the next, which slow noise
 * hardly touches, and of bends over minutes, which show all of it and yet nothing of a culture that grows. Plain data.
 */
export interface NoiseTexture {
  /** Half the mean square of the change from reading to reading. */
  readonly quick: number;
  /** A sixth of the mean square of the second difference over twice the time of slow noise. */
  readonly bend: number;
  readonly recent: readonly Seen[];
}

/** Slow noise (clumps, bubbles, a vortex that wanders) is taken to die away within this time. Chosen. */
const slowTimeMs = 60_000;
const msPerHour = 3_600_000;

/** Levels are kept this far apart at least. */
const spacingMs = 5_000;

/** Share of the past in the averages: of the last readings, and of the last half hour or so of bends. Chosen. */
const quickMemory = 0.98;
const bendMemory = 0.99;

/** A square counts up to so many times the average, so that a shock does not make a texture. */
const mostSquare = 16;

/** Slow noise is only believed from this part of the quick one on: both averages are known to about a fifth. Chosen. */
const believedFrom = 0.5;

/** Some noise is always new: a reading never counts more than this share of the whole noise lets it. Chosen. */
const leastQuickShare = 0.1;

/** Where readings are too far apart their bends tell less than this, in units of the slow variance. */
const leastTelling = 1;

export const freshTexture = (noise: number): NoiseTexture => ({ quick: noise, bend: noise, recent: [] });

/** The vial was diluted: earlier levels as they would have been. */
export const shiftedTexture = (texture: NoiseTexture, shift: number): NoiseTexture => ({
  ...texture,
  recent: texture.recent.map(({ atMs, level }) => ({ atMs, level: level + shift })),
});

const averaged = (memory: number, past: number, square: number): number =>
  memory * past + (1 - memory) * Math.min(square, mostSquare * past);

/** Takes one more level, of a culture that is believed to grow by `rate` per hour. */
export function textureWith({ quick, bend, recent }: NoiseTexture, seen: Seen, rate: number): NoiseTexture {
  const last = recent.at(-1);
  const passedMs = last === undefined ? 0 : seen.atMs - last.atMs;
  // At shorter intervals levels in between are passed over.
  if (last !== undefined && passedMs < 0.9 * spacingMs) return { quick, bend, recent };
  const kept = [...recent.filter(({ atMs }) => seen.atMs - atMs <= 2.5 * Math.max(slowTimeMs, passedMs)), seen];
  if (last === undefined) return { quick, bend, recent: kept };
  const change = seen.level - last.level - (rate * passedMs) / msPerHour;
  const second = secondDifference(recent, seen, Math.max(slowTimeMs, passedMs));
  return {
    quick: averaged(quickMemory, quick, change ** 2 / 2),
    bend: second === null ? bend : averaged(bendMemory, bend, second ** 2 / 6),
    recent: kept,
  };
}

/** Of three levels `lagMs` apart; null when they are not there. */
function secondDifference(recent: readonly Seen[], now: Seen, lagMs: number): number | null {
  const near = (wantedMs: number): Seen | undefined =>
    recent.findLast(({ atMs }) => Math.abs(atMs - wantedMs) <= 0.1 * lagMs);
  const [middle, first] = [near(now.atMs - lagMs), near(now.atMs - 2 * lagMs)];
  return middle === undefined || first === undefined ? null : now.level - 2 * middle.level + first.level;
}

/**
 * The slow noise, and the variance of the noise that is new in each reading, for readings `hours` apart. `total` is the
 * variance of readings about the expected level, used where the two cannot be told apart; nothing is above `most`.
 */
export function noiseParts(
  { quick, bend }: NoiseTexture,
  hours: number,
  total: number,
  most: number,
): { readonly slow: SlowNoise; readonly quick: number } {
  const timeH = slowTimeMs / msPerHour;
  const stays = Math.exp(-Math.max(hours, spacingMs / msPerHour) / timeH);
  const lagStays = Math.exp(-Math.max(hours, timeH) / timeH);
  // Mean squares of both kinds of difference, of a first-order process beside white noise.
  const telling = 6 - 8 * lagStays + 2 * lagStays ** 2 - 6 * (1 - stays);
  if (telling < leastTelling) return { slow: { variance: 0, timeH }, quick: total };
  const found = (6 * (bend - quick)) / telling;
  if (found <= believedFrom * quick) return { slow: { variance: 0, timeH }, quick: total };
  const variance = Math.min(most, found);
  const rest = quick - variance * (1 - stays);
  return { slow: { variance, timeH }, quick: Math.min(total, Math.max(leastQuickShare * total, rest)) };
}
