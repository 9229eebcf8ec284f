import type { NotePhotoType } from '@lcs/contract';

const latin1 = (bytes: Uint8Array, from: number, to: number): string =>
  String.fromCharCode(...bytes.subarray(from, to));

/** Signatures: JFIF 1.02 and Exif (SOI and the next marker), PNG (RFC 2083, 3.1), WebP (RFC 9649, 2.4). */
const signatures: readonly (readonly [NotePhotoType, (bytes: Uint8Array) => boolean])[] = [
  ['image/jpeg', (bytes) => latin1(bytes, 0, 3) === '\xff\xd8\xff'],
  ['image/png', (bytes) => latin1(bytes, 0, 8) === '\x89PNG\r\n\x1a\n'],
  ['image/webp', (bytes) => latin1(bytes, 0, 4) === 'RIFF' && latin1(bytes, 8, 12) === 'WEBP'],
];

/** The type of a picture by its first bytes; undefined: none that browsers show as a photo. */
export const pictureType = (bytes: Uint8Array): NotePhotoType | undefined =>
  signatures.find(([, matches]) => matches(bytes))?.[0];
