/** Text up to the minute, `2024-05-02T10:17`. */
const minuteForm = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d$/;
const zonedForm = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,9})?[+-]\d\d:?\d\d$/;

const zero = 48;
const digitAt = (text: string, at: number): number => text.charCodeAt(at) - zero;
const isDigit = (digit: number): boolean => digit >= 0 && digit <= 9;

/**
 * Reads the moments of the other system: ISO-8601 text, UTC when it names no zone, with up to nine decimals, of which the store keeps three.
 * Years of readings begin with the same minute as the one before, so the last one is kept.
 */
export class MomentReader {
  readonly #latestMs: number;
  #minute = '';
  #minuteMs = Number.NaN;

  /** @param latestMs later moments are wrong */
  constructor(latestMs: number) {
    this.#latestMs = latestMs;
  }

  /** Milliseconds since 1970 UTC; undefined: it is not a moment, or one before 1970 or in the future. */
  read(text: string): number | undefined {
    const at = this.#parsed(text);
    return at !== undefined && at >= 0 && at <= this.#latestMs ? at : undefined;
  }

  #parsed(text: string): number | undefined {
    const seconds = digitAt(text, 17) * 10 + digitAt(text, 18);
    if (text.charCodeAt(16) !== 58 || !isDigit(digitAt(text, 17)) || !isDigit(digitAt(text, 18)) || seconds > 59)
      return undefined;
    let end = 19;
    let millis = 0;
    if (text.charCodeAt(19) === 46) {
      for (end = 20; end < 29 && isDigit(digitAt(text, end)); end += 1)
        if (end < 23) millis = millis * 10 + digitAt(text, end);
      if (end === 20) return undefined;
      for (let digits = end - 20; digits < 3; digits += 1) millis *= 10;
    }
    const zone = text.slice(end);
    if (zone !== '' && zone !== 'Z' && zone !== '+00:00' && zone !== '+0000') return otherZone(text);
    const minuteMs = this.#minuteOf(text.slice(0, 16));
    return minuteMs + seconds * 1_000 + millis;
  }

  #minuteOf(minute: string): number {
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#minuteMs = minuteForm.test(minute) ? Date.parse(`${minute.replace(' ', 'T')}:00Z`) : Number.NaN;
    }
    return this.#minuteMs;
  }
}

function otherZone(text: string): number | undefined {
  return zonedForm.test(text) ? Math.floor(Date.parse(text.replace(' ', 'T'))) : undefined;
}
