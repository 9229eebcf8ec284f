import { Skeleton, Text } from '@mantine/core';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { calibrationsWords } from '../words/calibrations.ts';
import { commonWords } from '../words/common.ts';
import { CalibrationCard } from './calibration-card.tsx';
import { matrixDevices } from './calibration-matrix.ts';
import styles from './calibrations.module.css';
import { useCalibrations } from './use-calibrations.ts';

interface CalibrationListProps {
  readonly unit: string;
  /** The device that the person came for: it is first. */
  readonly device: string | undefined;
}

/** All calibrations of a unit, device by device, the active one first. */
export function CalibrationList({ unit, device: wanted }: CalibrationListProps) {
  const { data, error, isPending, isFetching, refetch } = useCalibrations(unit);
  const order = matrixDevices(Object.keys(data ?? {}).map((device) => ({ device })));
  const placeOf = (device: string): number => (device === wanted ? -1 : order.indexOf(device));
  const all = Object.entries(data ?? {})
    .toSorted(([one], [other]) => placeOf(one) - placeOf(other))
    .flatMap(([device, found]) =>
      found
        .toSorted((one, other) => Number(other.is_active) - Number(one.is_active))
        .map((calibration) => ({ device, calibration })),
    );
  return (
    <section aria-label={commonWords.calibrations}>
      <h2 className={styles.heading}>{commonWords.calibrations}</h2>
      {isPending && <Skeleton height={120} />}
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} retrying={isFetching} />}
      {data && all.length === 0 && <Text size="sm">{calibrationsWords.noCalibrationYet(unit)}</Text>}
      {all.length > 0 && (
        <ul className={styles.cards}>
          {all.map(({ device, calibration }) => (
            <CalibrationCard
              key={`${device} ${calibration.calibration_name}`}
              unit={unit}
              device={device}
              calibration={calibration}
            />
          ))}
        </ul>
      )}
    </section>
  );
}
