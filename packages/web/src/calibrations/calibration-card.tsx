import type { Calibration } from '@lcs/contract';
import { Badge, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { CalibrationChart } from './calibration-chart.tsx';
import styles from './calibrations.module.css';
import { useCalibrationAction } from './use-calibrations.ts';

interface CalibrationCardProps {
  readonly unit: string;
  readonly device: string;
  readonly calibration: Calibration;
}

/** One stored calibration with its curve, and what can be done with it. */
export function CalibrationCard({ unit, device, calibration }: CalibrationCardProps) {
  const deed = useCalibrationAction(unit);
  const [isAsking, setIsAsking] = useState(false);
  const { calibration_name: name, is_active: isActive, recorded_data: points, created_at } = calibration;
  const act = (what: 'activate' | 'deactivate') => deed.mutate({ deed: what, device, name });
  const remove = () => deed.mutate({ deed: 'delete', device, name }, { onSuccess: () => setIsAsking(false) });
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
      {deed.error && !isAsking && <ProblemAlert error={deed.error} />}
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          loading={deed.isPending}
          onClick={() => act(isActive ? 'deactivate' : 'activate')}
          aria-label={`${isActive ? 'Do not use' : 'Use'} ${name} of ${device}`}
        >
          {isActive ? 'Do not use' : 'Use'}
        </Button>
        <Button
          size="xs"
          variant="default"
          onClick={() => setIsAsking(true)}
          aria-label={`Delete ${name} of ${device}`}
        >
          Delete
        </Button>
      </Group>
      <Dialog title={`Delete ${name}?`} isOpen={isAsking} onClose={() => setIsAsking(false)}>
        <Text size="sm">
          {isActive
            ? `It is in use: after that ${device} has no calibration. Running jobs keep theirs until they start again.`
            : 'The file is removed from the unit for good.'}
        </Text>
        {deed.error && <ProblemAlert error={deed.error} />}
        <DialogActions>
          <Button variant="default" onClick={() => setIsAsking(false)}>
            Keep it
          </Button>
          <Button color="red.9" loading={deed.isPending} onClick={remove}>
            Delete it
          </Button>
        </DialogActions>
      </Dialog>
    </li>
  );
}
