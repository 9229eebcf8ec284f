import { type Calibration, leaderApi } from '@lcs/contract';
import { Badge, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useMay } from '../services/use-may.ts';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { CalibrationChart } from './calibration-chart.tsx';
import styles from './calibrations.module.css';
import { useCalibrationChange } from './use-calibrations.ts';

interface CalibrationCardProps {
  readonly unit: string;
  readonly device: string;
  readonly calibration: Calibration;
}

/** One stored calibration with its curve and the actions on it. */
export function CalibrationCard({ unit, device, calibration }: CalibrationCardProps) {
  const change = useCalibrationChange(unit);
  const [isAsking, setIsAsking] = useState(false);
  const may = useMay();
  const { calibration_name: name, is_active: isActive, recorded_data: points, created_at } = calibration;
  const act = (action: 'activate' | 'deactivate') => change.mutate({ action, device, name });
  const remove = () => change.mutate({ action: 'delete', device, name }, { onSuccess: () => setIsAsking(false) });
  return (
    <li className={styles.card} data-active={isActive || undefined}>
      <Group justify="space-between" gap="xs" wrap="nowrap" align="start">
        <div className={styles.naming}>
          <h4 className={styles.name}>{name}</h4>
          <Text size="xs" c="dimmed">
            {created_at.slice(0, 10)}, {points.x.length} {points.x.length === 1 ? 'point' : 'points'}
          </Text>
        </div>
        {isActive && <Badge variant="light">In use</Badge>}
      </Group>
      <CalibrationChart calibration={calibration} />
      {change.error && !isAsking && <ProblemAlert error={change.error} />}
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          loading={change.isPending}
          onClick={() => act(isActive ? 'deactivate' : 'activate')}
          aria-label={`${isActive ? 'Do not use' : 'Use'} ${name} of ${device}`}
          {...may(isActive ? leaderApi.clearActiveCalibration : leaderApi.setActiveCalibration)}
        >
          {isActive ? 'Do not use' : 'Use'}
        </Button>
        <Button
          size="xs"
          variant="default"
          onClick={() => setIsAsking(true)}
          aria-label={`Delete ${name} of ${device}`}
          {...may(leaderApi.deleteCalibration)}
        >
          Delete
        </Button>
      </Group>
      <Dialog title={`Delete ${name}?`} isOpen={isAsking} onClose={() => setIsAsking(false)}>
        <Text size="sm">
          {isActive
            ? `It is in use: without it ${device} has no calibration. Running jobs keep it until they start again.`
            : 'The file is deleted from the unit permanently.'}
        </Text>
        {change.error && <ProblemAlert error={change.error} />}
        <DialogActions>
          <Button variant="default" onClick={() => setIsAsking(false)}>
            Keep it
          </Button>
          <Button color="red.9" loading={change.isPending} onClick={remove}>
            Delete it
          </Button>
        </DialogActions>
      </Dialog>
    </li>
  );
}
