import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { exactText } from '../time/moment-text.ts';
import { Dialog } from '../ui/dialog.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { unitsWords } from '../words/units.ts';
import { nearestStill } from './nearest-still.ts';
import { pictureUrl } from './picture-url.ts';
import styles from './unit-camera.module.css';

interface StillHistoryProps {
  readonly unit: string;
  readonly unitName: string;
  readonly experiment: string;
  /** The still of this moment is shown first; `null`: the newest. */
  readonly atMs: number | null;
  readonly onClose: () => void;
}

/** The stills of a unit in an experiment, one at a time, with steps to earlier and later ones. */
export function StillHistory({ unit, unitName, experiment, atMs, onClose }: StillHistoryProps) {
  const { leader } = useServices();
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: queryKeys.stills(experiment, unit),
    queryFn: ({ signal }) => leader.listStills({ params: { reactor_unit: unit, experiment }, signal }),
    // The dialog shows those of its opening: a step is not to a picture that came meanwhile.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const stills = data?.stills ?? [];
  const [chosen, setChosen] = useState<number | null>(null);
  const place = chosen ?? nearestStill(stills, atMs);
  const still = stills[place];
  const step = (by: number): void => setChosen(Math.min(Math.max(place + by, 0), stills.length - 1));
  const onKey = ({ key }: KeyboardEvent): void => {
    if (key === 'ArrowLeft') step(-1);
    if (key === 'ArrowRight') step(1);
  };
  return (
    <Dialog title={unitsWords.picturesOf(unitName)} isOpen size="lg" onClose={onClose}>
      <Stack gap="sm" onKeyDown={onKey}>
        {error && <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} />}
        {data === undefined && !error && (
          <Skeleton height={240} role="status" aria-label={commonWords.loadingNamed(unitsWords.picturesOf(unitName))} />
        )}
        {data !== undefined && still === undefined && <Text size="sm">{unitsWords.noPictureInExperiment}</Text>}
        {still !== undefined && (
          <>
            <img
              className={styles.large}
              src={pictureUrl(unit, experiment, still.image_id)}
              alt={commonWords.vialOf(unitName)}
            />
            <Group justify="space-between">
              <Button variant="default" disabled={place === 0} onClick={() => step(-1)}>
                {unitsWords.earlierPicture}
              </Button>
              <Text size="sm" role="status">
                <time dateTime={still.captured_at}>{exactText(Date.parse(still.captured_at))}</time>
                {unitsWords.placeOfPicture(place + 1, stills.length)}
              </Text>
              <Button variant="default" disabled={place === stills.length - 1} onClick={() => step(1)}>
                {unitsWords.laterPicture}
              </Button>
            </Group>
          </>
        )}
      </Stack>
    </Dialog>
  );
}
