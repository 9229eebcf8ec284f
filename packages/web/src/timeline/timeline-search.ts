import { type TimelineKind, timelineKinds } from '@lcs/contract';
import type { TimelineSearch } from './timeline-address.ts';

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

/** Kinds that a person has typed and that do not exist do not filter. */
function chosenKinds(text: string | undefined): readonly TimelineKind[] {
  if (text === noKind) return [];
  const chosen = text?.split(',') ?? [];
  const known = timelineKinds.filter((kind) => chosen.includes(kind));
  return known.length === 0 ? timelineKinds : known;
}

const kindsText = (kinds: readonly TimelineKind[]): string | undefined =>
  kinds.length === timelineKinds.length ? undefined : kinds.join(',') || noKind;

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

/** The present kinds with what a person has changed on a page that may not show them yet. */
export const changedKinds = (
  present: readonly TimelineKind[],
  shown: readonly TimelineKind[],
  chosen: readonly string[],
): readonly TimelineKind[] =>
  timelineKinds.filter((kind) => {
    const isChosen = chosen.includes(kind);
    return isChosen === shown.includes(kind) ? present.includes(kind) : isChosen;
  });

export const areFiltered = ({ kinds, unit, by, sinceMs, untilMs }: TimelineFilters): boolean =>
  kinds.length < timelineKinds.length || unit !== null || by !== '' || sinceMs !== null || untilMs !== null;
