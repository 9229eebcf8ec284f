/** The search part of the address of the configuration page; without a unit it shows the shared file. */
export interface ConfigSearch {
  readonly unit?: string;
  /** The settings that the form shows at first: those with these words. */
  readonly find?: string;
}

const isWord = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Reads the search part of an address, which a person may have entered; invalid parts are left out. */
export const readConfigSearch = ({ unit, find }: Record<string, unknown>): ConfigSearch => ({
  ...(isWord(unit) && { unit }),
  ...(isWord(find) && { find }),
});
