/** A moment (milliseconds since 1970 UTC) as the border writes it: ISO-8601 UTC with milliseconds and Z. */
export const toTimestamp = (moment: number): string => new Date(moment).toISOString();
