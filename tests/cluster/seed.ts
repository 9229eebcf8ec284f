/** The short run that belongs to `npm test` is the same every time; a longer one is different every time. A variable decides for both. */
export function seedFrom(variable: string, isLongRun: boolean): number {
  const given = process.env[variable];
  if (given !== undefined) return Number(given);
  return isLongRun ? Math.floor(Math.random() * 2 ** 31) : 1;
}
