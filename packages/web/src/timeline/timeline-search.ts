import { type TimelineKind, timelineKinds } from '@lcs/contract';

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

export interface TimelineFilters {
  readonly kinds: readonly TimelineKind[];
  /** `null`: all. */
  readonly unit: string | null;
  /** Empty: all. */
  readonly by: string;
  readonly sinceMs: number | null;
  readonly untilMs: number | null;
}

const noKind = 'none';
const longestName = 200;

/** A name of digits arrives as a number. */
function nameOf(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text !== '' && text.length <= longestName ? text : undefined;
}

/** The years that the leader accepts. */
const latestMs = Date.UTC(9999, 11, 31);

function momentOf(value: unknown): string | undefined {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return ms >= 0 && ms < latestMs ? new Date(ms).toISOString() : undefined;
}

const chosenKinds = (text: string | undefined): readonly TimelineKind[] => {
  const chosen = text?.split(',') ?? timelineKinds;
  return timelineKinds.filter((kind) => chosen.includes(kind));
};

const kindsText = (kinds: readonly TimelineKind[]): string | undefined =>
  kinds.length === timelineKinds.length ? undefined : kinds.join(',') || noKind;

/** Reads the filters of an address, which a person may have typed; what means nothing is left out. */
export function readTimelineSearch(raw: Readonly<Record<string, unknown>>): TimelineSearch {
  const kinds = nameOf(raw.kinds);
  const known = kinds === undefined || kinds === noKind ? kinds : kindsText(chosenKinds(kinds));
  const [about, by, since, until] = [nameOf(raw.about), nameOf(raw.by), momentOf(raw.since), momentOf(raw.until)];
  return {
    ...(known === undefined || (known === noKind && kinds !== noKind) ? {} : { kinds: known }),
    ...(about === undefined ? {} : { about }),
    ...(by === undefined ? {} : { by }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  };
}

const msOf = (moment: string | undefined): number | null => (moment === undefined ? null : Date.parse(moment));

export const filtersOfSearch = ({ kinds, about, by, since, until }: TimelineSearch): TimelineFilters => ({
  kinds: chosenKinds(kinds),
  unit: about ?? null,
  by: by ?? '',
  sinceMs: msOf(since),
  untilMs: msOf(until),
});

const momentText = (ms: number | null): string | undefined => (ms === null ? undefined : new Date(ms).toISOString());

/** The address with these filters changed. */
export const filterSearch = ({ kinds, unit, by, sinceMs, untilMs }: Partial<TimelineFilters>): TimelineSearch => ({
  ...(kinds !== undefined && { kinds: kindsText(kinds) }),
  ...(unit !== undefined && { about: unit ?? undefined }),
  ...(by !== undefined && { by: by || undefined }),
  ...(sinceMs !== undefined && { since: momentText(sinceMs) }),
  ...(untilMs !== undefined && { until: momentText(untilMs) }),
});

/** The address without filters. */
export const noFilters: TimelineSearch = {
  kinds: undefined,
  about: undefined,
  by: undefined,
  since: undefined,
  until: undefined,
};

export const areFiltered = ({ kinds, unit, by, sinceMs, untilMs }: TimelineFilters): boolean =>
  kinds.length < timelineKinds.length || unit !== null || by !== '' || sinceMs !== null || untilMs !== null;
