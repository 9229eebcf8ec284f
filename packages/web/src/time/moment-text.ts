import { dayMs } from '@lcs/contract';
import { timeWords } from '../words/time.ts';

/**
 * Times as the web UI shows them: the time zone of the browser, 24 hours, days in the order of the browser's language. What needs a
 * date or a time for people takes it from here, so that one moment looks the same on all pages.
 */
const format = (options: Intl.DateTimeFormatOptions): ((ms: number) => string) => {
  const formatter = new Intl.DateTimeFormat(undefined, { hourCycle: 'h23', ...options });
  return (ms) => formatter.format(ms);
};

/** `14:35` */
export const clockText = format({ hour: '2-digit', minute: '2-digit' });

/** `14:35:07` */
export const secondText = format({ hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** `27 Nov` */
export const dayOfYearText = format({ day: 'numeric', month: 'short' });

/** `27 Nov 2026` */
export const dayText = format({ day: 'numeric', month: 'short', year: 'numeric' });

/** `Friday 27 November`, for headings. */
export const weekdayText = format({ weekday: 'long', day: 'numeric', month: 'long' });

/** `Fri 27 Nov` */
export const shortWeekdayText = format({ weekday: 'short', day: 'numeric', month: 'short' });

/** `Fri 14:35`, of a moment within a few days. */
export const weekdayClockText = format({ weekday: 'short', hour: '2-digit', minute: '2-digit' });

/** `27 Nov 2026 14:35` */
export const localText = (ms: number): string => `${dayText(ms)} ${clockText(ms)}`;

/** `27 Nov 14:35:07`, where the axis of a chart says of which time it is. */
const secondOfYearText = (ms: number): string => `${dayOfYearText(ms)} ${secondText(ms)}`;

/** `27 Nov 14:35:07` of a year, `27 Nov 2024 14:35:07` of another. */
export const secondOfAnyYearText = (ms: number, year: number): string =>
  new Date(ms).getFullYear() === year ? secondOfYearText(ms) : `${dayText(ms)} ${secondText(ms)}`;

/** `09:14` of today, `23 Nov 09:14` of another day, with the year of another year. */
export function momentText(ms: number, nowMs: number): string {
  const [moment, now] = [new Date(ms), new Date(nowMs)];
  if (moment.toDateString() === now.toDateString()) return clockText(ms);
  const day = moment.getFullYear() === now.getFullYear() ? dayOfYearText : dayText;
  return `${day(ms)} ${clockText(ms)}`;
}

const two = (value: number): string => String(value).padStart(2, '0');

/** The zone of a moment's local time for an offset in minutes ahead of UTC: `UTC`, `UTC+1`, `UTC−3:30`. */
export function offsetText(aheadMin: number): string {
  const size = Math.abs(aheadMin);
  const minutes = size % 60 === 0 ? '' : `:${two(size % 60)}`;
  return size === 0 ? 'UTC' : `UTC${aheadMin < 0 ? '−' : '+'}${Math.floor(size / 60)}${minutes}`;
}

/** Minutes that local time is ahead of UTC at a moment. */
export const aheadMinutesAt = (ms: number): number => -new Date(ms).getTimezoneOffset();

/** The zone in which a moment is shown: a zone with summer time has two. */
export const zoneText = (ms: number, aheadAt = aheadMinutesAt): string => offsetText(aheadAt(ms));

/** The zones of the moments of a list: `UTC+1`, or `UTC+1/UTC+2` when the clocks changed between them. */
export const zonesText = (moments: readonly number[], aheadAt = aheadMinutesAt): string =>
  [...new Set(moments.map(aheadAt))]
    .sort((a, b) => a - b)
    .map(offsetText)
    .join('/');

const weekMs = 7 * dayMs;

/** The zones of all moments of a window. No zone changes its clocks for less than a week. */
export function windowZones(
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  aheadAt = aheadMinutesAt,
): string {
  const weeks = Math.max(0, Math.ceil((toMs - fromMs) / weekMs));
  return zonesText([...Array.from({ length: weeks }, (_, week) => fromMs + week * weekMs), toMs], aheadAt);
}

/** The zone in which the value of a date-time input is read; of an empty one that of now. */
export function fieldZone(value: string, nowMs: number, aheadAt = aheadMinutesAt): string {
  const ms = new Date(value).getTime();
  return zoneText(Number.isNaN(ms) ? nowMs : ms, aheadAt);
}

/** A moment to the second with its zone, and in UTC as files have it: what a time shows on hover. */
export function exactText(ms: number): string {
  const zone = zoneText(ms);
  const local = `${dayText(ms)} ${secondText(ms)} ${zone}`;
  return zone === 'UTC' ? local : timeWords.utc(local, new Date(ms).toISOString().slice(0, 19).replace('T', ' '));
}

/** The local date as text that sorts: `2026-05-02`. */
export function localDay(ms: number): string {
  const date = new Date(ms);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** A moment as the value of a date-time input, to the minute: `2026-05-02T09:14`. */
export function localMinute(ms: number): string {
  const date = new Date(ms);
  return `${localDay(ms)}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** The same to the second: `2026-05-02T09:14:03`. */
export const localSecond = (ms: number): string => `${localMinute(ms)}:${two(new Date(ms).getSeconds())}`;
