import { ApiError } from '@lcs/contract';
import { validateTags } from '@lcs/domain';
import type { LeaderTransaction } from '../core/leader-context.ts';

/** The tags in their stored form. @throws ApiError tags_invalid */
export function acceptedTags(texts: readonly string[]): readonly string[] {
  const validation = validateTags(texts);
  if (!validation.ok) throw new ApiError('tags_invalid', { cause: validation.cause });
  return validation.tags;
}

/** Makes these the tags of the experiment, in this order. */
export async function replaceTags(
  transaction: LeaderTransaction,
  experimentId: number,
  tags: readonly string[],
): Promise<void> {
  await transaction.deleteFrom('experiment_tags').where('experiment_id', '=', experimentId).execute();
  if (tags.length === 0) return;
  await transaction
    .insertInto('experiment_tags')
    .values(tags.map((tag, position) => ({ experiment_id: experimentId, position, tag })))
    .execute();
}
