export const timeWords = {
  // Times
  utc: (local: string, toISOString: string) => `${local}, ${toISOString} UTC`,
} as const;
