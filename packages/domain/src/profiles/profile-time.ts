import { dayMs, hourMs, minuteMs } from '@lcs/contract/durations';

/** A parsed time of a profile. */
export type ProfileTime =
  | { readonly ok: true; readonly ms: number }
  | { readonly ok: false; readonly is: 'invalid' | 'negative' };

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: minuteMs, h: hourMs, d: dayMs };
const literal = /^(-?)(\d+(?:\.\d+)?|\.\d+)([smhd])$/i;

/** Ten years: a longer time is a typing error. */
const longestMs = 10 * 365 * dayMs;

function inMs(value: number, unit: number): ProfileTime {
  const ms = Math.round(value * unit);
  if (value < 0) return { ok: false, is: 'negative' };
  return Number.isFinite(value) && ms <= longestMs ? { ok: true, ms } : { ok: false, is: 'invalid' };
}

/** Parses `10s`, `15m`, `1.5h`, `2d`, or a number of hours. */
export function profileTime(value: number | string): ProfileTime {
  if (typeof value === 'number') return inMs(value, hourMs);
  const [, sign = '', digits = '', unit = ''] = literal.exec(value.trim()) ?? [];
  const scale = unitMs[unit.toLowerCase()];
  if (scale === undefined) return { ok: false, is: 'invalid' };
  return inMs(sign === '-' ? -Number(digits) || -1 : Number(digits), scale);
}
