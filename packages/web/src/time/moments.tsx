import { useElapsed } from './use-ticking.ts';

const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const localTime = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

const hoursAndMinutes = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

/** `09:14`, where the page is read. */
export const clockText = (ms: number): string => hoursAndMinutes.format(ms);

/** `2026-05-02 09:14:03 UTC` */
export const utcText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** Time of the day where the page is read. */
export const localTimeText = (ms: number): string => localTime.format(ms);

/** A moment in local time; the exact moment in UTC shows on hover and is there for assistive tools. */
export function Moment({ ms }: { readonly ms: number }) {
  return (
    <time dateTime={new Date(ms).toISOString()} title={utcText(ms)}>
      {local.format(ms)}
    </time>
  );
}

/** How long ago a moment of the leader's clock was; it goes on by itself. */
export function Elapsed({ sinceMs }: { readonly sinceMs: number }) {
  return <span style={{ fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' }}>{useElapsed(sinceMs)}</span>;
}
