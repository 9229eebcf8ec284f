import { dayMs } from '@lcs/contract/durations';
import type { Points } from './extremes.ts';

/** Rounded half away from zero to `decimals` digits after the point. */
export function roundHalfAway(value: number, decimals: number): number {
  const scaled = Math.abs(value) * 10 ** decimals;
  // A larger number has no such digits, and scaling would lose some.
  if (scaled >= Number.MAX_SAFE_INTEGER) return value;
  const rounded = Math.round(scaled) / 10 ** decimals;
  return value < 0 && rounded !== 0 ? -rounded : rounded;
}

/** The longest point: `{"x":"…","y":…},` with an instant of 24 and a number of at most 25 characters. */
export const maxBytesPerPoint = 64;
/** Instants of far years are a little longer. */
const reservedBytesPerPoint = 80;
const initialBytes = 64 * 1024;
/** A larger buffer is released after its response. */
const maxKeptBytes = 2 * 1024 * 1024;

const zero = 48;
const [minus = 0, point = 0, comma = 0, bracket = 0, endBracket = 0, endBrace = 0] = Buffer.from('-.,[]}');
const encoder = new TextEncoder();

/** The text before the lines of a response. */
export const answerHead = (labels: readonly string[]): string => `{"series":${JSON.stringify(labels)},"data":[`;
/** The text after them. */
export const answerEnd = ']}';

/**
 * Writes lines of points as JSON, byte by byte into one buffer: joining strings and encoding them takes several times as long and creates as
 * much garbage.
 */
export class AnswerWriter {
  #bytes = new Uint8Array(initialBytes);
  #end = 0;

  /** Discards the lines of a failed response. */
  reset(): void {
    this.#end = 0;
  }

  /** Adds `[{"x":…,"y":…},…]`; values rounded to 0 to 7 digits after the point. */
  line({ at, value }: Points, decimals: number): void {
    const bytes = this.#reserve(at.length * reservedBytesPerPoint + 3);
    let end = this.#end;
    if (end > 0) bytes[end++] = comma;
    bytes[end++] = bracket;
    let day = dayOf(Number.NaN);
    for (let index = 0; index < at.length; index += 1) {
      if (index > 0) bytes[end++] = comma;
      const moment = at[index] ?? 0;
      if (!(moment >= day.fromMs && moment < day.fromMs + dayMs)) day = dayOf(moment);
      end = writeInstant(bytes, end, moment - day.fromMs, day);
      end = writeRounded(bytes, end, value[index] ?? 0, decimals);
      bytes[end++] = endBrace;
    }
    bytes[end++] = endBracket;
    this.#end = end;
  }

  /** The lines so far, with commas between them, in their own memory; the next line starts again. */
  lines(): Uint8Array<ArrayBuffer> {
    const lines = this.#bytes.slice(0, this.#end);
    this.#release();
    return lines;
  }

  /** `{"series":[label…],"data":[line…]}` of the lines so far, in its own memory; the next line starts another response. */
  answer(labels: readonly string[]): Uint8Array<ArrayBuffer> {
    const head = encoder.encode(answerHead(labels));
    const answer = new Uint8Array(head.length + this.#end + 2);
    answer.set(head);
    answer.set(this.#bytes.subarray(0, this.#end), head.length);
    answer.set([endBracket, endBrace], answer.length - 2);
    this.#release();
    return answer;
  }

  #release(): void {
    this.#end = 0;
    if (this.#bytes.length > maxKeptBytes) this.#bytes = new Uint8Array(initialBytes);
  }

  #reserve(more: number): Uint8Array {
    if (this.#end + more > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#end + more, 2 * this.#bytes.length));
      larger.set(this.#bytes.subarray(0, this.#end));
      this.#bytes = larger;
    }
    return this.#bytes;
  }
}

interface Day {
  readonly fromMs: number;
  /** The beginning of a point at its first time: `{"x":"2026-05-02T00:00:00.000Z","y":`. */
  readonly beginning: Uint8Array;
  /** The position of the hours in it. */
  readonly hoursAt: number;
}

/** The day of a time in ms; for NaN a day that contains no time. */
function dayOf(at: number): Day {
  const fromMs = Math.floor(at / dayMs) * dayMs;
  if (Number.isNaN(fromMs)) return { fromMs, beginning: new Uint8Array(), hoursAt: 0 };
  const text = `{"x":"${new Date(fromMs).toISOString()}","y":`;
  return { fromMs, beginning: encoder.encode(text), hoursAt: text.indexOf('T') + 1 };
}

/** `ms` since the day began. Returns the position of the next byte. */
function writeInstant(bytes: Uint8Array, start: number, ms: number, { beginning, hoursAt }: Day): number {
  for (let index = 0; index < beginning.length; index += 1) bytes[start + index] = beginning[index] ?? 0;
  const seconds = Math.floor(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const end = start + hoursAt;
  writeDigits(bytes, end, hours, 2);
  writeDigits(bytes, end + 'hh:'.length, minutes - hours * 60, 2);
  writeDigits(bytes, end + 'hh:mm:'.length, seconds - minutes * 60, 2);
  writeDigits(bytes, end + 'hh:mm:ss.'.length, ms - seconds * 1000, 3);
  return start + beginning.length;
}

/** A fixed number of digits, with leading zeros; `number` is whole. */
function writeDigits(bytes: Uint8Array, start: number, number: number, count: number): number {
  let rest = number;
  for (let index = start + count - 1; index >= start; index -= 1) {
    const tenth = Math.floor(rest / 10);
    bytes[index] = zero + rest - tenth * 10;
    rest = tenth;
  }
  return start + count;
}

/**
 * The same text as that of `roundHalfAway`: up to 15 digits are the shortest that identify a number, so they can be written from the rounded
 * whole number. Numbers with an exponent, and long ones, use the general conversion.
 */
function writeRounded(bytes: Uint8Array, start: number, value: number, decimals: number): number {
  const scale = scales[decimals] ?? 10 ** decimals;
  const scaled = Math.round(Math.abs(value) * scale);
  const hasExponent = scaled > 0 && scaled * 1e6 < scale;
  if (hasExponent || !(scaled < 1e15 && scaled < 1e9 * scale)) {
    const text = encoder.encode(String(roundHalfAway(value, decimals)));
    bytes.set(text, start);
    return start + text.length;
  }
  let end = start;
  if (value < 0 && scaled > 0) bytes[end++] = minus;
  const whole = Math.floor(scaled / scale);
  end = writeDigits(bytes, end, whole, digitsOf(whole));
  let fraction = scaled - whole * scale;
  if (fraction === 0) return end;
  let count = decimals;
  while (fraction % 10 === 0) {
    fraction /= 10;
    count -= 1;
  }
  bytes[end++] = point;
  return writeDigits(bytes, end, fraction, count);
}

/** Powers of ten by their digits. */
const scales = Array.from({ length: 8 }, (_, decimals) => 10 ** decimals);

/** Of a whole number below 10^9. */
function digitsOf(whole: number): number {
  let count = 1;
  for (let limit = 10; whole >= limit; limit *= 10) count += 1;
  return count;
}
