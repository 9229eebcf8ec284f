import { isJpeg } from './camera.ts';

/** The segment of a JPEG that has the preview holds at most 65,533 bytes, and few segments come before it. */
export const previewWithinBytes = 128 * 1024;

const marker = { start: 0xffd8, exif: 0xffe1, scan: 0xffda } as const;
const exifHeader = [0x45, 0x78, 0x69, 0x66, 0, 0];
const tag = { previewOffset: 0x0201, previewLength: 0x0202 } as const;
const entryBytes = 12;

/** The TIFF structure in the first EXIF segment; undefined: there is none. */
function tiffIn(jpeg: Uint8Array): Uint8Array | undefined {
  const view = new DataView(jpeg.buffer, jpeg.byteOffset, jpeg.byteLength);
  if (view.byteLength < 4 || view.getUint16(0) !== marker.start) return undefined;
  for (let at = 2; at + 4 <= view.byteLength; ) {
    const found = view.getUint16(at);
    const length = view.getUint16(at + 2);
    if (found < 0xff00 || found === marker.scan || length < 2) return undefined;
    const content = jpeg.subarray(at + 4, at + 2 + length);
    if (found === marker.exif && exifHeader.every((byte, index) => content[index] === byte))
      return content.subarray(exifHeader.length);
    at += 2 + length;
  }
  return undefined;
}

/** Where the preview lies in the TIFF structure: its second directory has it. @throws RangeError for a broken structure */
function previewPlace(tiff: Uint8Array): { readonly from: number; readonly length: number } | undefined {
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
  const isLittle = view.getUint16(0) === 0x4949;
  const first = view.getUint32(4, isLittle);
  const second = view.getUint32(first + 2 + entryBytes * view.getUint16(first, isLittle), isLittle);
  if (second === 0) return undefined;
  const values = new Map<number, number>();
  for (let index = 0; index < view.getUint16(second, isLittle); index += 1) {
    const at = second + 2 + entryBytes * index;
    values.set(view.getUint16(at, isLittle), view.getUint32(at + 8, isLittle));
  }
  const [from, length] = [values.get(tag.previewOffset), values.get(tag.previewLength)];
  return from === undefined || length === undefined ? undefined : { from, length };
}

/**
 * The small JPEG that cameras store in the EXIF data of a still (Exif 2.3, section 4.4.3), by its first `previewWithinBytes`;
 * undefined: it has none.
 */
export function previewIn(jpeg: Uint8Array): Uint8Array | undefined {
  const tiff = tiffIn(jpeg);
  if (tiff === undefined) return undefined;
  try {
    const place = previewPlace(tiff);
    const preview = place && tiff.subarray(place.from, place.from + place.length);
    return preview !== undefined && isJpeg(preview) ? preview : undefined;
  } catch (error) {
    // The file of another program: the whole still is served.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
