import fc from 'fast-check';
import type { Known } from '../known.ts';
import { type Feature, forAll, type Given, mostly, oneOf, usually } from './given.ts';

const names = ['od_readings', 'growth_rates', 'logs', 'experiments', 'calibrations', 'experiment_notes'];

const exportRequest = (known: Known): fc.Arbitrary<Given> =>
  fc
    .record({
      datasets: usually([['logs'], ['experiments', 'growth_rates']], [['od_readings', 'nothing'], ['nothing']]),
      experiment: oneOf(known.model.experiments, 'experiment 0'),
      partition_by_unit: fc.boolean(),
      partition_by_experiment: fc.boolean(),
      start_time: usually([null, '2025-01-01T00:00:00Z'], ['yesterday']),
      format: fc.constantFrom('csv', 'parquet', 'csv'),
    })
    .map((body) => ({ body }));

const preview = (): fc.Arbitrary<Given> =>
  fc
    .tuple(
      usually(names, ['nothing']),
      usually<Given['query']>([{}, { n_rows: '3' }, { newest_first: 'true' }], [{ n_rows: '0' }]),
    )
    .map(([target_dataset, query]) => ({ params: { target_dataset }, query: query ?? {} }));

const estimate = (known: Known): fc.Arbitrary<Given> =>
  fc
    .tuple(
      usually(['logs', 'od_readings,experiments'], ['nothing', 'od_readings,nothing']),
      oneOf(known.model.experiments, 'experiment 0'),
    )
    .map(([datasets, experiment]) => ({ query: { datasets, experiment } }));

export const datasets: Feature = {
  requests: {
    ...forAll(['previewExportableDataset', 'previewContribDataset'], preview),
    estimateExport: estimate,
    ...forAll(['exportDatasets', 'exportDatasetsToUsb', 'exportContribDatasets'], exportRequest),
    ...forAll(['downloadExport', 'downloadMcpExport'], (known) =>
      fc
        .tuple(
          mostly(known.exports.all, ['nothing.zip']),
          fc.constantFrom<Given['headers']>({}, {}, { range: 'bytes=0-9' }),
        )
        .map(([filename, headers]) => ({ params: { filename }, headers: headers ?? {} })),
    ),
  },
};
