import { StoreError } from '@lcs/platform/store-error';
import type { Dataset } from '../datasets/dataset.ts';
import type { ClassicConnection } from '../datasets/rows/classic-connection.ts';
import { openRows } from '../datasets/rows/open-rows.ts';
import type { RefusedDataset } from './export-protocol.ts';

/** A dataset of a person with an invalid table or query. */
export class DatasetUnreadable extends Error {
  readonly refused: RefusedDataset;
  constructor(refused: RefusedDataset) {
    super(refused.cause);
    this.refused = refused;
  }
}

const isOfDatabase = (error: Error): boolean =>
  error instanceof StoreError || ('code' in error && error.code === 'ERR_SQLITE_ERROR');

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return isOfDatabase(error) ? `Its table or query is not valid: ${error.message}.` : error.message;
}

/** The error of a dataset whose rows could not be read. For built-in datasets it is a fault of the program and is rethrown. */
export function unreadable({ descriptor, isForeign, file }: Dataset, error: unknown): unknown {
  if (!isForeign || error instanceof DatasetUnreadable) return error;
  const cause = causeOf(error);
  return new DatasetUnreadable({ dataset: descriptor.dataset_name, cause, ...(file === undefined ? {} : { file }) });
}

/** Unreadable datasets of people. The database only prepares each statement, without executing it. */
export function refusedDatasets(connection: ClassicConnection, datasets: readonly Dataset[]): RefusedDataset[] {
  const wanted = { experiments: undefined, byExperiment: true, byUnit: true, order: 'ascending', batch: 1 } as const;
  return datasets.flatMap((dataset) => {
    try {
      openRows(connection, dataset, wanted);
      return [];
    } catch (error) {
      const refused = unreadable(dataset, error);
      if (refused instanceof DatasetUnreadable) return [refused.refused];
      throw refused;
    }
  });
}
