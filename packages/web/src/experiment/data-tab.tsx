import { Stack } from '@mantine/core';
import { zoomOfSearch } from '../charts/chart-search.ts';
import { GrowthCurves } from '../growth/growth-curves.tsx';
import { Panel } from '../ui/panel.tsx';
import { PartBoundary } from '../ui/part-boundary.tsx';
import { experimentWords } from '../words/experiment.ts';
import { useShownExperiment } from './experiment-context.ts';
import { ExportForm } from './export-form.tsx';
import { usePageSearch } from './use-page-search.ts';

/** What leaves the experiment: numbers for a publication, and files. */
export function DataTab() {
  const { name, nameOf } = useShownExperiment();
  const [search] = usePageSearch();
  return (
    <Stack gap="md">
      <PartBoundary part={experimentWords.growthCurves} resetKey={name}>
        <GrowthCurves experiment={name} nameOf={nameOf} />
      </PartBoundary>
      <PartBoundary part={experimentWords.partExport} resetKey={name}>
        <Panel title={experimentWords.export}>
          <ExportForm experiment={name} chartWindow={zoomOfSearch(search)} />
        </Panel>
      </PartBoundary>
    </Stack>
  );
}
