import { define } from './error-definition.ts';

/** What may go wrong with time series. */
export const seriesErrors = {
  data_source_unknown: define<{ dataSource: string; column: string; known: string }>(
    400,
    ({ dataSource, column, known }) => ({
      error: 'There is no such series of readings.',
      cause: `${dataSource}.${column} is no numeric column of a data source.`,
      remediation: `Use one of ${known}.`,
    }),
  ),
} as const;
