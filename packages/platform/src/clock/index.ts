/** The door `@lcs/platform/clock`, for small processes that need a clock and nothing else of the platform. */
export { realClock } from './real-clock.ts';
