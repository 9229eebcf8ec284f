import { ApiError } from '@lcs/contract';
import type { LeaderTransaction } from '../core/leader-context.ts';
import { experimentNamed } from '../queries/experiments.ts';
import { groupVersions } from '../replicate-groups/replicate-groups.ts';

/** What a copy takes over unless it is told otherwise. */
interface SetUp {
  readonly id: number;
  readonly description: string | null;
  readonly tags: readonly string[];
}

/** @throws ApiError experiment_not_found */
export async function setUpOf(transaction: LeaderTransaction, experiment: string): Promise<SetUp> {
  const stored = await experimentNamed(transaction, experiment).executeTakeFirst();
  if (!stored) throw new ApiError('experiment_not_found', { experiment });
  const tags: string[] = JSON.parse(stored.tags);
  return { id: stored.id, description: stored.description, tags };
}

/** Copies the labels of units, the groups of replicates and the choice of charts from one experiment to a new one. */
export async function copySetUp(
  transaction: LeaderTransaction,
  { from, to, now }: { readonly from: number; readonly to: number; readonly now: number },
): Promise<void> {
  const labels = await transaction
    .selectFrom('unit_labels')
    .where('experiment_id', '=', from)
    .select(['reactor_unit', 'label'])
    .execute();
  if (labels.length > 0)
    await transaction
      .insertInto('unit_labels')
      .values(labels.map((row) => ({ ...row, experiment_id: to, created_at: now })))
      .execute();
  const newest = await groupVersions(transaction, from).limit(1).executeTakeFirst();
  if (newest && newest.groups !== '[]')
    await transaction
      .insertInto('replicate_group_versions')
      .values({ experiment_id: to, at: now, groups: newest.groups })
      .execute();
  const charts = await transaction
    .selectFrom('chart_preferences')
    .where('experiment_id', '=', from)
    .select(['overview_chart_keys', 'reactor_chart_keys'])
    .executeTakeFirst();
  if (charts)
    await transaction
      .insertInto('chart_preferences')
      .values({ ...charts, experiment_id: to, updated_at: now })
      .execute();
}
