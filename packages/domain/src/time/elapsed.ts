import { dayMs, hourMs, minuteMs } from '@lcs/contract/durations';

const secondMs = 1000;

/**
 * A time span in its two largest units: `9 d 4 h`, `4 h 12 min`, `12 min 5 s`.
 * A negative span (a clock was set back) is `0 s`.
 */
export function elapsedText(spanMs: number): string {
  const ms = Math.max(0, spanMs);
  if (ms >= dayMs) return `${Math.floor(ms / dayMs)} d ${Math.floor((ms % dayMs) / hourMs)} h`;
  if (ms >= hourMs) return `${Math.floor(ms / hourMs)} h ${Math.floor((ms % hourMs) / minuteMs)} min`;
  if (ms >= minuteMs) return `${Math.floor(ms / minuteMs)} min ${Math.floor((ms % minuteMs) / secondMs)} s`;
  return `${Math.floor(ms / secondMs)} s`;
}

/** A time span in its largest unit only: `9 d`, `4 h`, `12 min`, `5 s`. */
export const roughSpanText = (spanMs: number): string => elapsedText(spanMs).split(' ').slice(0, 2).join(' ');

/**
 * A span that is expected, rounded to the nearest: below one hour in minutes, below 6 hours in steps of 10 minutes, below 2 days in hours, then
 * in days: `2 h 50 min`, `23 h`, `5 d`. A forecast is not more exact than that.
 */
export function forecastSpanText(spanMs: number): string {
  const minutes = Math.max(1, Math.round(spanMs / minuteMs));
  if (minutes < 60) return `${minutes} min`;
  const tens = Math.round(spanMs / (10 * minuteMs));
  if (tens < 36) return tens % 6 === 0 ? `${tens / 6} h` : `${Math.floor(tens / 6)} h ${10 * (tens % 6)} min`;
  const hours = Math.round(spanMs / hourMs);
  return hours < 48 ? `${hours} h` : `${Math.round(spanMs / dayMs)} d`;
}
