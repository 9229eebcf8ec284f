import { Stack } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { zoomOfSearch, zoomSearch } from '../charts/chart-search.ts';
import type { TimeRange } from '../charts/time-range.ts';
import { EventLog } from '../logs/event-log.tsx';
import { type ShownEntry, TimelinePanel } from '../timeline/timeline-panel.tsx';
import { PartBoundary } from '../ui/part-boundary.tsx';
import { commonWords } from '../words/common.ts';
import { experimentWords } from '../words/experiment.ts';
import { useShownExperiment } from './experiment-context.ts';
import { readPageSearch } from './page-search.ts';
import { usePageSearch } from './use-page-search.ts';

/** What happened in the experiment, and the event log. */
export function TimelineTab() {
  const { name, units, nameOf } = useShownExperiment();
  const [search, change] = usePageSearch();
  const navigate = useNavigate();
  const show = (window: TimeRange, { entryId, atMs }: ShownEntry): void => {
    void navigate({
      to: '/experiments/$experiment/overview',
      params: { experiment: name },
      search: readPageSearch({ ...search, ...zoomSearch(window), entry: entryId, at: new Date(atMs).toISOString() }),
    });
  };
  return (
    <Stack gap="md">
      <PartBoundary part={commonWords.partTimeline} resetKey={name}>
        <TimelinePanel
          experiment={name}
          units={units}
          nameOf={nameOf}
          chartWindow={zoomOfSearch(search)}
          opened={search.entry && search.at ? { entryId: search.entry, atMs: Date.parse(search.at) } : null}
          onShow={show}
          search={search}
          onSearch={change}
        />
      </PartBoundary>
      <PartBoundary part={experimentWords.eventLog} resetKey={name}>
        <EventLog
          {...{ experiment: name, units, nameOf }}
          untilMs={search.logAt === undefined ? null : Date.parse(search.logAt)}
          onGoTo={(ms) => change({ logAt: ms === null ? undefined : new Date(ms).toISOString() })}
        />
      </PartBoundary>
    </Stack>
  );
}
