import { decimalSeparator, fixedText } from '../ui/number-text.ts';

export type Range = readonly [low: number, high: number];

/** A chart shows at least this share of the range of its descriptor, so that noise does not look like a signal. */
const leastShare = 0.1;
const margin = 0.08;

/** The least range of values of a chart with this domain. */
export const leastSpanOf = (domain: Range): number => (domain[1] - domain[0]) * leastShare;

/** The range of a y axis for readings from `low` to `high`: a little wider, and not so narrow that noise fills it. */
export function yRange(low: number | null, high: number | null, domain: Range): Range {
  if (low === null || high === null) return domain;
  const least = leastSpanOf(domain) || Math.abs(low) * 0.02 || 1;
  const span = Math.max(high - low, least);
  const middle = (low + high) / 2;
  const bottom = middle - span * (0.5 + margin);
  const top = middle + span * (0.5 + margin);
  // The axis of values that cannot be negative begins at zero or above; near zero it begins at zero.
  if (low < 0 || domain[0] < 0) return [bottom, top];
  return bottom < span * 0.25 ? [Math.min(0, low), top] : [bottom, top];
}

/** An axis whose ends would move by less than this share stays where it is. */
const steadyShare = 0.02;

/** The next range of an axis after `shown`: the same as long as it fits, so that a live chart does not jitter. */
export function steadyRange(shown: Range, next: Range): Range {
  const tolerance = steadyShare * (next[1] - next[0]);
  return next.every((end, at) => Math.abs(end - (shown[at] ?? Number.NaN)) <= tolerance) ? shown : next;
}

const steps = [1, 2, 2.5, 5, 10];

/** Round values for the ticks of an axis: about one for each `spacing` of `length` pixels. */
export function yTicks([low, high]: Range, length: number, spacing = 36): readonly number[] {
  const rough = (high - low) / Math.max(1, Math.floor(length / spacing));
  if (!(rough > 0) || !Number.isFinite(rough)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = (steps.find((each) => each * power >= rough * 0.999) ?? 10) * power;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  );
}

/** The labels of ticks, all with as many digits as their step needs. */
export function tickLabels(ticks: readonly number[]): readonly string[] {
  const step = Math.abs((ticks[1] ?? 0) - (ticks[0] ?? 0));
  const largest = Math.max(...ticks.map(Math.abs), 0);
  if (largest >= 1e6 || (largest > 0 && largest < 1e-4))
    return ticks.map((tick) => (tick === 0 ? '0' : tick.toExponential(1).replace('.', decimalSeparator)));
  let digits = 0;
  while (digits < 6 && step > 0 && Math.abs(step * 10 ** digits - Math.round(step * 10 ** digits)) > 1e-6) digits += 1;
  return ticks.map((tick) => fixedText(tick, digits));
}

/** The range of a logarithmic y axis for positive readings from `low` to `high`, at least a doubling high. */
export function logRange(low: number | null, high: number | null): Range {
  if (low === null || high === null || low <= 0) return [0.001, 1];
  const widened = Math.max(Math.log2(high / low), 1);
  const middle = Math.log2(low * high) / 2;
  return [2 ** (middle - widened * (0.5 + margin)), 2 ** (middle + widened * (0.5 + margin))];
}

const logSteps = [[1, 2, 5], [1, 3], [1]] as const;

/** Round values for the ticks of a logarithmic axis: decades, and values between them if they fit. */
export function logTicks([low, high]: Range, length: number, spacing = 28): readonly number[] {
  const most = Math.max(2, Math.floor(length / spacing));
  const from = Math.floor(Math.log10(low));
  const decades = Array.from({ length: Math.ceil(Math.log10(high)) - from + 1 }, (_, index) => from + index);
  const inside = (steps: readonly number[]): readonly number[] =>
    decades
      .flatMap((decade) => steps.map((step) => Number((step * 10 ** decade).toPrecision(3))))
      .filter((tick) => tick >= low && tick <= high);
  const fitting = logSteps.map(inside).find((ticks) => ticks.length <= most) ?? inside([1]);
  return fitting.length >= 2 ? fitting : yTicks([low, high], length);
}
