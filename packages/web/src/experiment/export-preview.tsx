import type { ExportableDataset } from '@lcs/contract';
import { Skeleton, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useExportableDatasets } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { experimentWords } from '../words/experiment.ts';
import styles from './export-form.module.css';
import { addedColumns, cellText, previewColumns } from './preview-table.ts';

const shownRows = 5;

function Preview({ experiment, dataset }: { readonly experiment: string; readonly dataset: ExportableDataset }) {
  const { leader } = useServices();
  const { dataset_name: name, has_experiment } = dataset;
  const { data: rows, error } = useQuery({
    queryKey: ['dataset preview', name, has_experiment ? experiment : null],
    queryFn: ({ signal }) =>
      leader.previewExportableDataset({
        params: { target_dataset: name },
        query: { n_rows: shownRows, newest_first: true, ...(has_experiment && { experiment }) },
        signal,
      }),
    // The newest rows are those of now.
    staleTime: 0,
  });
  if (error) return <ProblemAlert error={error} />;
  if (rows === undefined)
    return <Skeleton height={90} role="status" aria-label={commonWords.loadingNamed(dataset.display_name)} />;
  if (rows.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {experimentWords.noRowsYet}
      </Text>
    );
  const columns = previewColumns(rows, dataset);
  const added = addedColumns(columns, dataset);
  return (
    <>
      <Text size="sm" c="dimmed">
        {dataset.timestamp_columns.length > 0 && experimentWords.timesInFilesAreUtc}
        {added.length > 0 && experimentWords.filesAlsoHave}
        {added.map(({ name: column, description }, at) => (
          <span key={column}>
            {at > 0 && '; '}
            <code translate="no">{column}</code> ({description})
          </span>
        ))}
        {added.length > 0 && '.'}
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keys */}
      <section className={styles.preview} tabIndex={0} aria-label={experimentWords.newestRowsOf(dataset.display_name)}>
        <table>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column.name} title={column.description} scope="col" translate="no">
                  <code>{column.name}</code> <span className={styles.unit}>{column.unit}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity
              <tr key={at}>
                {columns.map((column) => (
                  <td key={column.name}>
                    <code>{cellText(row[column.name])}</code>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

/** The newest rows of the chosen datasets, with their columns and units. */
export function ExportPreview({
  experiment,
  names,
}: {
  readonly experiment: string;
  readonly names: readonly string[];
}) {
  const { data: datasets = [] } = useExportableDatasets();
  const chosen = datasets.filter(({ dataset_name }) => names.includes(dataset_name));
  const [first] = chosen;
  if (first === undefined) return null;
  return (
    <Tabs
      key={chosen.map(({ dataset_name }) => dataset_name).join()}
      defaultValue={first.dataset_name}
      keepMounted={false}
    >
      <Tabs.List aria-label={experimentWords.previewOfDatasets}>
        {chosen.map(({ dataset_name, display_name }) => (
          <Tabs.Tab key={dataset_name} value={dataset_name}>
            {display_name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {chosen.map((dataset) => (
        <Tabs.Panel key={dataset.dataset_name} value={dataset.dataset_name} pt="xs">
          <Preview experiment={experiment} dataset={dataset} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
