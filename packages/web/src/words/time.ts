export const timeWords = {
  // Moment text
  utc: (local: string, toISOString: string) => `${local}, ${toISOString} UTC`,
} as const;
