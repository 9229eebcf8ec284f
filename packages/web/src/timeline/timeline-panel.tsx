import { hourMs, type TimelineEntry, type TimelineKind, timelineKinds } from '@lcs/contract';
import { Autocomplete, Button, Chip, Group, Select, Skeleton, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMemo, useRef, useState } from 'react';
import type { TimeRange } from '../charts/time-range.ts';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { useLeaderNow } from '../services/use-ticking.ts';
import { weekdayText, zoneText } from '../time/moment-text.ts';
import { Dialog } from '../ui/dialog.tsx';
import { LongRows } from '../ui/long-table.tsx';
import { Panel } from '../ui/panel.tsx';
import { personText } from '../ui/people.ts';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { useInView } from '../ui/use-in-view.ts';
import { usePhone } from '../ui/use-phone.ts';
import { commonWords } from '../words/common.ts';
import { timelineWords } from '../words/timeline.ts';
import { type EditedNote, NoteForm } from './note-form.tsx';
import styles from './timeline.module.css';
import { TimelineRow } from './timeline-row.tsx';
import { daysOf, draftOf, kindWords, peopleOf, windowAround } from './timeline-rows.ts';
import { useTimeline, useTimelineChanged } from './use-timeline.ts';

interface TimelinePanelProps {
  readonly experiment: string;
  readonly units: readonly string[];
  readonly nameOf: (unit: string) => string;
  /** The zoomed window of the charts; `null`: they are not zoomed. */
  readonly chartWindow: TimeRange | null;
  /** The entry that a mark of a chart has opened; `null`: none. */
  readonly opened: { readonly entryId: string; readonly atMs: number } | null;
  /** Shows a window on the charts. */
  readonly onShow: (window: TimeRange) => void;
}

const typingPauseMs = 300;

interface Filters {
  readonly kinds: readonly TimelineKind[];
  readonly unit: string | null;
  readonly by: string;
  readonly isAsCharts: boolean;
  /** Only what happened around the opened entry. */
  readonly isAroundOpened: boolean;
}

const firstFilters: Filters = { kinds: timelineKinds, unit: null, by: '', isAsCharts: false, isAroundOpened: true };

interface FilterBarProps extends Pick<TimelinePanelProps, 'units' | 'nameOf'> {
  readonly filters: Filters;
  /** Who has done something in the entries read so far. */
  readonly people: readonly string[];
  readonly hasWindow: boolean;
  readonly hasOpened: boolean;
  readonly onChange: (change: Partial<Filters>) => void;
}

function FilterBar({ filters, units, nameOf, people, hasWindow, hasOpened, onChange }: FilterBarProps) {
  const { kinds, unit, by, isAsCharts, isAroundOpened } = filters;
  return (
    <div className={styles.filters}>
      <Chip.Group
        multiple
        value={[...kinds]}
        onChange={(chosen: string[]) => onChange({ kinds: timelineKinds.filter((kind) => chosen.includes(kind)) })}
      >
        <Group gap={6} role="group" aria-label={timelineWords.kindsOfEntries}>
          {timelineKinds.map((kind) => (
            <Chip key={kind} value={kind} size="sm">
              {kindWords[kind]}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      <Select
        aria-label={commonWords.unit}
        placeholder={commonWords.allUnits}
        clearable
        data={units.map((value) => ({ value, label: nameOf(value) }))}
        value={unit}
        onChange={(chosen) => onChange({ unit: chosen })}
        className={styles.unitField}
        comboboxProps={{ withinPortal: false }}
      />
      <Autocomplete
        aria-label={commonWords.person}
        placeholder={timelineWords.allPeople}
        data={people.map((name) => ({ value: name, label: personText(name) }))}
        value={by}
        onChange={(name) => onChange({ by: name })}
        className={styles.personField}
        comboboxProps={{ withinPortal: false }}
      />
      {hasOpened && (
        <Chip size="sm" checked={isAroundOpened} onChange={(checked) => onChange({ isAroundOpened: checked })}>
          {timelineWords.aroundChosenMark}
        </Chip>
      )}
      {hasWindow && (
        <Chip size="sm" checked={isAsCharts} onChange={(checked) => onChange({ isAsCharts: checked })}>
          {timelineWords.timeOfCharts}
        </Chip>
      )}
    </div>
  );
}

interface RemoveProps {
  readonly experiment: string;
  readonly entry: TimelineEntry;
  readonly onClose: () => void;
}

function RemoveNote({ experiment, entry, onClose }: RemoveProps) {
  const { leader } = useServices();
  const changed = useTimelineChanged(experiment);
  const removing = useMutation({
    mutationFn: () => leader.deleteNote({ params: { experiment, note_id: String(entry.note?.note_id ?? '') } }),
    onSuccess: async () => {
      onClose();
      await changed();
    },
  });
  return (
    <Dialog title={timelineWords.removeThisNote} isOpen onClose={onClose}>
      <Stack gap="sm">
        <Text size="sm">
          {timelineWords.isRemovedFromTimeline(entry.text, entry.note?.photo == null ? '' : timelineWords.withItsPhoto)}
          {entry.note?.volume_ml == null ? '' : timelineWords.volumeForgetsIt}.
        </Text>
        {removing.error && <ProblemAlert error={removing.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {commonWords.keepIt}
          </Button>
          <Button color="red" loading={removing.isPending} onClick={() => removing.mutate()}>
            {commonWords.remove}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

/** The day of the entries below it, and the zone of their times. */
const DayHeading = ({ ms }: { readonly ms: number }) => (
  <h3 className={styles.day}>
    {weekdayText(ms)} <span className={styles.zone}>{zoneText(ms)}</span>
  </h3>
);

function emptyText({ kinds, unit, by, isAsCharts }: Filters): string {
  if (kinds.length === 0) return timelineWords.noKindChosen;
  if (kinds.length < timelineKinds.length || unit !== null || by !== '' || isAsCharts)
    return timelineWords.nothingMatchesTheseFilters;
  return timelineWords.nothingHasHappenedYet;
}

/** How many entries come at once. Chosen: on a phone, what is below them is reached with a few swipes. */
const rowsAtOnce = 100;
const rowsOnPhone = 25;

/** What happened in the experiment, newest first, with filters; the charts show the time of an entry. */
export function TimelinePanel({ experiment, units, nameOf, chartWindow, opened, onShow }: TimelinePanelProps) {
  const panel = useRef<HTMLDivElement>(null);
  const isInView = useInView(panel);
  const wasInView = useRef(false);
  wasInView.current ||= isInView;
  const leaderNowMs = useLeaderNow();
  const [filters, setFilters] = useState(firstFilters);
  const [edited, setEdited] = useState<EditedNote | null>(null);
  const [removed, setRemoved] = useState<TimelineEntry | null>(null);
  const [chosen, setChosen] = useState<string | null>(opened?.entryId ?? null);
  const [by] = useDebouncedValue(filters.by.trim(), typingPauseMs);
  const { kinds, unit, isAsCharts, isAroundOpened } = filters;
  const openedMs = isAroundOpened ? opened?.atMs : undefined;
  const window = useMemo(
    () =>
      openedMs === undefined
        ? isAsCharts
          ? chartWindow
          : null
        : { fromMs: openedMs - hourMs, toMs: openedMs + hourMs },
    [openedMs, isAsCharts, chartWindow],
  );
  const view = useMemo(
    () => ({ experiment, kinds, unit, by: by === '' ? null : by, window }),
    [experiment, kinds, unit, by, window],
  );
  const isPhone = usePhone();
  const [open, setOpen] = useState({ note: false, filters: false });
  const timeline = useTimeline(view, isPhone ? rowsOnPhone : rowsAtOnce, wasInView.current);
  const pages = (timeline.data?.pages ?? []).map(({ entries }) => entries);
  const days = daysOf(pages);
  const show = (entry: TimelineEntry): void => {
    setChosen(entry.entry_id);
    onShow(windowAround(entry, leaderNowMs()));
  };
  const edit = (entry: TimelineEntry): void => {
    if (entry.note !== null) setEdited({ noteId: entry.note.note_id, draft: draftOf(entry) });
    panel.current?.scrollIntoView({ block: 'start' });
  };
  return (
    <Panel title={commonWords.timeline}>
      <div ref={panel} className={styles.body}>
        {isPhone && (
          <Group gap="xs" mb="sm">
            <Button variant="default" aria-expanded={open.note} onClick={() => setOpen({ ...open, note: !open.note })}>
              {timelineWords.addNoteOrSample}
            </Button>
            <Button
              variant="default"
              aria-expanded={open.filters}
              onClick={() => setOpen({ ...open, filters: !open.filters })}
            >
              {commonWords.filters}
            </Button>
          </Group>
        )}
        <div hidden={isPhone && !open.note && edited === null}>
          <NoteForm
            key={edited?.noteId ?? 'new'}
            {...{ experiment, units, nameOf, edited }}
            onDone={() => setEdited(null)}
          />
        </div>
        <div hidden={isPhone && !open.filters}>
          <FilterBar
            {...{ filters, units, nameOf, people: peopleOf(pages) }}
            hasWindow={chartWindow !== null}
            hasOpened={opened !== null}
            onChange={(change) => setFilters((before) => ({ ...before, ...change }))}
          />
        </div>
        {timeline.error && (
          <ProblemAlert error={timeline.error} onRetry={() => timeline.refetch()} retrying={timeline.isFetching} />
        )}
        {timeline.isLoading && <Skeleton height={160} role="status" aria-label={commonWords.loadingTimeline} />}
        {!timeline.isLoading && !timeline.error && days.length === 0 && (
          <Text size="sm" c="dimmed" className={styles.none}>
            {emptyText(filters)}
          </Text>
        )}
        {days.map(({ day, entries }) => (
          <section key={day} aria-label={day}>
            <DayHeading ms={Date.parse(entries[0]?.at ?? '')} />
            <ol className={styles.list}>
              <LongRows
                rows={entries}
                keyOf={({ entry_id }) => entry_id}
                estimatedPx={58}
                kind="list"
                // It is scrolled to, and must be there.
                isWhole={entries.some(({ entry_id }) => entry_id === chosen)}
              >
                {(entry, place) => (
                  <TimelineRow
                    experiment={experiment}
                    place={place}
                    entry={entry}
                    name={entry.reactor_unit === null ? null : nameOf(entry.reactor_unit)}
                    isChosen={entry.entry_id === chosen}
                    onShow={show}
                    onEdit={edit}
                    onRemove={setRemoved}
                  />
                )}
              </LongRows>
            </ol>
          </section>
        ))}
        {timeline.hasNextPage && (
          <Button
            variant="default"
            mt="sm"
            loading={timeline.isFetchingNextPage}
            onClick={() => void timeline.fetchNextPage()}
          >
            {commonWords.olderEntries}
          </Button>
        )}
      </div>
      {removed !== null && <RemoveNote experiment={experiment} entry={removed} onClose={() => setRemoved(null)} />}
    </Panel>
  );
}
