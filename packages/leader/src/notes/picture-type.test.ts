import { describe, expect, it } from 'vitest';
import { pictureType } from './picture-type.ts';

const bytes = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

describe('the type of a picture', () => {
  it.each([
    ['\xff\xd8\xff\xe0JFIF', 'image/jpeg'],
    ['\x89PNG\r\n\x1a\n....', 'image/png'],
    ['RIFF....WEBPVP8 ', 'image/webp'],
    ['RIFF....WAVEfmt ', undefined],
    ['GIF89a', undefined],
    ['<svg xmlns="http://www.w3.org/2000/svg">', undefined],
    ['\xff\xd8', undefined],
    ['', undefined],
  ])('of %j is %s', (text, type) => {
    expect(pictureType(bytes(text))).toBe(type);
  });
});
