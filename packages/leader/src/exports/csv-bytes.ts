import { formatReal } from './csv-text.ts';

const zero = 48;
const [minus = 0, point = 0] = Buffer.from('-.');
/** The digits of 000 to 999, three bytes each. */
const threeDigits = Buffer.from(Array.from({ length: 1_000 }, (_, number) => String(number).padStart(3, '0')).join(''));

/** The longest text of a real: sign, 17 digits, point, exponent. */
export const maxRealBytes = 32;

/** Writes 0 to 999 as three digits. Returns the position of the next byte. */
function writeThree(bytes: Uint8Array, start: number, number: number): number {
  const from = 3 * number;
  bytes[start] = threeDigits[from] ?? 0;
  bytes[start + 1] = threeDigits[from + 1] ?? 0;
  bytes[start + 2] = threeDigits[from + 2] ?? 0;
  return start + 3;
}

/** `07.120`: seconds and milliseconds of a minute, in milliseconds. Returns the position of the next byte. */
export function writeSeconds(bytes: Uint8Array, start: number, ms: number): number {
  const second = Math.trunc(ms / 1_000);
  const tens = Math.trunc(second / 10);
  bytes[start] = zero + tens;
  bytes[start + 1] = zero + second - 10 * tens;
  bytes[start + 2] = point;
  return writeThree(bytes, start + 3, ms - 1_000 * second);
}

const scale = 1e12;
/** A product has a relative error of 2^-53: nearer than twice that to the middle between two digits, the exact decimals decide. */
const productError = 2 ** -52;

/** Writes the same text as `realText`. Returns the position of the next byte. */
export function writeReal(bytes: Uint8Array, start: number, value: number): number {
  const magnitude = Math.abs(value);
  const scaled = magnitude * scale;
  const rounded = Math.round(scaled);
  const isSure = magnitude < 1_000 && Math.abs(scaled - rounded) < 0.5 - scaled * productError;
  if (!isSure || rounded === 0) return writeText(bytes, start, formatReal(value));
  let end = start;
  if (value < 0) bytes[end++] = minus;
  const whole = Math.trunc(rounded / scale);
  if (whole >= 100) end = writeThree(bytes, end, whole);
  else {
    if (whole >= 10) bytes[end++] = zero + Math.trunc(whole / 10);
    bytes[end++] = zero + (whole % 10);
  }
  bytes[end++] = point;
  const fraction = rounded - whole * scale;
  const high = Math.trunc(fraction / 1e6);
  const low = fraction - high * 1e6;
  const highThousands = Math.trunc(high / 1_000);
  const lowThousands = Math.trunc(low / 1_000);
  end = writeThree(bytes, end, highThousands);
  end = writeThree(bytes, end, high - 1_000 * highThousands);
  end = writeThree(bytes, end, lowThousands);
  end = writeThree(bytes, end, low - 1_000 * lowThousands);
  // One decimal remains.
  while (bytes[end - 1] === zero && bytes[end - 2] !== point) end -= 1;
  return end;
}

/** Writes ASCII text. Returns the position of the next byte. */
function writeText(bytes: Uint8Array, start: number, text: string): number {
  for (let index = 0; index < text.length; index += 1) bytes[start + index] = text.charCodeAt(index);
  return start + text.length;
}
