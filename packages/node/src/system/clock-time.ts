import { ApiError } from '@lcs/contract';

const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;
const firstYear = 2020;
const lastYear = 2100;

/**
 * Parses a time for the clock: milliseconds since 1970, from RFC 3339 with any zone.
 * @throws ApiError clock_time_invalid
 */
export function clockTime(text: string): number {
  const invalid = (cause: string) => new ApiError('clock_time_invalid', { cause });
  const parts = rfc3339.exec(text);
  if (parts === null) throw invalid(`'${text}' is not an RFC 3339 moment with a zone.`);
  const [, year, month, day] = parts;
  const daysInMonth = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  const utcMs = Date.parse(text.replace(' ', 'T').toUpperCase());
  if (Number.isNaN(utcMs) || Number(day) > daysInMonth) throw invalid(`'${text}' is not a valid date.`);
  const utcYear = new Date(utcMs).getUTCFullYear();
  if (utcYear < firstYear || utcYear > lastYear)
    throw invalid(`'${text}' is not between ${firstYear} and ${lastYear}.`);
  return utcMs;
}
