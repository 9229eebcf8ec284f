import type { Dataset } from '../dataset.ts';
import { activityRows } from './activity-rows.ts';
import type { ClassicConnection } from './classic-connection.ts';
import { minuteRows } from './minute-rows.ts';
import { readingRows } from './reading-rows.ts';
import type { RowSource, RowsWanted } from './row-source.ts';
import { sqlRows } from './sql-rows.ts';

/** The rows of a dataset. @throws Error of the database when its table or query cannot be read. */
export function openRows(connection: ClassicConnection, dataset: Dataset, wanted: RowsWanted): RowSource {
  const { reader, columns = [] } = dataset;
  switch (reader.is) {
    case 'sql':
      return sqlRows(connection, dataset, wanted);
    case 'readings':
      return readingRows(connection.database, reader.source, columns, wanted);
    case 'activity':
      return activityRows(connection.database, wanted);
    case 'minutes':
      return minuteRows(connection.database, wanted);
  }
}
