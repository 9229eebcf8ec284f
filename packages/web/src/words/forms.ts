export const formsWords = {
  // Faults of fields
  notNumber: (example: string) => `Not a clear number: write it like ${example}.`,
  wholeNumberIsNeeded: 'A whole number is needed.',
  atLeast: (min: string, unit: string) => `At least ${min}${unit}.`,
  atMost: (max: string, unit: string) => `At most ${max}${unit}.`,
} as const;
