import { minuteMs } from '@lcs/contract/durations';

const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
const threeDigits = Array.from({ length: 1_000 }, (_, number) => String(number).padStart(3, '0'));

/** Formats times as text. The part that is the same for a whole minute is made once. */
class MinuteText {
  readonly #minute: (ms: number) => string;
  readonly #end: string;
  #begin = Number.NaN;
  #text = '';

  /** `minute` formats a time up to the seconds; zones differ by whole minutes. */
  constructor(minute: (ms: number) => string, end: string) {
    this.#minute = minute;
    this.#end = end;
  }

  of(ms: number): string {
    let rest = ms - this.#begin;
    if (!(rest >= 0 && rest < minuteMs)) {
      this.#begin = Math.floor(ms / minuteMs) * minuteMs;
      this.#text = this.#minute(this.#begin);
      rest = ms - this.#begin;
    }
    const second = Math.trunc(rest / 1_000);
    return `${this.#text}${twoDigits[second]}.${threeDigits[rest - second * 1_000]}${this.#end}`;
  }
}

/** `2026-05-02T09:14:` of a time, UTC. */
export const utcMinute = (ms: number): string => new Date(ms).toISOString().slice(0, 17);

/** `2026-05-02 11:14:` of a time in a zone; undefined: the machine's. */
export function localMinute(timeZone: string | undefined): (ms: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    ...(timeZone === undefined ? {} : { timeZone }),
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return (ms) => `${format.format(ms)}:`;
}

/** `2026-05-02T09:14:03.120Z` */
export const utcText = (): MinuteText => new MinuteText(utcMinute, 'Z');

/** `2026-05-02 11:14:03.120` in a zone; undefined: the machine's. */
export const localText = (timeZone: string | undefined): MinuteText => new MinuteText(localMinute(timeZone), '');

const zero = 48;

/** Parses time stamps as milliseconds; NaN for other texts. Texts of one minute are parsed quickly. */
export function timestampParser(): (text: string) => number {
  let prefix = '';
  let beginMs = Number.NaN;
  return (text) => {
    const isOurs = text.length === 24 && text.charCodeAt(19) === 46 && text.charCodeAt(23) === 90;
    if (!isOurs) return Date.parse(text);
    if (prefix === '' || !text.startsWith(prefix)) {
      beginMs = Date.parse(`${text.slice(0, 17)}00.000Z`);
      prefix = Number.isNaN(beginMs) ? '' : text.slice(0, 17);
    }
    const digit = (index: number): number => text.charCodeAt(index) - zero;
    const seconds = digit(17) * 10 + digit(18);
    return beginMs + seconds * 1_000 + digit(20) * 100 + digit(21) * 10 + digit(22);
  };
}
