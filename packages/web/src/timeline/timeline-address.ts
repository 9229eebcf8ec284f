/** The filters of the timeline in the address, so that a link shows the same entries; a missing part does not filter. */
export interface TimelineSearch {
  /** Kinds, separated by commas; `none`: no kind. */
  readonly kinds?: string | undefined;
  /** The unit that entries are about. */
  readonly about?: string | undefined;
  /** Person. */
  readonly by?: string | undefined;
  /** RFC 3339. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

const longestName = 200;

/** A name of digits arrives as a number. */
function nameOf(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text !== '' && text.length <= longestName ? text : undefined;
}

/** The years that the leader accepts, less a day for what follows the moment. */
const latestMs = Date.UTC(9999, 11, 31);

/** Whether the leader accepts it; a year that is being typed begins with 0002. */
export const isAccepted = (ms: number): boolean => ms >= 0 && ms < latestMs;

/** A moment of an address, which a person may have typed. */
export function momentOf(value: unknown): string | undefined {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return isAccepted(ms) ? new Date(ms).toISOString() : undefined;
}

/** Reads the filters of an address, which a person may have typed; what means nothing is left out. The router loads this with the first page. */
export function readTimelineSearch(raw: Readonly<Record<string, unknown>>): TimelineSearch {
  const [kinds, about, by] = [nameOf(raw.kinds), nameOf(raw.about), nameOf(raw.by)];
  const [since, until] = [momentOf(raw.since), momentOf(raw.until)];
  return {
    ...(kinds === undefined ? {} : { kinds }),
    ...(about === undefined ? {} : { about }),
    ...(by === undefined ? {} : { by }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  };
}

/** The address without filters. */
export const noFilters: TimelineSearch = {
  kinds: undefined,
  about: undefined,
  by: undefined,
  since: undefined,
  until: undefined,
};
