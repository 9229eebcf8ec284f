/**
 * The value of a key that anybody may have written: a unit may be called `constructor`, and only what the record itself holds
 * counts. Undefined when it holds none.
 */
export const ownValue = <Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;
