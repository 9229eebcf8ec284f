import { expect, it } from 'vitest';
import { unsigned } from './buffer-crc32.ts';

/** The check value of CRC-32/ISO-HDLC. */
const [digits, check] = [Buffer.from('123456789'), 0xcbf43926];

it('computes the CRC-32 of zip files, also piece by piece', () => {
  expect(unsigned(digits)).toBe(check);
  expect(unsigned(digits.subarray(4), unsigned(digits.subarray(0, 4)))).toBe(check);
  expect(unsigned(Buffer.alloc(0), check)).toBe(check);
});
