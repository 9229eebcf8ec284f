import type { DescriptorProblem } from '@lcs/contract';
import { DescriptorCatalog, type NodeDescriptors } from '@lcs/node';
import type { Log } from '@lcs/platform';
import { builtInDatasets } from './built-in-datasets.ts';
import type { Dataset } from './dataset.ts';
import { readDatasetFile } from './dataset-file.ts';

/** Dataset names of a similar system that this leader accepts. */
const ourName = (name: string): string => name.replace(/^pioreactor_unit_/, 'reactor_unit_');

interface DatasetCatalogOptions {
  readonly dataFolder: string;
  readonly log: Log;
  readonly descriptors: Pick<NodeDescriptors, 'readingSources'>;
}

/** The existing datasets: the built-in ones in their order, then those of files; one of a plugin takes precedence over others of its name. */
export class DatasetCatalog {
  readonly #files: DescriptorCatalog<Dataset>;
  readonly #descriptors: Pick<NodeDescriptors, 'readingSources'>;

  constructor({ dataFolder, log, descriptors }: DatasetCatalogOptions) {
    this.#descriptors = descriptors;
    this.#files = new DescriptorCatalog({
      kind: 'datasets',
      dataFolder,
      folders: ['exportable_datasets', 'plugins/exportable_datasets'],
      keyOf: ({ descriptor }) => descriptor.dataset_name,
      read: readDatasetFile,
      log,
    });
  }

  async list(): Promise<readonly Dataset[]> {
    const units = new Map((await this.#descriptors.readingSources()).map((source) => [source.name, source.unit]));
    return (await this.#files.list(builtInDatasets)).map((dataset) => withDeclaredUnit(dataset, units));
  }

  /** By name, or by the name of a similar system; undefined for an unknown name. */
  async find(names: readonly string[]): Promise<readonly (Dataset | undefined)[]> {
    const known = new Map((await this.list()).map((dataset) => [dataset.descriptor.dataset_name, dataset]));
    return names.map((name) => known.get(name) ?? known.get(ourName(name)));
  }

  /** Files that were skipped, with the reason. */
  problems(): Promise<DescriptorProblem[]> {
    return this.#files.problems();
  }
}

/** The unit of a source for the dataset of a file that states none. */
function withDeclaredUnit(dataset: Dataset, units: ReadonlyMap<string, string>): Dataset {
  const { descriptor, reader, file } = dataset;
  if (reader.is !== 'readings' || file === undefined) return dataset;
  const unit = units.get(reader.source);
  if (!unit) return dataset;
  const column_units = { [reader.source]: unit, ...descriptor.column_units };
  return { ...dataset, descriptor: { ...descriptor, column_units } };
}
