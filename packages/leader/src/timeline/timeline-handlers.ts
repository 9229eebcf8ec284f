import {
  ApiError,
  type Handlers,
  type TimelineKind,
  type TimelineQuery,
  timelineKinds,
  type timelineRoutes,
} from '@lcs/contract';
import type { AuditDatabase } from '../audit/audit-tables.ts';
import type { LeaderContext } from '../core/leader-context.ts';
import { queryTimestamp } from '../core/timestamps.ts';
import { experimentKey, type LeaderReader } from '../queries/experiments.ts';
import { actionSource } from './actions.ts';
import { readAlarms } from './alarms.ts';
import { readBlanks } from './blanks.ts';
import { readDepartures } from './departures.ts';
import { readDoses } from './doses.ts';
import { readInterruptionEntries } from './interruptions.ts';
import { readNotes } from './notes.ts';
import { profileSource, type StepsOf } from './profile-steps.ts';
import { readSettings } from './settings.ts';
import type { FoundEntry, TimelineFilter, TimelinePosition, TimelineSource } from './timeline-source.ts';

const usualLimit = 100;

/** A place in the timeline: entries of one moment are in the order of their kinds. */
interface Place extends TimelinePosition {
  readonly rank: number;
}

const cursorPattern = /^(\d{1,15})\.(\d)\.(\d{1,15})$/;

const invalid = (name: string, cause: string, remediation: string): ApiError<'invalid_query'> =>
  new ApiError('invalid_query', { name, cause, remediation });

/** @throws ApiError invalid_query */
function placeOf(text: string): Place {
  const [, at, rank, id] = cursorPattern.exec(text) ?? [];
  if (at !== undefined && rank !== undefined && id !== undefined)
    return { at: Number(at), rank: Number(rank), id: Number(id) };
  throw invalid(
    'before',
    `'${text}' is not the mark of a page.`,
    'Send the value of x-next-before of the previous page.',
  );
}

/** @throws ApiError invalid_query */
function kindsOf(text: string | undefined): ReadonlySet<TimelineKind> {
  if (text === undefined) return new Set(timelineKinds);
  return new Set(
    text.split(',').map((name) => {
      const kind = timelineKinds.find((one) => one === name.trim());
      if (kind !== undefined) return kind;
      throw invalid(
        'kinds',
        `'${name}' is not a kind of timeline entries.`,
        `Send some of ${timelineKinds.join(', ')}, separated by commas.`,
      );
    }),
  );
}

/** Where the entries of a kind continue after a place: those of the same moment are shown if their kind is later. */
const positionIn = (rank: number, place: Place): TimelinePosition => ({
  at: place.at,
  id: rank === place.rank ? place.id : rank > place.rank ? Number.MAX_SAFE_INTEGER : 0,
});

interface RankedEntry extends FoundEntry {
  readonly rank: number;
}

const byPlace = (one: RankedEntry, other: RankedEntry): number =>
  other.at - one.at || one.rank - other.rank || other.id - one.id;

/** So many entries, and those that share the place of the last one. */
function pageOf(sorted: readonly RankedEntry[], limit: number): readonly RankedEntry[] {
  const last = sorted[limit - 1];
  if (last === undefined) return sorted;
  const next = sorted.findIndex((one, index) => index >= limit && byPlace(one, last) !== 0);
  return next < 0 ? sorted : sorted.slice(0, next);
}

/** Entries of one kind from two sources, in their order. */
const merged =
  (...sources: readonly TimelineSource[]): TimelineSource =>
  async (reads, filter) =>
    (await Promise.all(sources.map((source) => source(reads, filter))))
      .flat()
      .sort((one, other) => other.at - one.at || other.id - one.id)
      .slice(0, filter.limit);

/** The timeline of an experiment. `reads` queries outside of the main thread. */
export function timelineHandlers(
  { database, clock }: Pick<LeaderContext, 'database' | 'clock'>,
  reads: LeaderReader,
  { stepsOf, audit }: { readonly stepsOf: StepsOf; readonly audit: AuditDatabase },
): Handlers<typeof timelineRoutes> {
  const sources: { readonly [Kind in TimelineKind]: TimelineSource } = {
    dose: (own, filter) => readDoses(own, filter, clock.now()),
    setting: merged(readSettings, readBlanks),
    note: readNotes,
    alarm: readAlarms,
    profile: profileSource(stepsOf),
    interruption: readInterruptionEntries,
    action: merged(actionSource(audit), readDepartures),
  };

  const filterOf = (
    query: TimelineQuery,
  ): Omit<TimelineFilter, 'experimentId' | 'experimentUid' | 'experiment' | 'createdAt' | 'endedAt' | 'before'> => ({
    ...(query.reactor_unit !== undefined && { unit: query.reactor_unit }),
    ...(query.by !== undefined && { by: query.by }),
    ...(query.since !== undefined && { since: queryTimestamp('since', query.since) }),
    ...(query.until !== undefined && { until: queryTimestamp('until', query.until) }),
    limit: query.limit ?? usualLimit,
  });

  return {
    getTimeline: async ({ params: { experiment }, query }) => {
      const kinds = kindsOf(query.kinds);
      const before = query.before === undefined ? undefined : placeOf(query.before);
      const filter = filterOf(query);
      const found = await experimentKey(database.read, experiment).select(['uid', 'ended_at']).executeTakeFirst();
      if (found === undefined) throw new ApiError('experiment_not_found', { experiment });
      const scope = {
        ...filter,
        experimentId: found.id,
        experimentUid: found.uid,
        experiment: found.name,
        createdAt: found.created_at,
        endedAt: found.ended_at,
      };
      const entries = await Promise.all(
        timelineKinds.map(async (kind, rank): Promise<readonly RankedEntry[]> => {
          if (!kinds.has(kind)) return [];
          // One more than a page: whether there is a next one.
          const own = {
            ...scope,
            limit: scope.limit + 1,
            ...(before !== undefined && { before: positionIn(rank, before) }),
          };
          return (await sources[kind](reads, own)).map((one) => ({ ...one, rank }));
        }),
      );
      const sorted = entries.flat().sort(byPlace);
      const page = pageOf(sorted, scope.limit);
      const last = page.at(-1);
      const headers: Record<string, string> =
        last !== undefined && page.length < sorted.length
          ? { 'x-next-before': `${last.at}.${last.rank}.${last.id}` }
          : {};
      return { status: 200, body: page.map(({ entry }) => entry), headers };
    },
  };
}
