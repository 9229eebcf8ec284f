import { ApiError, minuteMs } from '@lcs/contract';

const pattern = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(\.\d{1,12})?([Zz]|[+-]\d{2}:\d{2})$/;

/** The offset of a zone from UTC in milliseconds; undefined beyond a day. */
function offsetOf(zone: string): number | undefined {
  if (zone === 'Z' || zone === 'z') return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(4, 6))];
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * minuteMs;
}

/**
 * A time stamp of RFC 3339 with its zone, in milliseconds since 1970 UTC; finer fractions are dropped. Undefined for any other text, and for
 * dates and times that do not exist.
 */
export function parseTimestamp(text: string): number | undefined {
  const [, year, month, day, hour, minute, second, fraction = '', zone = ''] = pattern.exec(text) ?? [];
  const numbers = [year, month, day, hour, minute, second].map(Number);
  const [y = Number.NaN, mo = 0, d = 0, h = 0, mi = 0, s = 0] = numbers;
  const offset = offsetOf(zone);
  if (Number.isNaN(y) || offset === undefined || h > 23 || mi > 59 || s > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(y, mo - 1, d);
  if (date.getUTCMonth() !== mo - 1 || date.getUTCDate() !== d) return undefined;
  const milliseconds = Number(`${fraction.slice(1)}000`.slice(0, 3));
  return date.getTime() + ((h * 60 + mi) * 60 + s) * 1000 + milliseconds - offset;
}

/**
 * The time stamp in a query.
 * @throws ApiError invalid_query
 */
export function queryTimestamp(name: string, text: string): number {
  const at = parseTimestamp(text);
  if (at !== undefined) return at;
  throw new ApiError('invalid_query', {
    name,
    cause: `'${text}' must be a time with its zone.`,
    remediation: 'Send a time with its zone, such as 2026-05-02T09:14:03.120Z.',
  });
}
