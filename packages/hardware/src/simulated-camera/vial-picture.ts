import type { VialView } from '../simulated/plant.ts';
import { writeText } from './glyphs.ts';

/** A picture in shades of grey, row by row from the upper left corner; 0 is black. */
export interface GreyPicture {
  readonly width: number;
  readonly height: number;
  readonly grey: Uint8Array;
}

const width = 320;
const height = 400;
/** The inside of the vial, in pixels. */
export const vialInside = { left: 100, right: 220, top: 60, bottom: 360 } as const;
const wall = 4;
/** Scattered light comes near its greatest value at some such OD. */
const halfOd = 0.8;
/** A vortex reaches this share of the liquid's height at the speed at which it is deepest. */
const deepest = 0.35;
const deepestAtRpm = 1_500;
/** Of the light that a lit vial gives, without the LED. */
const darkShare = 0.35;
const glassGrey = 150;
const airGrey = 30;
const clearGrey = 60;
const turbidGrey = 225;

interface Layout {
  /** 0 to 1. */
  readonly brightness: number;
  readonly liquidGrey: number;
  /** Row at which the liquid begins, by column. */
  readonly surface: (x: number) => number;
}

const share = (value: number): number => Math.min(1, Math.max(0, value));

/** Where the liquid begins: a parabola that is deepest in the middle and keeps the volume. */
function surfaceOf({ volumeMl, capacityMl, rpm }: VialView): Layout['surface'] {
  const { left, right, top, bottom } = vialInside;
  const liquid = (bottom - top) * share(volumeMl / capacityMl);
  const depth = liquid * deepest * share(rpm / deepestAtRpm) ** 2;
  const middle = (left + right) / 2;
  const radius = (right - left) / 2;
  // On average over the width the parabola lies at a third of its depth.
  return (x) => bottom - liquid - depth / 3 + depth * (1 - ((x - middle) / radius) ** 2);
}

function layoutOf(view: VialView): Layout {
  const turbidity = view.od <= 0 ? 0 : view.od / (view.od + halfOd);
  return {
    brightness: darkShare + (1 - darkShare) * share(view.lightPercent / 100),
    liquidGrey: clearGrey + (turbidGrey - clearGrey) * turbidity,
    surface: surfaceOf(view),
  };
}

function greyAt({ surface, liquidGrey }: Layout, x: number, y: number): number {
  const { left, right, top, bottom } = vialInside;
  if (x < left - wall || x >= right + wall || y < top || y >= bottom + wall) return 0;
  if (x < left || x >= right || y >= bottom) return glassGrey;
  const line = surface(x);
  if (y < line) return airGrey;
  // The meniscus catches light.
  return y < line + 2 ? Math.min(255, liquidGrey + 30) : liquidGrey;
}

/** The picture of a camera in front of a vial, with a time stamp. The same view gives the same picture. */
export function vialPicture(view: VialView, stamp: string): GreyPicture {
  const layout = layoutOf(view);
  const grey = new Uint8Array(width * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) grey[y * width + x] = Math.round(layout.brightness * greyAt(layout, x, y));
  }
  const scale = 3;
  writeText(stamp, (dotX, dotY) => {
    for (let y = 0; y < scale; y += 1) {
      for (let x = 0; x < scale; x += 1) grey[(10 + dotY * scale + y) * width + 10 + dotX * scale + x] = 255;
    }
  });
  return { width, height, grey };
}
