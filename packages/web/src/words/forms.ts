export const formsWords = {
  // Faults of fields
  notNumber: 'Not a number.',
  wholeNumberIsNeeded: 'A whole number is needed.',
  atLeast: (min: string, unit: string) => `At least ${min}${unit}.`,
  atMost: (max: string, unit: string) => `At most ${max}${unit}.`,
} as const;
