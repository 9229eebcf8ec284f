import { hourMs, type TimelineEntry, timelineKinds } from '@lcs/contract';
import { Autocomplete, Button, Chip, Group, Select, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { TimeRange } from '../charts/time-range.ts';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { useFieldZone, useLeaderNow } from '../services/use-ticking.ts';
import { isAccepted } from '../time/moment-in-address.ts';
import { localSecond, weekdayText, zoneText } from '../time/moment-text.ts';
import { Dialog } from '../ui/dialog.tsx';
import { LongRows } from '../ui/long-table.tsx';
import { Panel } from '../ui/panel.tsx';
import { personNamed, personText } from '../ui/people.ts';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { useInView } from '../ui/use-in-view.ts';
import { usePhone } from '../ui/use-phone.ts';
import { commonWords } from '../words/common.ts';
import { timelineWords } from '../words/timeline.ts';
import { unitNameText } from '../words/unit-name.ts';
import { type EditedNote, NoteForm } from './note-form.tsx';
import styles from './timeline.module.css';
import { noFilters, openedEntry, type TimelineSearch } from './timeline-address.ts';
import { TimelineRow } from './timeline-row.tsx';
import { daysOf, draftOf, kindWords, peopleOf, windowAround } from './timeline-rows.ts';
import { areFiltered, changedKinds, filterSearch, filtersOfSearch, type TimelineFilters } from './timeline-search.ts';
import { useTimeline, useTimelineChanged } from './use-timeline.ts';

/** An entry that charts and timeline show each other. */
export interface ShownEntry {
  readonly entryId: string;
  readonly atMs: number;
}

/** The filters of the address, and the entry that a mark of a chart has opened. */
type PanelSearch = TimelineSearch & { readonly entry?: string | undefined; readonly at?: string | undefined };

interface TimelinePanelProps {
  readonly experiment: string;
  readonly units: readonly string[];
  readonly nameOf: (unit: string) => string;
  /** The zoomed window of the charts; `null`: they are not zoomed. */
  readonly chartWindow: TimeRange | null;
  /** The entry that a mark of a chart has opened; `null`: none. */
  readonly opened: ShownEntry | null;
  /** Shows an entry on the charts, in a window around it. */
  readonly onShow: (window: TimeRange, entry: ShownEntry) => void;
  readonly search: TimelineSearch;
  readonly onSearch: (update: PanelSearch | ((before: TimelineSearch) => PanelSearch)) => void;
}

const typingPauseMs = 300;

interface FilterBarProps extends Pick<TimelinePanelProps, 'units' | 'nameOf' | 'chartWindow'> {
  readonly filters: TimelineFilters;
  /** Who has done something in the entries read so far. */
  readonly people: readonly string[];
  readonly hasOpened: boolean;
  readonly onChange: (change: Partial<Omit<TimelineFilters, 'kinds'>>) => void;
  readonly onKinds: (chosen: readonly string[]) => void;
  /** No longer only what happened around the opened entry. */
  readonly onAllTimes: () => void;
}

/** A field as it is typed. It follows the address when something else changes that, such as a button that clears all filters. */
function useTyped<Value>(value: Value, textOf: (value: Value) => string) {
  const [typed, setTyped] = useState(() => textOf(value));
  const sent = useRef(value);
  useEffect(() => {
    if (value !== sent.current) setTyped(textOf(value));
    sent.current = value;
  }, [value, textOf]);
  const noteSent = (next: Value): void => {
    sent.current = next;
  };
  return { typed, setTyped, noteSent };
}

/** The person as it is typed; the address follows when the typing pauses. */
function PersonFilter({
  by,
  people,
  onChange,
}: Pick<FilterBarProps, 'people'> & {
  readonly by: string;
  readonly onChange: (by: string) => void;
}) {
  const { typed, setTyped, noteSent } = useTyped(by, personText);
  const send = useDebouncedCallback((name: string) => {
    noteSent(name);
    onChange(name);
  }, typingPauseMs);
  return (
    <Autocomplete
      aria-label={commonWords.person}
      placeholder={timelineWords.allPeople}
      data={people.map((name) => ({ value: name, label: personText(name) }))}
      value={typed}
      onChange={(name) => {
        setTyped(name);
        send(personNamed(name.trim()));
      }}
      className={styles.personField}
      comboboxProps={{ withinPortal: false }}
    />
  );
}

interface TimeFilterProps {
  readonly label: string;
  readonly ms: number | null;
  readonly onChange: (ms: number | null) => void;
}

const momentText = (ms: number | null): string => (ms === null ? '' : localSecond(ms));

function TimeFilter({ label, ms, onChange }: TimeFilterProps) {
  const { typed, setTyped, noteSent } = useTyped(ms, momentText);
  const zone = useFieldZone(typed);
  return (
    <TextInput
      type="datetime-local"
      step={1}
      aria-label={timelineWords.timeIn(label, zone)}
      title={timelineWords.timeIn(label, zone)}
      leftSection={<span className={styles.timeLabel}>{label}</span>}
      leftSectionWidth={48}
      value={typed}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        const chosen = value === '' ? null : new Date(value).getTime();
        if (chosen !== null && !isAccepted(chosen)) return;
        noteSent(chosen);
        onChange(chosen);
      }}
      className={styles.timeFilter}
    />
  );
}

function FilterBar(props: FilterBarProps) {
  const { filters, units, nameOf, people, chartWindow, hasOpened, onChange, onKinds, onAllTimes } = props;
  const { kinds, unit, by, sinceMs, untilMs } = filters;
  return (
    <div className={styles.filters}>
      <Chip.Group multiple value={[...kinds]} onChange={(chosen: string[]) => onKinds(chosen)}>
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
        data={units.map((value) => ({ value, label: unitNameText(value, nameOf(value)) }))}
        value={unit}
        onChange={(chosen) => onChange({ unit: chosen })}
        className={styles.unitField}
        comboboxProps={{ withinPortal: false }}
      />
      <PersonFilter by={by} people={people} onChange={(name) => onChange({ by: name })} />
      <TimeFilter label={commonWords.from} ms={sinceMs} onChange={(ms) => onChange({ sinceMs: ms })} />
      <TimeFilter label={commonWords.to} ms={untilMs} onChange={(ms) => onChange({ untilMs: ms })} />
      {hasOpened && (
        <Chip size="sm" checked onChange={onAllTimes}>
          {timelineWords.aroundChosenMark}
        </Chip>
      )}
      {chartWindow !== null && (
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => onChange({ sinceMs: chartWindow.fromMs, untilMs: chartWindow.toMs })}
        >
          {timelineWords.timeOfCharts}
        </Button>
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

interface EmptyProps {
  readonly filters: TimelineFilters;
  readonly isAroundOpened: boolean;
  readonly onClear: () => void;
}

/** Why there are no entries, and what to do. */
function Empty({ filters, isAroundOpened, onClear }: EmptyProps) {
  const isFiltered = areFiltered(filters) || isAroundOpened;
  const text = (): string => {
    if (filters.kinds.length === 0) return timelineWords.noKindChosen;
    const { sinceMs, untilMs } = filters;
    if (sinceMs !== null && untilMs !== null && sinceMs >= untilMs) return timelineWords.endBeforeBeginning;
    return isFiltered ? timelineWords.nothingMatchesTheseFilters : timelineWords.nothingHasHappenedYet;
  };
  return (
    <Text size="sm" c="dimmed" className={styles.none} role="status">
      {text()}
      {isFiltered && (
        <Button size="compact-sm" variant="default" ml="xs" onClick={onClear}>
          {timelineWords.showAllEntries}
        </Button>
      )}
    </Text>
  );
}

/** What happened an hour before and after an entry. */
const aroundOpened = (ms: number) => ({ sinceMs: Math.max(0, ms - hourMs), untilMs: ms + hourMs });

/** How many entries come at once. Chosen: on a phone, what is below them is reached with a few swipes. */
const rowsAtOnce = 100;
const rowsOnPhone = 25;

/** What happened in the experiment, newest first, with filters; the charts show the time of an entry. */
export function TimelinePanel(props: TimelinePanelProps) {
  const { experiment, units, nameOf, chartWindow, opened, onShow, search, onSearch } = props;
  const panel = useRef<HTMLDivElement>(null);
  const isInView = useInView(panel);
  const wasInView = useRef(false);
  wasInView.current ||= isInView;
  const leaderNowMs = useLeaderNow();
  const [edited, setEdited] = useState<EditedNote | null>(null);
  const [removed, setRemoved] = useState<TimelineEntry | null>(null);
  const { kinds: chosenKinds, about, by: person, since, until } = search;
  const filters = useMemo(
    () => filtersOfSearch({ kinds: chosenKinds, about, by: person, since, until }),
    [chosenKinds, about, person, since, until],
  );
  const openedMs = opened?.atMs;
  const view = useMemo(() => {
    const { kinds, unit, by, sinceMs, untilMs } = filters;
    const window = openedMs === undefined ? { sinceMs, untilMs } : aroundOpened(openedMs);
    return { experiment, kinds, unit, by: by === '' ? null : by, ...window };
  }, [experiment, filters, openedMs]);
  const isPhone = usePhone();
  const [open, setOpen] = useState({ note: false, filters: false });
  const timeline = useTimeline(view, isPhone ? rowsOnPhone : rowsAtOnce, wasInView.current);
  const pages = (timeline.data?.pages ?? []).map(({ entries }) => entries);
  const days = daysOf(pages);
  const openedId = opened === null ? undefined : openedEntry(pages.flat(), opened);
  const show = (entry: TimelineEntry): void =>
    onShow(windowAround(entry, leaderNowMs()), { entryId: entry.entry_id, atMs: Date.parse(entry.at) });
  const allTimes = { entry: undefined, at: undefined };
  const edit = (entry: TimelineEntry): void => {
    if (entry.note !== null)
      setEdited({ noteId: entry.note.note_id, version: entry.note.version, draft: draftOf(entry) });
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
            {...{ filters, units, nameOf, chartWindow, people: peopleOf(pages) }}
            hasOpened={opened !== null}
            onChange={(change) =>
              // A chosen time replaces that of the opened entry.
              onSearch({ ...filterSearch(change), ...('sinceMs' in change || 'untilMs' in change ? allTimes : {}) })
            }
            onKinds={(chosen) =>
              onSearch((before) =>
                filterSearch({ kinds: changedKinds(filtersOfSearch(before).kinds, filters.kinds, chosen) }),
              )
            }
            onAllTimes={() => onSearch(allTimes)}
          />
        </div>
        {timeline.error && (
          <ProblemAlert error={timeline.error} onRetry={() => timeline.refetch()} retrying={timeline.isFetching} />
        )}
        {timeline.isLoading && <Skeleton height={160} role="status" aria-label={commonWords.loadingTimeline} />}
        {!timeline.isLoading && !timeline.error && days.length === 0 && (
          <Empty
            filters={filters}
            isAroundOpened={opened !== null}
            onClear={() => onSearch({ ...noFilters, ...allTimes })}
          />
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
                isWhole={entries.some(({ entry_id }) => entry_id === openedId)}
              >
                {(entry, place) => (
                  <TimelineRow
                    experiment={experiment}
                    place={place}
                    entry={entry}
                    name={entry.reactor_unit === null ? null : nameOf(entry.reactor_unit)}
                    isChosen={entry.entry_id === openedId}
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
