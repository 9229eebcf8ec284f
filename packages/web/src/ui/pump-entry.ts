const prefix = 'pump-';

/** The name in an address of the dose of a unit that a moment belongs to, where the entry of the timeline is not known. */
export const entryOfPump = (unit: string): string => `${prefix}${unit}`;

/** The unit of such a name; undefined: it names an entry. */
export const unitOfPumpEntry = (name: string): string | undefined =>
  name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
