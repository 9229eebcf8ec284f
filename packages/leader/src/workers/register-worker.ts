import { ApiError, type WorkerRegistration } from '@lcs/contract';
import { validateUnitName } from '@lcs/domain';
import type { LeaderContext } from '../core/leader-context.ts';
import { type ModelCatalog, registeredModel } from '../models/model-catalog.ts';
import { enrolmentOf } from '../queries/enrolments.ts';
import { toWorker, workerNamed } from '../queries/workers.ts';

/**
 * Adds a worker to the inventory: active, free. An existing one does not change.
 * @returns whether it is new
 * @throws ApiError unit_name_invalid, model_unknown
 */
export async function registerWorker(
  context: LeaderContext,
  models: ModelCatalog,
  registration: WorkerRegistration,
): Promise<boolean> {
  const validation = validateUnitName(registration.reactor_unit);
  if (!validation.ok) throw new ApiError('unit_name_invalid', { cause: validation.cause });
  const model = (await modelOf(models, registration)) ?? (await enrolledModel(context, models, validation.name));
  const worker = {
    reactor_unit: validation.name,
    added_at: context.clock.now(),
    is_active: 1,
    model_name: model?.model_name ?? null,
    model_version: model?.model_version ?? null,
  };
  return context.change(async (transaction, { afterCommit, live }) => {
    if (await workerNamed(transaction, worker.reactor_unit).executeTakeFirst()) return false;
    await transaction.insertInto('workers').values(worker).execute();
    live('worker', worker.reactor_unit, toWorker(worker));
    live('assignment', worker.reactor_unit, { reactor_unit: worker.reactor_unit, experiment: null, is_active: 1 });
    afterCommit(() => context.desired.refresh([worker.reactor_unit]));
    return true;
  });
}

/** The model of the machine's set-up from its enrolment, if that exists. */
async function enrolledModel({ database }: Pick<LeaderContext, 'database'>, models: ModelCatalog, unit: string) {
  const enrolment = await enrolmentOf(database.read, unit).executeTakeFirst();
  if (!enrolment?.model_name || !enrolment.model_version) return undefined;
  return models.find(enrolment.model_name, enrolment.model_version);
}

/** Name and version must be given together. */
async function modelOf(models: ModelCatalog, { model_name, model_version }: WorkerRegistration) {
  if (model_name == null && model_version == null) return undefined;
  if (model_name == null) throw new ApiError('model_unknown', { cause: 'model_version is given without model_name.' });
  if (model_version == null) {
    throw new ApiError('model_unknown', { cause: 'model_name is given without model_version.' });
  }
  return registeredModel(models, { model_name, model_version });
}
