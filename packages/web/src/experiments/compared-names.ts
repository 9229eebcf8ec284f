/** As many as the leader compares at once. */
export const mostCompared = 10;

// The name of an experiment cannot contain a percent sign, so that it can stand for a comma.
const escapedComma = '%2C';

/** Names of experiments as the address of their comparison has them: separated by commas. */
export const namesText = (names: readonly string[]): string =>
  names.map((name) => name.replaceAll(',', escapedComma)).join(',');

/** The names of an address, each once. */
export function namesOf(text: string | undefined): readonly string[] {
  const names = (text ?? '').split(',').map((name) => name.replaceAll(escapedComma, ',').trim());
  return [...new Set(names.filter((name) => name !== ''))];
}
