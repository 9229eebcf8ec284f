import type { Experiment } from '@lcs/contract';
import { deltaHours } from '@lcs/domain';
import { toTimestamp } from '@lcs/platform';
import { type Kysely, sql } from 'kysely';
import type { LeaderSchema } from '../core/leader-context.ts';

/** Reads alike in and outside a transaction. */
export type LeaderReader = Kysely<LeaderSchema>;

/** An experiment as the answers are made from it. */
export interface StoredExperiment {
  readonly id: number;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly created_at: number;
  readonly description: string | null;
  readonly ended_at: number | null;
  readonly archived_at: number | null;
  /** 1, or else 0 or null. */
  readonly is_protected: number | null;
  /** Name of the account; null: nobody with an account. */
  readonly created_by: string | null;
  /** JSON array, in the order in which they were given. */
  readonly tags: string;
  readonly worker_count: number;
  readonly active_worker_count: number;
}

/**
 * Experiments that live (deletion has not begun), with tags and workers in one statement: an answer never mixes two states
 * of the store.
 */
const experiments = (database: LeaderReader) =>
  database
    .selectFrom('experiments as e')
    .where('e.deleting_at', 'is', null)
    .select([
      'e.id',
      'e.name',
      'e.created_at',
      'e.description',
      'e.ended_at',
      'e.archived_at',
      sql<number | null>`(select x.is_protected from experiment_access x where x.experiment_id = e.id)`.as(
        'is_protected',
      ),
      sql<string | null>`(select x.created_by from experiment_access x where x.experiment_id = e.id)`.as('created_by'),
      sql<string>`(select json_group_array(t.tag order by t.position) from experiment_tags t
        where t.experiment_id = e.id)`.as('tags'),
      sql<number>`(select count(*) from assignments a where a.experiment_id = e.id)`.as('worker_count'),
      sql<number>`(select count(*) from assignments a join workers w on w.reactor_unit = a.reactor_unit
        where a.experiment_id = e.id and w.is_active = 1)`.as('active_worker_count'),
    ]);

/** All existing experiments, newest first. */
export const allExperiments = (database: LeaderReader) =>
  experiments(database).orderBy('e.created_at', 'desc').orderBy('e.id', 'desc');

/** Those that have ended (or not) and were archived (or not), newest first; what is not said does not matter. */
export function experimentsThat(
  database: LeaderReader,
  { ended, archived }: { readonly ended?: boolean; readonly archived?: boolean },
) {
  let query = allExperiments(database);
  if (ended !== undefined) query = query.where('e.ended_at', ended ? 'is not' : 'is', null);
  if (archived !== undefined) query = query.where('e.archived_at', archived ? 'is not' : 'is', null);
  return query;
}

/** The existing experiment of that name. */
export const experimentNamed = (database: LeaderReader, name: string) =>
  experiments(database).where('e.name', '=', name);

/** Id and name of the existing experiment of that name, for those who need no more. */
export const experimentKey = (database: LeaderReader, name: string) =>
  database
    .selectFrom('experiments')
    .where('name', '=', name)
    .where('deleting_at', 'is', null)
    .select(['id', 'uid', 'name', 'created_at']);

/** Id and name of the experiment created last. */
export const latestExperimentKey = (database: LeaderReader) =>
  database
    .selectFrom('experiments')
    .where('deleting_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(1)
    .select(['id', 'name', 'created_at']);

/** The resource at the moment `now` (milliseconds), with its creator. */
export function toExperiment(stored: StoredExperiment, now: number): Experiment {
  const tags: string[] = JSON.parse(stored.tags);
  return {
    experiment: stored.name,
    created_at: toTimestamp(stored.created_at),
    description: stored.description,
    delta_hours: deltaHours(stored.created_at, now),
    worker_count: stored.worker_count,
    tags,
    ...(stored.created_by !== null && { created_by: stored.created_by }),
    ...(stored.ended_at !== null && { ended_at: toTimestamp(stored.ended_at) }),
    ...(stored.archived_at !== null && { archived: true as const }),
    ...(stored.is_protected === 1 && { protected: true as const }),
  };
}

/** The resource as the routes of the specification have it. */
export function withoutCreator({ created_by: _, ...experiment }: Experiment): Experiment {
  return experiment;
}
