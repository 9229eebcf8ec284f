import { type Calibration, leaderApi } from '@lcs/contract';
import { calibrationQuality, dosingAutomationJob } from '@lcs/domain';
import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { plainSentence, plainWords } from '../api/plain-words.ts';
import { useJobs } from '../services/queries.ts';
import { useMay } from '../services/use-may.ts';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { Moment } from '../ui/moments.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { calibrationsWords } from '../words/calibrations.ts';
import { commonWords } from '../words/common.ts';
import { CalibrationChart } from './calibration-chart.tsx';
import { deviceTitle, scatterText } from './calibration-matrix.ts';
import { jobUsing } from './calibration-use.ts';
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
  const scatter = scatterText({ device, ...calibrationQuality(calibration) });
  const count = points.x.length;
  const user = jobUsing({ unit, device }, useJobs() ?? []);
  return (
    <li className={styles.card}>
      <Group justify="space-between" gap="xs" wrap="nowrap" align="start">
        <div className={styles.naming}>
          <h3 className={styles.name}>{deviceTitle(device)}</h3>
          <Text size="sm">{name}</Text>
        </div>
        {isActive && (
          <Badge variant="light" className={styles.badge ?? ''}>
            {calibrationsWords.active}
          </Badge>
        )}
      </Group>
      <CalibrationChart calibration={calibration} />
      <Text size="sm" c="dimmed">
        <Moment ms={Date.parse(created_at)} /> · {calibrationsWords.pointCount(count)}
        {scatter !== null && calibrationsWords.scatter(scatter)}
      </Text>
      {change.error && !isAsking && <ProblemAlert error={change.error} />}
      <Group gap="xs" mt="xs">
        <Button
          size="xs"
          variant="default"
          loading={change.isPending}
          onClick={() => act(isActive ? 'deactivate' : 'activate')}
          aria-label={calibrationsWords.actionOnCalibration(isActive, name, deviceTitle(device))}
          {...may(isActive ? leaderApi.clearActiveCalibration : leaderApi.setActiveCalibration)}
        >
          {isActive ? calibrationsWords.deactivate : calibrationsWords.activate}
        </Button>
        <Button
          size="xs"
          variant="subtle"
          color="red"
          onClick={() => setIsAsking(true)}
          aria-label={calibrationsWords.deleteOf(name, deviceTitle(device))}
          {...may(leaderApi.deleteCalibration)}
        >
          {commonWords.delete}
        </Button>
      </Group>
      <Dialog title={commonWords.deleteNamedQuestion(name)} isOpen={isAsking} onClose={() => setIsAsking(false)}>
        <Stack gap="xs">
          {isActive && <Text size="sm">{calibrationsWords.itIsActive(deviceTitle(device))}</Text>}
          {isActive && user !== undefined && (
            <Text size="sm" fw={600}>
              {calibrationsWords.isUsedNow(plainSentence(plainWords(user)), unit, user === dosingAutomationJob.name)}
            </Text>
          )}
          <Text size="sm">
            {calibrationsWords.movedAside(unit, `storage/calibrations/${device}/${name}.yaml.deleted`)}
          </Text>
        </Stack>
        {change.error && <ProblemAlert error={change.error} />}
        <DialogActions>
          <Button variant="default" onClick={() => setIsAsking(false)}>
            {commonWords.keepIt}
          </Button>
          <Button color="red.9" loading={change.isPending} onClick={remove}>
            {calibrationsWords.deleteIt}
          </Button>
        </DialogActions>
      </Dialog>
    </li>
  );
}
