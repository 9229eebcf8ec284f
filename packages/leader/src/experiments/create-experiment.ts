import { ApiError, type Experiment, type ExperimentCreation } from '@lcs/contract';
import { validateExperimentName } from '@lcs/domain';
import type { Effects, LeaderContext, LeaderTransaction } from '../core/leader-context.ts';
import { experimentKey, experimentNamed, toExperiment } from '../queries/experiments.ts';
import { copySetUp, setUpOf } from './copy-set-up.ts';
import { acceptedTags, replaceTags } from './experiment-tags.ts';

/** Further changes for a new experiment, in its transaction. */
export type OnCreated = (
  transaction: LeaderTransaction,
  effects: Effects,
  experiment: { readonly id: number; readonly name: string },
) => Promise<void>;

/**
 * Creates an experiment with its tags, and with the set-up of another one if `copy_from` names it; it is the latest one from now on.
 * @throws ApiError experiment_name_invalid, tags_invalid, experiment_name_taken, experiment_not_found
 */
export async function createExperiment(
  context: LeaderContext,
  creation: ExperimentCreation,
  onCreated: OnCreated = async () => {},
): Promise<Experiment> {
  const validation = validateExperimentName(creation.experiment);
  if (!validation.ok) throw new ApiError('experiment_name_invalid', { cause: validation.cause });
  const { name } = validation;
  const tags = creation.tags && acceptedTags(creation.tags);
  const now = context.clock.now();
  return context.change(async (transaction, effects) => {
    const taken = await experimentKey(transaction, name).executeTakeFirst();
    if (taken) throw new ApiError('experiment_name_taken', { experiment: name });
    const source = creation.copy_from === undefined ? undefined : await setUpOf(transaction, creation.copy_from);
    const { id } = await transaction
      .insertInto('experiments')
      .values({
        uid: context.newId(),
        name,
        created_at: now,
        description: creation.description ?? source?.description ?? '',
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await replaceTags(transaction, id, tags ?? source?.tags ?? []);
    if (source) await copySetUp(transaction, { from: source.id, to: id, now });
    await onCreated(transaction, effects, { id, name });
    const experiment = toExperiment(await experimentNamed(transaction, name).executeTakeFirstOrThrow(), now);
    await effects.logEvent({
      experiment: { id, name },
      level: 'INFO',
      message: `Created experiment ${name}.`,
      task: 'create_experiment',
    });
    effects.live('experiment', name, experiment);
    return experiment;
  });
}
