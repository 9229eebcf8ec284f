import { Skeleton, Text } from '@mantine/core';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { CalibrationCard } from './calibration-card.tsx';
import styles from './calibrations.module.css';
import { useCalibrations } from './use-calibrations.ts';

/** All calibrations of a unit, device by device, with the one in use first. */
export function CalibrationList({ unit }: { readonly unit: string }) {
  const { data, error, isPending, isFetching, refetch } = useCalibrations(unit);
  const devices = Object.entries(data ?? {}).filter(([, found]) => found.length > 0);
  return (
    <Panel title="Stored on this unit">
      {isPending && <Skeleton height={120} />}
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} retrying={isFetching} />}
      {data && devices.length === 0 && (
        <Text size="sm">
          {unit} has no calibration yet. Start with its pumps: choose “Pump run-time wizard” above. Without one a pump
          runs by time only, not by volume.
        </Text>
      )}
      {devices.map(([device, found]) => (
        <section key={device} aria-label={`Calibrations of ${device}`}>
          <h3 className={styles.device}>{device.replaceAll('_', ' ')}</h3>
          <ul className={styles.cards}>
            {found
              .toSorted((one, other) => Number(other.is_active) - Number(one.is_active))
              .map((calibration) => (
                <CalibrationCard
                  key={calibration.calibration_name}
                  unit={unit}
                  device={device}
                  calibration={calibration}
                />
              ))}
          </ul>
        </section>
      ))}
    </Panel>
  );
}
