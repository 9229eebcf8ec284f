import { useElapsed } from '../services/use-ticking.ts';
import { dayText, exactText, localText, secondText } from '../time/moment-text.ts';

/** A moment in local time; on hover to the second, with its zone. */
export function Moment({ ms }: { readonly ms: number }) {
  return (
    <time dateTime={new Date(ms).toISOString()} title={exactText(ms)}>
      {localText(ms)}
    </time>
  );
}

/** A moment in local time to the second, with its zone on hover. */
export function MomentToSecond({ ms }: { readonly ms: number }) {
  return (
    <time dateTime={new Date(ms).toISOString()} title={exactText(ms)}>
      {dayText(ms)} {secondText(ms)}
    </time>
  );
}

/** The day of a moment in local time; the exact moment shows on hover. */
export function Day({ ms }: { readonly ms: number }) {
  return (
    <time dateTime={new Date(ms).toISOString()} title={exactText(ms)} style={{ whiteSpace: 'nowrap' }}>
      {dayText(ms)}
    </time>
  );
}

/** The time since a moment of the leader's clock; it updates itself. */
export function Elapsed({ sinceMs }: { readonly sinceMs: number }) {
  return <span style={{ fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' }}>{useElapsed(sinceMs)}</span>;
}
