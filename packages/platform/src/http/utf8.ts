import { isUtf8 } from 'node:buffer';

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** The start of the character that contains a byte; at most three bytes before it. */
function characterStart(bytes: Buffer, at: number): number {
  let start = at;
  while (start > at - 3 && isContinuation(bytes[start])) start -= 1;
  return start;
}

/** Below this size, bytes are checked one by one. */
const fewBytes = 16;

/** The offset of the first byte that is not UTF-8, or undefined when all are. */
export function utf8FaultOffset(bytes: Buffer): number | undefined {
  if (isUtf8(bytes)) return undefined;
  // Binary search: the bytes before `good` are UTF-8, those before `bad` are not.
  let good = 0;
  let bad = bytes.length;
  while (bad - good > fewBytes) {
    const middle = characterStart(bytes, (good + bad) >>> 1);
    if (isUtf8(bytes.subarray(good, middle))) good = middle;
    else bad = middle;
  }
  let end = bad;
  while (end > good && !isUtf8(bytes.subarray(good, end))) end -= 1;
  return end;
}
