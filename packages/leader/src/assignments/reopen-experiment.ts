import type { Effects, LeaderTransaction } from '../core/leader-context.ts';

/** Clears the end of an experiment that has ended and takes it out of the archive; changes no other. Returns whether it had ended. */
export async function reopenExperiment(
  transaction: LeaderTransaction,
  effects: Effects,
  key: { readonly id: number; readonly name: string },
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('experiments')
    .set({ ended_at: null, archived_at: null })
    .where('id', '=', key.id)
    .where('ended_at', 'is not', null)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return false;
  await effects.logEvent({
    experiment: key,
    level: 'INFO',
    message: `Experiment ${key.name} was reopened.`,
    task: 'end_experiment',
  });
  return true;
}
