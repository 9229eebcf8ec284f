import type { ChartDescriptor } from '@lcs/contract';
import { Button, Group, Text } from '@mantine/core';
import { problemText } from '../api/problem.ts';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { aheadMinutesAt, dayText, secondText, zoneText } from '../time/moment-text.ts';
import { chartsWords } from '../words/charts.ts';
import styles from './chart-options.module.css';
import type { PlotHandle } from './chart-plot.tsx';
import type { ChartView } from './chart-view.ts';
import type { PictureExport } from './export-chart.ts';
import { momentLabel } from './time-ticks.ts';

interface ChartExportProps {
  readonly descriptor: ChartDescriptor;
  readonly view: ChartView;
  readonly transform: (y: number) => number;
  readonly handle: () => PlotHandle | null;
}

const formats = ['PNG', 'SVG', 'CSV'] as const;
type Format = (typeof formats)[number];

/** What a picture shows; `null`: nothing is drawn. */
function pictureOf({ descriptor, view, handle }: ChartExportProps): PictureExport | null {
  const shown = handle();
  const plot = shown?.plot();
  if (!shown || !plot) return null;
  const { experiment, display, originMs } = view;
  const range = shown.range();
  // Each end has its zone: the clocks may change between them.
  const moment = (ms: number): string =>
    display === 'clock'
      ? `${dayText(ms)} ${secondText(ms)} ${zoneText(ms)}`
      : momentLabel(ms, { display, originMs, presentYear: 0 });
  return {
    experiment,
    title: descriptor.title,
    subtitle: chartsWords.experimentFromTo(experiment, moment(range.fromMs), moment(range.toMs)),
    scene: shown.scene('light'),
    settings: shown.settings('light'),
    values: plot.shownValues(),
    range,
    offsetMinutesAt: aheadMinutesAt,
  };
}

/** Saves what a chart shows, as a picture or as a table. */
export function ChartExport(props: ChartExportProps) {
  const { descriptor, view, transform, handle } = props;
  const { leader } = useServices();
  const saving = useMutation({
    mutationFn: async (format: Format) => {
      // Loaded when somebody exports.
      const files = await import('./export-chart.ts');
      const range = handle()?.range();
      const picture = pictureOf(props);
      if (format === 'CSV' && range !== undefined) {
        const { experiment, originMs, hiddenUnits, nameOf } = view;
        return files.saveCsv({ leader, descriptor, transform, experiment, originMs, hiddenUnits, nameOf, range });
      }
      if (picture === null) return undefined;
      return format === 'PNG' ? files.savePng(picture) : files.saveSvg(picture);
    },
  });
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {chartsWords.saveThisView}
      </Text>
      <Group gap="xs" grow>
        {formats.map((format) => (
          <Button
            key={format}
            size="sm"
            variant="default"
            className={styles.save}
            aria-label={chartsWords.saveAs(descriptor.title, format)}
            loading={saving.isPending && saving.variables === format}
            onClick={() => saving.mutate(format)}
          >
            {format}
          </Button>
        ))}
      </Group>
      {saving.error && (
        <Text size="xs" c="red" role="alert">
          {problemText(saving.error).error}
        </Text>
      )}
    </div>
  );
}
