import { Alert, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useExportableDatasets } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { sizeText } from '../ui/size-text.ts';
import { experimentWords } from '../words/experiment.ts';
import styles from './export-form.module.css';
import { type ExportChoices, estimateQuery } from './export-request.ts';
import { datasetSizeText, estimateProblem, isTooLarge, totalSizeText } from './export-size-text.ts';

/** A choice is estimated when the choosing pauses. */
const choicePauseMs = 400;

/** How large the export will be, before it is started. */
export function ExportSize({ experiment, form }: { readonly experiment: string; readonly form: ExportChoices }) {
  const { leader } = useServices();
  const { data: datasets = [] } = useExportableDatasets();
  const [chosen] = useDebouncedValue(form, choicePauseMs);
  const query = estimateQuery(experiment, chosen);
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['export estimate', query],
    queryFn: ({ signal }) => leader.estimateExport({ query, signal }),
    enabled: chosen.datasets.length > 0,
    placeholderData: keepPreviousData,
    staleTime: 0,
    retry: false,
  });
  if (error) return <Text size="sm">{estimateProblem(error)}</Text>;
  if (data === undefined)
    return (
      <Text size="sm" c="dimmed" role="status">
        {experimentWords.estimatingSize}
      </Text>
    );
  const titles = new Map(datasets.map(({ dataset_name, display_name }) => [dataset_name, display_name]));
  return (
    <section
      aria-label={experimentWords.sizeOfExport}
      aria-busy={isPlaceholderData || chosen !== form}
      className={styles.size}
    >
      <p className={styles.total}>{totalSizeText(data)}</p>
      <ul>
        {data.datasets.map((dataset) => (
          <li key={dataset.dataset_name}>
            {titles.get(dataset.dataset_name) ?? dataset.dataset_name}: {datasetSizeText(dataset)}
          </li>
        ))}
      </ul>
      {isTooLarge(data) && (
        <Alert color="orange" title={experimentWords.notEnoughSpace} mt="xs">
          {experimentWords.exportTooLarge(sizeText(data.available_bytes))}
        </Alert>
      )}
    </section>
  );
}
