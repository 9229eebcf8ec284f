import { type Range, tickLabels, yTicks } from '../charts/y-scale.ts';
import type { Place } from './curve-line.ts';

/** px around the drawing: room for the labels of the axes. */
const margin = { left: 64, right: 14, top: 10, bottom: 44 };
/** px between two ticks, at least. */
const spacing = { x: 50, y: 32 };
/** Points do not lie on the axes. */
const paddingShare = 0.06;

/** A tick of an axis, at a pixel of the drawing. */
interface Tick {
  readonly px: number;
  readonly label: string;
}

/** How values become pixels of a drawing, with the ticks of both axes at round values. */
export interface XyScale {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly toX: (value: number) => number;
  readonly toY: (value: number) => number;
  readonly xTicks: readonly Tick[];
  readonly yTicks: readonly Tick[];
}

function rangeOf(values: readonly number[]): Range {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const padding = low === high ? Math.abs(low) * 0.1 || 1 : paddingShare * (high - low);
  return [low - padding, high + padding];
}

function ticksOf(range: Range, length: number, least: number, toPx: (value: number) => number): readonly Tick[] {
  const values = yTicks(range, length, least);
  const labels = tickLabels(values);
  return values.map((value, index) => ({ px: toPx(value), label: labels[index] ?? '' }));
}

/** The scale of a drawing of this size that shows all places; there is at least one. */
export function xyScale(places: readonly Place[], size: { readonly width: number; readonly height: number }): XyScale {
  const x = rangeOf(places.map((place) => place.x));
  const y = rangeOf(places.map((place) => place.y));
  const { left, top } = margin;
  const [right, bottom] = [size.width - margin.right, size.height - margin.bottom];
  const toX = (value: number): number => left + ((value - x[0]) / (x[1] - x[0])) * (right - left);
  const toY = (value: number): number => bottom - ((value - y[0]) / (y[1] - y[0])) * (bottom - top);
  return {
    left,
    right,
    top,
    bottom,
    toX,
    toY,
    xTicks: ticksOf(x, right - left, spacing.x, toX),
    yTicks: ticksOf(y, bottom - top, spacing.y, toY),
  };
}
