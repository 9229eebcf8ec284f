import { ApiError, type Experiment, type ExperimentChange } from '@lcs/contract';
import { reopenExperiment } from '../assignments/reopen-experiment.ts';
import type { LeaderContext } from '../core/leader-context.ts';
import { experimentKey, experimentNamed, toExperiment } from '../queries/experiments.ts';
import { acceptedEnd, endExperiment } from './end-experiment.ts';
import { acceptedTags, replaceTags } from './experiment-tags.ts';

/**
 * Changes the description, the tags, the end, or whether the experiment is archived.
 * @throws ApiError nothing_to_change, tags_invalid, ended_at_invalid, experiment_not_found, experiment_not_ended
 */
export async function updateExperiment(
  context: LeaderContext,
  name: string,
  { description, tags, ended_at, archived, keep_workers }: ExperimentChange,
): Promise<Experiment> {
  if (description === undefined && tags === undefined && ended_at === undefined && archived === undefined) {
    throw new ApiError('nothing_to_change', { fields: 'description, tags, ended_at, archived' });
  }
  const newTags = tags && acceptedTags(tags);
  const now = context.clock.now();
  return context.change(async (transaction, effects) => {
    const key = await experimentKey(transaction, name).select('ended_at').executeTakeFirst();
    if (!key) throw new ApiError('experiment_not_found', { experiment: name });
    // An experiment that runs must stay in all lists.
    const endsOrHasEnded = ended_at === undefined ? key.ended_at !== null : ended_at !== null;
    if (archived && !endsOrHasEnded) throw new ApiError('experiment_not_ended', { experiment: name });
    const values = {
      ...(description !== undefined && { description: description ?? '' }),
      ...(archived !== undefined && { archived_at: archived ? now : null }),
    };
    if (Object.keys(values).length > 0) {
      await transaction.updateTable('experiments').set(values).where('id', '=', key.id).execute();
    }
    if (newTags) await replaceTags(transaction, key.id, newTags);
    if (ended_at !== undefined) {
      const at = acceptedEnd(ended_at, key, now);
      if (at === null) await reopenExperiment(transaction, effects, key);
      else await endExperiment(context, transaction, effects, { key, at, now, keepsWorkers: keep_workers ?? false });
    }
    const stored = await experimentNamed(transaction, name).executeTakeFirstOrThrow();
    const experiment = toExperiment(stored, now);
    effects.live('experiment', name, experiment);
    return experiment;
  });
}
