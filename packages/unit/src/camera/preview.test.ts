import fc from 'fast-check';
import { expect, it } from 'vitest';
import { previewIn } from './preview.ts';

const small = [0xff, 0xd8, 1, 2, 3, 0xff, 0xd9];

/** A JPEG with an EXIF segment; `at`: where the preview is said to be. */
function still({ isLittle = true, at = 44, length = small.length, before = [] as readonly number[] } = {}): Uint8Array {
  const word = (value: number): readonly number[] => {
    const bytes = [value >> 8, value & 0xff];
    return isLittle ? bytes.toReversed() : bytes;
  };
  const long = (value: number): readonly number[] => {
    const bytes = [value >>> 24, (value >> 16) & 0xff, (value >> 8) & 0xff, value & 0xff];
    return isLittle ? bytes.toReversed() : bytes;
  };
  const entry = (tag: number, value: number) => [...word(tag), ...word(4), ...long(1), ...long(value)];
  const mark = isLittle ? [0x49, 0x49] : [0x4d, 0x4d];
  const directories = [...word(0), ...long(14), ...word(2), ...entry(0x201, at), ...entry(0x202, length), ...long(0)];
  const tiff = [...mark, ...word(42), ...long(8), ...directories, ...small];
  const exif = [0x45, 0x78, 0x69, 0x66, 0, 0, ...tiff];
  const size = exif.length + 2;
  return new Uint8Array([0xff, 0xd8, ...before, 0xff, 0xe1, size >> 8, size & 0xff, ...exif, 0xff, 0xd9]);
}

it('finds the preview in either order of bytes, behind other segments', () => {
  for (const isLittle of [true, false])
    for (const before of [[], [0xff, 0xe0, 0, 4, 7, 7]])
      expect([...(previewIn(still({ isLittle, before })) ?? [])]).toEqual(small);
});

it('has none where the file has none, is cut, or leads elsewhere', () => {
  const whole = still();
  expect(previewIn(new Uint8Array([0xff, 0xd8, 0xff, 0xd9]))).toBeUndefined();
  expect(previewIn(new Uint8Array())).toBeUndefined();
  expect(previewIn(still({ at: 45 }))).toBeUndefined();
  expect(previewIn(still({ length: 0xffffffff, at: 0xffffff }))).toBeUndefined();
  for (let end = 0; end < whole.length - small.length - 2; end += 1)
    expect(previewIn(whole.subarray(0, end))).toBeUndefined();
});

it('never fails, whatever the bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 120 }), fc.nat(120), (bytes, at) => {
      const spoiled = still();
      spoiled.set(bytes.subarray(0, Math.max(0, spoiled.length - at)), Math.min(at, spoiled.length));
      previewIn(spoiled);
      previewIn(bytes);
    }),
  );
});
