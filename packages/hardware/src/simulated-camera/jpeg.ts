import { encode } from 'jpeg-js';
import { exifWith } from './exif-preview.ts';
import type { GreyPicture } from './vial-picture.ts';

/** In the usual sense of encoders, 1 to 100: fine enough that grey levels survive. */
const quality = 85;
/** A preview is so many times smaller in each direction. */
const previewScale = 2;

function encoded({ width, height, grey }: GreyPicture, exif?: Uint8Array): Uint8Array {
  const data = new Uint8Array(width * height * 4);
  for (const [index, level] of grey.entries()) data.set([level, level, level, 255], index * 4);
  return encode({ width, height, data, ...(exif !== undefined && { exifBuffer: exif }) }, quality).data;
}

function smaller({ width, height, grey }: GreyPicture): GreyPicture {
  const small = { width: Math.floor(width / previewScale), height: Math.floor(height / previewScale) };
  const levels = Uint8Array.from({ length: small.width * small.height }, (_, index) => {
    const [x, y] = [index % small.width, Math.floor(index / small.width)];
    return grey[y * previewScale * width + x * previewScale] ?? 0;
  });
  return { ...small, grey: levels };
}

/** A grey picture as JPEG, with a small one in its EXIF data as cameras store it. */
export const jpegOf = (picture: GreyPicture): Uint8Array => encoded(picture, exifWith(encoded(smaller(picture))));
