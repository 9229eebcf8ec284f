import type { DescriptorProblem } from '@lcs/contract';
import { DescriptorCatalog } from '@lcs/node';
import type { Log } from '@lcs/platform';
import { builtInDatasets } from './built-in-datasets.ts';
import type { Dataset } from './dataset.ts';
import { readDatasetFile } from './dataset-file.ts';

/** Names of a similar system that are understood. */
const ourName = (name: string): string => name.replace(/^pioreactor_unit_/, 'reactor_unit_');

/** The datasets that exist: the built-in ones in their order, then those of files; a plugin's wins over all of its name. */
export class DatasetCatalog {
  readonly #files: DescriptorCatalog<Dataset>;

  constructor({ dataFolder, log }: { readonly dataFolder: string; readonly log: Log }) {
    this.#files = new DescriptorCatalog({
      kind: 'datasets',
      dataFolder,
      folders: ['exportable_datasets', 'plugins/exportable_datasets'],
      keyOf: ({ descriptor }) => descriptor.dataset_name,
      read: readDatasetFile,
      log,
    });
  }

  list(): Promise<readonly Dataset[]> {
    return this.#files.list(builtInDatasets);
  }

  /** By their names, or those of a similar system; undefined for a name that nothing has. */
  async find(names: readonly string[]): Promise<readonly (Dataset | undefined)[]> {
    const known = new Map((await this.list()).map((dataset) => [dataset.descriptor.dataset_name, dataset]));
    return names.map((name) => known.get(name) ?? known.get(ourName(name)));
  }

  /** Files that are left out, and why. */
  problems(): Promise<DescriptorProblem[]> {
    return this.#files.problems();
  }
}
