import { ApiError, type Experiment, type ExperimentChange } from '@lcs/contract';
import type { LeaderContext } from '../../leader-context.ts';
import { experimentKey, experimentNamed, toExperiment } from './experiment-store.ts';
import { acceptedTags, replaceTags } from './experiment-tags.ts';

/**
 * Changes the description, the tags, or both.
 * @throws ApiError nothing_to_change, tags_invalid, experiment_not_found
 */
export async function updateExperiment(
  context: LeaderContext,
  name: string,
  { description, tags }: ExperimentChange,
): Promise<Experiment> {
  if (description === undefined && tags === undefined) {
    throw new ApiError('nothing_to_change', { fields: 'description, tags' });
  }
  const newTags = tags && acceptedTags(tags);
  return context.change(async (transaction, effects) => {
    const key = await experimentKey(transaction, name).executeTakeFirst();
    if (!key) throw new ApiError('experiment_not_found', { experiment: name });
    if (description !== undefined) {
      await transaction
        .updateTable('experiments')
        .set({ description: description ?? '' })
        .where('id', '=', key.id)
        .execute();
    }
    if (newTags) await replaceTags(transaction, key.id, newTags);
    const stored = await experimentNamed(transaction, name).executeTakeFirstOrThrow();
    const experiment = toExperiment(stored, context.clock.now());
    effects.live('experiment', name, experiment);
    return experiment;
  });
}
