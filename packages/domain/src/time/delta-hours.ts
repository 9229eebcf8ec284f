import { hourMs } from '@lcs/contract/durations';

/** Whole hours from `createdAt` to `now` (both milliseconds), truncated toward zero; negative when the clock was set back. */
export const deltaHours = (createdAt: number, now: number): number =>
  // Adding zero turns the -0 of a truncated negative fraction into 0.
  Math.trunc((now - createdAt) / hourMs) + 0;

/** The first time (milliseconds) after `now` at which `deltaHours` changes. */
export function nextDeltaHoursChange(createdAt: number, now: number): number {
  const hours = deltaHours(createdAt, now);
  return hours >= 0 ? createdAt + (hours + 1) * hourMs : createdAt + hours * hourMs + 1;
}
