import { ApiError, type ModelChoice } from '@lcs/contract';
import type { LeaderContext } from '../core/leader-context.ts';
import { type ModelCatalog, registeredModel } from '../models/model-catalog.ts';
import { toWorker, workerNamed } from '../queries/workers.ts';

/**
 * Sets the model of a worker. Then it requests the unit, in the background, to check whether its hardware fits; the unit logs the result.
 * Running jobs continue.
 * @throws ApiError worker_unknown, model_unknown
 */
export async function setModel(
  context: LeaderContext,
  models: ModelCatalog,
  unit: string,
  choice: ModelChoice,
): Promise<void> {
  const known = await workerNamed(context.database.read, unit).executeTakeFirst();
  if (!known) throw new ApiError('worker_unknown', { unit });
  const { model_name, model_version, display_name } = await registeredModel(models, choice);
  await context.change(async (transaction, effects) => {
    const worker = await workerNamed(transaction, unit).executeTakeFirst();
    // Removed since the check above.
    if (!worker) throw new ApiError('worker_not_found', { unit });
    const model = { model_name, model_version };
    await transaction.updateTable('workers').set(model).where('reactor_unit', '=', unit).execute();
    effects.live('worker', unit, toWorker({ ...worker, ...model }));
    await effects.logEvent({
      level: 'INFO',
      message: `Set the model of ${unit} to ${display_name} (${model_name} ${model_version}).`,
      task: 'worker_model',
    });
    effects.afterCommit(() => context.desired.refresh([unit]));
    effects.afterCommit(() => checkHardwareLater(context, unit, model));
  });
}

/** Never throws; a failed request is logged in the event log. */
function checkHardwareLater(
  { fleet, change, log }: Pick<LeaderContext, 'fleet' | 'change' | 'log'>,
  unit: string,
  model: ModelChoice,
): void {
  fleet
    .checkHardware(unit, model)
    .then(async (outcome) => {
      if (outcome.ok) return;
      const message = `Could not check the hardware of ${unit}. ${outcome.error.message}`;
      await change(async (_, { logEvent }) => logEvent({ level: 'WARNING', message, task: 'worker_model' }));
    })
    .catch((error: unknown) => log.error('the hardware of a unit was not checked', { unit, error }));
}
