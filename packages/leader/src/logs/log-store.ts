import { type RawBuilder, sql } from 'kysely';
import { graceMs, type LogFilter } from './log-filter.ts';

/** A stored entry. */
export interface StoredLog {
  readonly id: number;
  readonly experiment: string;
  readonly reactor_unit: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly level: string;
  readonly message: string;
  readonly source: string;
  readonly task: string;
}

import { containing, searchQuestion, shortestIndexed } from './log-search.ts';

/** A text too short for the index is searched in this many of the newest entries. */
const scannedEntries = 5_000;

const columns = sql`l.id, l.experiment, l.reactor_unit, l.at, l.level, l.message, l.source, l.task`;

const every = (conditions: readonly RawBuilder<unknown>[]) =>
  conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);

/** Fields that need no index. */
function boundsOf({ since, before, whileAssigned }: LogFilter): readonly RawBuilder<unknown>[] {
  return [
    ...(since === undefined ? [] : [sql`l.at >= ${since}`]),
    ...(before ? [sql`(l.at, l.id) < (${before.at}, ${before.id})`] : []),
    ...(whileAssigned
      ? [
          sql`exists (select 1 from assignment_history h where h.experiment_id = ${whileAssigned.experimentId}
            and h.reactor_unit = ${whileAssigned.unit} and h.assigned_at <= l.at
            and (h.unassigned_at is null or l.at <= h.unassigned_at + ${graceMs}))`,
        ]
      : []),
  ];
}

const isExperiment = (id: number | null) => (id === null ? sql`l.experiment_id is null` : sql`l.experiment_id = ${id}`);

const matching = (search: string) =>
  sql`(l.message like ${containing(search)} escape '\\' or l.task like ${containing(search)} escape '\\')`;

/**
 * Newest first, from indexes alone: for each level (and experiment, and unit) an index has the order, and those are merged as far as
 * requested.
 */
function newest(filter: LogFilter, wanted: RawBuilder<unknown>): RawBuilder<unknown> {
  const experiments = filter.experiments?.map((id) => [isExperiment(id)]) ?? [[]];
  const units = filter.units?.map((unit) => [sql`l.reactor_unit = ${unit}`]) ?? [[]];
  const branches = experiments.flatMap((experiment) =>
    units.flatMap((unit) =>
      filter.levels.map((level) => {
        const conditions = every([...experiment, ...unit, sql`l.level = ${level}`, ...boundsOf(filter)]);
        return sql`select l.id, l.at from logs l where ${conditions}`;
      }),
    ),
  );
  return sql`(${sql.join(branches, sql` union all `)} order by 2 desc, 1 desc ${wanted})`;
}

const page = ({ skip, limit }: LogFilter) => sql`limit ${limit} offset ${skip}`;

/** The entries that a filter without text selects. */
const browsed = (filter: LogFilter) =>
  sql<StoredLog>`select ${columns} from
    ${newest(filter, page(filter))} found
    cross join logs l on l.id = found.id order by l.at desc, l.id desc`;

/** The entries with a text that is too short for the index, among the newest. */
const scanned = (filter: LogFilter, search: string) =>
  sql<StoredLog>`select ${columns} from
    ${newest(filter, sql`limit ${scannedEntries}`)} found
    cross join logs l on l.id = found.id where ${every([
      matching(search),
      ...(filter.source ? [sql`l.source = ${filter.source}`] : []),
    ])} order by found.at desc, found.id desc ${page(filter)}`;

/** The entries with a text or a source: newest first, up to the limit; by the search index, if there is one. */
const searched = (filter: LogFilter, hasIndex: boolean) => {
  const { experiments, units, levels, before, since, source, search } = filter;
  const conditions = every([
    ...(hasIndex && before ? [sql`s.rowid <= (${before.at} << 10) | 1023`] : []),
    ...(!hasIndex || since === undefined ? [] : [sql`s.rowid >= ${since} << 10`]),
    sql`l.level in (${sql.join(levels)})`,
    ...(experiments ? [sql`(${sql.join(experiments.map(isExperiment), sql` or `)})`] : []),
    ...(units ? [sql`l.reactor_unit in (${sql.join(units)})`] : []),
    ...(source ? [sql`l.source = ${source}`] : []),
    ...(search ? [matching(search)] : []),
    ...boundsOf(filter),
  ]);
  if (!hasIndex)
    return sql<StoredLog>`select ${columns} from logs l where ${conditions} order by l.at desc, l.id desc ${page(filter)}`;
  return sql<StoredLog>`select ${columns} from logs_search s
    cross join logs l indexed by logs_by_time on l.at = s.rowid >> 10 and (l.id & 1023) = (s.rowid & 1023)
    where s.logs_search match ${searchQuestion(filter)} and ${conditions}
    order by s.rowid desc ${page(filter)}`;
};

/**
 * The query of a page of the event log, newest first. The filter must name at least one experiment and unit if any. `hasIndex`: whether
 * the store has a search index, as on SQLite.
 */
export function logQuery(filter: LogFilter, hasIndex = true): RawBuilder<StoredLog> {
  const { search, source } = filter;
  if (search && [...search].length < shortestIndexed) return scanned(filter, search);
  return search || source ? searched(filter, hasIndex) : browsed(filter);
}
