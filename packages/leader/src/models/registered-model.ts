import { ApiError, type Model, type ModelChoice } from '@lcs/contract';
import type { ModelCatalog } from './model-catalog.ts';

/** The model someone chose. @throws ApiError model_unknown */
export async function registeredModel(models: ModelCatalog, choice: ModelChoice): Promise<Model> {
  const model = await models.find(choice.model_name, choice.model_version);
  if (model) return model;
  throw new ApiError('model_unknown', {
    cause: `There is no model ${choice.model_name} in version ${choice.model_version}.`,
  });
}
