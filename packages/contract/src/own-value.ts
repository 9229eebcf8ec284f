/**
 * The value of a key from user input: a unit may have the name `constructor`, and only own properties of the record
 * count. Undefined when it has none.
 */
export const ownValue = <Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;
