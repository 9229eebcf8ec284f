import { leaderApi } from '@lcs/contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { problemText } from '../api/problem.ts';
import { useMay } from '../services/use-may.ts';
import { useElapsed, useLastKnown } from '../services/use-ticking.ts';
import { exactText } from '../time/moment-text.ts';
import { commonWords } from '../words/common.ts';
import { unitsWords } from '../words/units.ts';
import { pictureUrl } from './picture-url.ts';
import { StillHistory } from './still-history.tsx';
import styles from './unit-camera.module.css';
import { StillNotTaken, useCamera } from './use-camera.ts';

interface UnitCameraProps {
  readonly unit: string;
  readonly unitName: string;
  readonly experiment: string;
}

const reasonOf = (error: Error): string =>
  error instanceof StillNotTaken ? unitsWords.noPicture(error.message) : problemText(error).error;

function Age({ at }: { readonly at: string }) {
  const elapsed = useElapsed(Date.parse(at));
  return (
    <time dateTime={at} title={exactText(Date.parse(at))}>
      {unitsWords.pictureTakenAgo(elapsed)}
    </time>
  );
}

/** The newest still of a unit that has a camera; nothing for the others. */
export function UnitCamera({ unit, unitName, experiment }: UnitCameraProps) {
  const { camera, take } = useCamera(unit, experiment);
  const lastKnown = useLastKnown();
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  if (camera === undefined) return null;
  const still = camera.latest_still;
  return (
    <div className={styles.camera}>
      {still !== null && (
        <a href={pictureUrl(unit, experiment, still.image_id)} target="_blank" rel="noreferrer">
          <img
            className={styles.picture}
            src={pictureUrl(unit, experiment, still.image_id)}
            alt={commonWords.vialOf(unitName)}
          />
        </a>
      )}
      <div className={styles.words}>
        {still === null ? <span>{unitsWords.noPictureYet}</span> : <Age at={still.captured_at} />}
        <Button
          size="compact-xs"
          variant="default"
          loading={take.isPending}
          disabled={lastKnown !== null}
          onClick={() => take.mutate()}
          {...may(leaderApi.takeStill)}
        >
          {unitsWords.takePicture}
        </Button>
        {still !== null && (
          <Button size="compact-xs" variant="default" onClick={() => setOpen(true)}>
            {unitsWords.earlierPictures}
          </Button>
        )}
        {take.isError && <p className={styles.problem}>{reasonOf(take.error)}</p>}
      </div>
      {isOpen && <StillHistory {...{ unit, unitName, experiment }} atMs={null} onClose={() => setOpen(false)} />}
    </div>
  );
}
