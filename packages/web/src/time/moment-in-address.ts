/** The years that the leader accepts, less a day for what follows the moment. */
const latestMs = Date.UTC(9999, 11, 31);

/** Whether the leader accepts it; a year that is being typed begins with 0002. */
export const isAccepted = (ms: number): boolean => ms >= 0 && ms < latestMs;

/** A moment of an address, which a person may have typed. */
export function momentOf(value: unknown): string | undefined {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return isAccepted(ms) ? new Date(ms).toISOString() : undefined;
}
