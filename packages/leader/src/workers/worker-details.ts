import { ApiError, type WorkerExperiment, type WorkerModel } from '@lcs/contract';
import type { Kysely } from 'kysely';
import type { LeaderSchema } from '../core/leader-context.ts';
import type { ModelCatalog } from '../models/model-catalog.ts';
import { assignmentOf, flagOf, workerNamed } from '../queries/workers.ts';

type Reader = Kysely<LeaderSchema>;

async function existingWorker(database: Reader, unit: string) {
  const worker = await workerNamed(database, unit).executeTakeFirst();
  if (!worker) throw new ApiError('worker_not_found', { unit });
  return worker;
}

/** @throws ApiError worker_not_found, worker_not_assigned */
export async function getWorkerExperiment(database: Reader, unit: string): Promise<WorkerExperiment> {
  const { reactor_unit, is_active, model_name, model_version } = await existingWorker(database, unit);
  const assigned = await assignmentOf(database, unit).executeTakeFirst();
  if (!assigned) throw new ApiError('worker_not_assigned', { unit });
  return { reactor_unit, is_active: flagOf(is_active), experiment: assigned.name, model_name, model_version };
}

/** @throws ApiError worker_not_found, model_not_set, model_not_registered */
export async function getWorkerModel(database: Reader, models: ModelCatalog, unit: string): Promise<WorkerModel> {
  const { reactor_unit, model_name, model_version } = await existingWorker(database, unit);
  if (!model_name || !model_version) throw new ApiError('model_not_set', { unit });
  const model = await models.find(model_name, model_version);
  if (!model) throw new ApiError('model_not_registered', { unit, model: `${model_name} ${model_version}` });
  return { reactor_unit, ...model };
}
