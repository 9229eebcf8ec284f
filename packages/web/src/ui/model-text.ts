import type { Model, Worker } from '@lcs/contract';
import { plainWords } from '../api/plain-words.ts';

/** The display name of a model; the plain name of a model that is no longer registered. */
export function modelText(worker: Worker | undefined, models: readonly Model[]): string | null {
  if (!worker?.model_name) return null;
  const { model_name, model_version } = worker;
  const model = models.find((each) => each.model_name === model_name && each.model_version === model_version);
  return model?.display_name ?? plainWords([model_name, model_version].filter(Boolean).join(' '));
}
