/** The device whose curves are compared; of former addresses of this page the unit, and its open procedure. */
export interface CalibrationsSearch {
  readonly curves?: string;
  readonly unit?: string;
  readonly session?: string;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Reads the search part of an address, which a person may have entered; invalid parts are left out. */
export function readCalibrationsSearch(search: Record<string, unknown>): CalibrationsSearch {
  const [unit, session] = [textOf(search.unit), textOf(search.session)];
  const curves = textOf(search.curves);
  if (unit === undefined) return curves === undefined ? {} : { curves };
  return { unit, ...(session !== undefined && { session }) };
}
