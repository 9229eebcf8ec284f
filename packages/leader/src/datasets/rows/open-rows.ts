import type { Dataset } from '../dataset.ts';
import { activityRows } from './activity-rows.ts';
import type { ClassicConnection } from './classic-connection.ts';
import { growthRows } from './growth-rows.ts';
import { minuteRows } from './minute-rows.ts';
import { pwmRows } from './pwm-rows.ts';
import { readingRows } from './reading-rows.ts';
import type { RowSelection, RowSource } from './row-source.ts';
import { sqlRows } from './sql-rows.ts';

/** The rows of a dataset. @throws Error of the database when its table or query cannot be read. */
export function openRows(connection: ClassicConnection, dataset: Dataset, selection: RowSelection): RowSource {
  const { reader, columns = [] } = dataset;
  switch (reader.is) {
    case 'sql':
      return sqlRows(connection, dataset, selection);
    case 'readings':
      return readingRows(connection.database, reader.source, columns, selection);
    case 'pwm':
      return pwmRows(connection.database, reader.source, columns, selection);
    case 'activity':
      return activityRows(connection.database, selection);
    case 'minutes':
      return minuteRows(connection.database, selection);
    case 'growth_fits':
      return growthRows(connection.database, reader.usualVolumeMl, columns, selection);
  }
}
