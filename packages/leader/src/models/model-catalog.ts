import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError, type Model, type ModelChoice } from '@lcs/contract';
import { normaliseModelName } from '@lcs/domain';
import type { Log } from '@lcs/platform';
import { ModelFileError, parseModelFile } from './model-file.ts';

export interface ModelCatalogOptions {
  readonly builtIn: readonly Model[];
  /** The folder of users' model files; it need not exist. */
  readonly folder: string;
  readonly log: Log;
}

interface ReadFile {
  /** Changes when the file does. */
  readonly stamp: string;
  /** Undefined: the file is not valid. */
  readonly model: Model | undefined;
}

/** A model has a few hundred bytes; a larger file is not a model. */
const maxFileBytes = 16 * 1024;
const isModelFile = (name: string): boolean => /\.ya?ml$/i.test(name) && !name.startsWith('.');
const keyOf = (model: Pick<Model, 'model_name' | 'model_version'>): string =>
  JSON.stringify([model.model_name, model.model_version]);

/**
 * The existing models: the built-in ones, then those of the files in the models folder, by file name. A file overrides a built-in model of the
 * same name and version, at its position. Files are read again when they change; an invalid one
 * is skipped, with one line in the log.
 */
export class ModelCatalog {
  readonly #options: ModelCatalogOptions;
  #files = new Map<string, ReadFile>();
  #reading: Promise<readonly Model[]> | undefined;

  constructor(options: ModelCatalogOptions) {
    this.#options = options;
  }

  /** All models at present. Rejects when the folder exists and cannot be read. */
  async list(): Promise<readonly Model[]> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** The model with this name (also with the old prefix) and version. */
  async find(name: string, version: string): Promise<Model | undefined> {
    const key = keyOf({ model_name: normaliseModelName(name), model_version: version });
    return (await this.list()).find((model) => keyOf(model) === key);
  }

  async #read(): Promise<readonly Model[]> {
    const files = new Map<string, ReadFile>();
    for (const name of await this.#fileNames()) {
      const file = await this.#file(name);
      if (file) files.set(name, file);
    }
    this.#files = files;
    const models = new Map(this.#options.builtIn.map((model) => [keyOf(model), model]));
    for (const { model } of files.values()) if (model) models.set(keyOf(model), model);
    return [...models.values()];
  }

  async #fileNames(): Promise<string[]> {
    try {
      return (await readdir(this.#options.folder)).filter(isModelFile).sort();
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  async #file(name: string): Promise<ReadFile | undefined> {
    const path = join(this.#options.folder, name);
    try {
      const { mtimeMs, size } = await stat(path);
      const stamp = `${mtimeMs} ${size}`;
      const known = this.#files.get(name);
      if (known?.stamp === stamp) return known;
      return { stamp, model: await this.#parsed(path, size) };
    } catch (error) {
      // Removed between the listing and the reading.
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async #parsed(path: string, size: number): Promise<Model | undefined> {
    try {
      if (size > maxFileBytes) throw new ModelFileError(`The file is larger than ${maxFileBytes} bytes.`);
      return parseModelFile(await readFile(path, 'utf8'));
    } catch (error) {
      if (isMissing(error)) throw error;
      const cause = error instanceof Error ? error.message : String(error);
      this.#options.log.error('A model file is not valid and was skipped', { path, cause });
      return undefined;
    }
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** The model of a request. @throws ApiError model_unknown */
export async function registeredModel(models: ModelCatalog, choice: ModelChoice): Promise<Model> {
  const model = await models.find(choice.model_name, choice.model_version);
  if (model) return model;
  throw new ApiError('model_unknown', {
    cause: `There is no model ${choice.model_name} in version ${choice.model_version}.`,
  });
}
