import { Button, CloseButton, Group, Menu, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { useTicking } from '../services/use-ticking.ts';
import { momentText } from '../time/moment-text.ts';
import { cameraOf } from '../units/camera-of.ts';
import { StillHistory } from '../units/still-history.tsx';
import { timelineWords } from '../words/timeline.ts';
import { unitNameText } from '../words/unit-name.ts';
import { unitsWords } from '../words/units.ts';
import { type PageSearch, readPageSearch } from './page-search.ts';

interface ChosenEntryProps {
  readonly experiment: string;
  readonly atMs: number;
  readonly units: readonly string[];
  readonly nameOf: (unit: string) => string;
  /** Empty: charts do not have it. */
  readonly text: string;
  readonly search: PageSearch;
  readonly onRemove: () => void;
}

/** The pictures of a moment, of the units that have a camera; nothing without one. */
function PicturesAt({
  experiment,
  atMs,
  units,
  nameOf,
}: Pick<ChosenEntryProps, 'experiment' | 'atMs' | 'units' | 'nameOf'>) {
  const { leader } = useServices();
  const [unit, setUnit] = useState<string | null>(null);
  const { data } = useQuery({
    queryKey: queryKeys.cameras(experiment),
    queryFn: ({ signal }) => leader.listCameras({ params: { experiment }, signal }),
  });
  const seen = data === undefined ? [] : units.filter((each) => cameraOf(data, each) !== undefined);
  if (seen.length === 0) return null;
  return (
    <>
      <Menu>
        <Menu.Target>
          <Button size="compact-sm" variant="default">
            {unitsWords.picturesAtThisTime}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {seen.map((each) => (
            <Menu.Item key={each} onClick={() => setUnit(each)}>
              {unitsWords.picturesOf(nameOf(each))}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {unit !== null && (
        <StillHistory
          unit={unit}
          unitName={unitNameText(unit, nameOf(unit))}
          experiment={experiment}
          atMs={atMs}
          onClose={() => setUnit(null)}
        />
      )}
    </>
  );
}

/** The entry of the timeline that is marked on the charts, and the way back to it. */
export function ChosenEntry({ experiment, atMs, units, nameOf, text, search, onRemove }: ChosenEntryProps) {
  const time = useTicking((nowMs) => momentText(atMs, nowMs));
  return (
    <Group gap="xs">
      <Text size="sm" role="status">
        {timelineWords.markedOnCharts(time, text)}
      </Text>
      <Link
        to="/experiments/$experiment/timeline"
        params={{ experiment }}
        search={readPageSearch({ ...search })}
        className="page-link"
      >
        {timelineWords.backToTimeline}
      </Link>
      <PicturesAt {...{ experiment, atMs, units, nameOf }} />
      <CloseButton aria-label={timelineWords.removeMark} onClick={onRemove} />
    </Group>
  );
}
