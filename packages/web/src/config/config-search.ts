/** The search part of the address of the configuration page; without a unit it shows the shared file. */
export interface ConfigSearch {
  readonly unit?: string;
}

/** Reads the search part of an address, which a person may have entered; invalid parts are left out. */
export const readConfigSearch = ({ unit }: Record<string, unknown>): ConfigSearch =>
  typeof unit === 'string' && unit !== '' ? { unit } : {};
