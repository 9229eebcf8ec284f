import { ApiError, type ReplicateGroup, type ReplicateGroupsVersion } from '@lcs/contract';
import { validateUnitLabel, validateUnitName } from '@lcs/domain';
import { toTimestamp } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';
import { experimentKey, type LeaderReader } from '../queries/experiments.ts';

const invalid = (cause: string): ApiError<'groups_invalid'> => new ApiError('groups_invalid', { cause });

/** Names without blanks at their ends; everything is distinct that must be. @throws ApiError groups_invalid */
function acceptedGroups(groups: readonly ReplicateGroup[]): ReplicateGroup[] {
  const names = new Set<string>();
  const groupOf = new Map<string, string>();
  return groups.map((group) => {
    const validation = validateUnitLabel(group.name);
    if (!validation.ok) throw invalid(validation.cause.replace('label', 'name'));
    const { label: name } = validation;
    if (name === null) throw invalid('A group has no name.');
    if (names.has(name)) throw invalid(`There are two groups ${name}.`);
    names.add(name);
    for (const unit of group.units) {
      const known = validateUnitName(unit);
      if (!known.ok) throw invalid(`'${unit}' is not the name of a unit. ${known.cause}`);
      const other = groupOf.get(unit);
      if (other !== undefined) {
        throw invalid(other === name ? `${unit} is in ${name} twice.` : `${unit} is in ${other} and in ${name}.`);
      }
      groupOf.set(unit, name);
    }
    return { name, units: [...group.units] };
  });
}

/** What the groups of an experiment became, newest first. */
export const groupVersions = (database: LeaderReader, experimentId: number) =>
  database
    .selectFrom('replicate_group_versions')
    .where('experiment_id', '=', experimentId)
    .orderBy('id', 'desc')
    .select(['at', 'groups']);

const parsed = (groups: string): ReplicateGroup[] => JSON.parse(groups);

/** @throws ApiError experiment_not_found */
async function idOf(database: LeaderReader, experiment: string): Promise<number> {
  const key = await experimentKey(database, experiment).executeTakeFirst();
  if (!key) throw new ApiError('experiment_not_found', { experiment });
  return key.id;
}

/** The groups as they are, in the order in which they were given. @throws ApiError experiment_not_found */
export async function replicateGroups(database: LeaderReader, experiment: string): Promise<ReplicateGroup[]> {
  const newest = await groupVersions(database, await idOf(database, experiment))
    .limit(1)
    .executeTakeFirst();
  return newest ? parsed(newest.groups) : [];
}

/** What the groups were, newest first. @throws ApiError experiment_not_found */
export async function replicateGroupHistory(
  database: LeaderReader,
  experiment: string,
): Promise<ReplicateGroupsVersion[]> {
  const rows = await groupVersions(database, await idOf(database, experiment)).execute();
  return rows.map(({ at, groups }) => ({ timestamp: toTimestamp(at), groups: parsed(groups) }));
}

/**
 * Replaces the groups. The same again changes and announces nothing.
 * @throws ApiError groups_invalid, experiment_not_found
 */
export async function replaceReplicateGroups(
  context: Pick<LeaderContext, 'change' | 'clock'>,
  experiment: string,
  requested: readonly ReplicateGroup[],
): Promise<ReplicateGroup[]> {
  const groups = acceptedGroups(requested);
  const text = JSON.stringify(groups);
  const now = context.clock.now();
  await context.change(async (transaction, effects) => {
    const experiment_id = await idOf(transaction, experiment);
    const newest = await groupVersions(transaction, experiment_id).limit(1).executeTakeFirst();
    if ((newest?.groups ?? '[]') === text) return;
    // The clock may have been set back: the history stays in order.
    const at = Math.max(now, newest?.at ?? now);
    await transaction.insertInto('replicate_group_versions').values({ experiment_id, at, groups: text }).execute();
    effects.live('replicate_groups', experiment, { experiment, groups });
  });
  return groups;
}
