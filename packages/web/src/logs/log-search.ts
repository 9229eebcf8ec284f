/** The search part of the address of the log of the cluster. */
interface LogSearch {
  /** The unit whose entries a person came for. */
  readonly unit?: string;
  /** The minute up to which entries are shown, RFC 3339. */
  readonly at?: string | undefined;
}

/** Reads the search part of an address, which a person may have typed; unknown parts are left out. */
export function readLogSearch({ unit, at }: Record<string, unknown>): LogSearch {
  return {
    ...(typeof unit === 'string' && unit !== '' && { unit }),
    ...(typeof at === 'string' && !Number.isNaN(Date.parse(at)) && { at }),
  };
}
