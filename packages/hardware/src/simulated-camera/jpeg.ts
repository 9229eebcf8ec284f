import { encode } from 'jpeg-js';
import type { GreyPicture } from './vial-picture.ts';

/** In the usual sense of encoders, 1 to 100: fine enough that grey levels survive. */
const quality = 85;

/** A grey picture as JPEG. */
export function jpegOf({ width, height, grey }: GreyPicture): Uint8Array {
  const data = new Uint8Array(width * height * 4);
  for (const [index, level] of grey.entries()) data.set([level, level, level, 255], index * 4);
  return encode({ width, height, data }, quality).data;
}
