import { dayMs, hourMs } from '@lcs/contract';
import type { SessionRecord } from './access-records.ts';

/**
 * A session ends when it was not used for `idleMs`, and in any case after `longestMs`. People: OWASP ASVS 4, 3.3.2. A shared tablet only reads
 * by itself, and stays at its place.
 */
export const sessionLimits = {
  person: { idleMs: 12 * hourMs, longestMs: 7 * dayMs },
  tablet: { idleMs: 30 * dayMs, longestMs: 366 * dayMs },
} as const;

/** When a session ends if it is not used again. */
export function expiryOf({ lastSeenAt, createdAt, tablet }: SessionRecord): number {
  const { idleMs, longestMs } = tablet === null ? sessionLimits.person : sessionLimits.tablet;
  return Math.min(lastSeenAt + idleMs, createdAt + longestMs);
}
