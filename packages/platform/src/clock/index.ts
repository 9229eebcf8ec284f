/** The entry point `@lcs/platform/clock`, for small processes that need nothing else of the platform. */
export { toTimestamp } from './clock.ts';
export { realClock } from './real-clock.ts';
