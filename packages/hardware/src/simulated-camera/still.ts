import { toTimestamp } from '@lcs/platform/clock';
import type { VialView } from '../simulated/plant.ts';
import { jpegOf } from './jpeg.ts';
import { vialPicture } from './vial-picture.ts';

/** A still of the simulated camera, as JPEG, with a time stamp; `atMs`: milliseconds since 1970. */
export const stillOf = (view: VialView, atMs: number): Uint8Array =>
  jpegOf(vialPicture(view, toTimestamp(atMs).slice(0, 19)));
