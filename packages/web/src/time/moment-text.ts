const localDateAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const localTime = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

const hoursAndMinutes = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

const dayAndMonth = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const dayMonthAndYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });

/** `09:14` of today, `23 Nov 09:14` of another day, with the year of another year; where the page is read. */
export function momentText(ms: number, nowMs: number): string {
  const [moment, now] = [new Date(ms), new Date(nowMs)];
  const time = hoursAndMinutes.format(ms);
  if (moment.toDateString() === now.toDateString()) return time;
  const day = moment.getFullYear() === now.getFullYear() ? dayAndMonth : dayMonthAndYear;
  return `${day.format(ms)} ${time}`;
}

const two = (value: number): string => String(value).padStart(2, '0');

/** A moment as the value of a date-time input, to the minute: `2026-05-02T09:14`. */
export function localMinute(ms: number): string {
  const date = new Date(ms);
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** `2026-05-02 09:14:03 UTC` */
export const utcText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** Time of the day where the page is read. */
export const localTimeText = (ms: number): string => localTime.format(ms);

const localDate = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** The day where the page is read. */
export const dayText = (ms: number): string => localDate.format(ms);

/** Date and time of the day where the page is read. */
export const localText = (ms: number): string => localDateAndTime.format(ms);
