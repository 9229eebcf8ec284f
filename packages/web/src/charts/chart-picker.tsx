import { type ChartDescriptor, type ChartPreferences, leaderApi } from '@lcs/contract';
import { Button, Menu } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import { useChartPreferences } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useMutation } from '../services/use-mutation.ts';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { chartsWords } from '../words/charts.ts';
import { toggledCharts } from './chart-choice.ts';

interface ChartPickerProps {
  readonly experiment: string;
  readonly descriptors: readonly ChartDescriptor[];
  readonly visible: (preferences: ChartPreferences | undefined) => readonly ChartDescriptor[];
}

/** Chooses the charts of the experiment; the leader stores the choice, for all people. */
export function ChartPicker({ experiment, descriptors, visible }: ChartPickerProps) {
  const { leader } = useServices();
  const cache = useQueryClient();
  const may = useMay();
  const mayChoose = may(leaderApi.updateChartPreferences);
  const shown = visible(useChartPreferences(experiment).data);
  const choice = useMutation({
    // A save replaces the whole choice: each starts from what the one before it has saved.
    scope: { id: `charts of ${experiment}` },
    mutationFn: async (toggled: string | null) => {
      const queryKey = queryKeys.chartPreferences(experiment);
      // An older answer must not replace the saved choice.
      await cache.cancelQueries({ queryKey });
      const before = visible(cache.getQueryData(queryKey));
      const body = { overview_chart_keys: toggled === null ? null : [...toggledCharts(descriptors, before, toggled)] };
      cache.setQueryData(queryKey, await leader.updateChartPreferences({ params: { experiment }, body }));
    },
  });
  return (
    <Menu closeOnItemClick={false}>
      <Menu.Target>
        <Button size="xs" variant="default" loading={choice.isPending}>
          {chartsWords.chartsShown(shown.length)}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {descriptors.map(({ chart_key, title }) => {
          const isShown = shown.some((each) => each.chart_key === chart_key);
          return (
            <Menu.CheckboxItem
              key={chart_key}
              checked={isShown}
              onChange={() => choice.mutate(chart_key)}
              {...mayChoose}
            >
              {title}
            </Menu.CheckboxItem>
          );
        })}
        <Menu.Divider />
        <Menu.Item onClick={() => choice.mutate(null)} {...mayChoose}>
          {chartsWords.resetToDefaultCharts}
        </Menu.Item>
        {choice.error && <ProblemAlert error={choice.error} />}
      </Menu.Dropdown>
    </Menu>
  );
}
