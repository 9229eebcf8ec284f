import { leaderApi } from '@lcs/contract';
import { Button, Group } from '@mantine/core';
import { forPeople } from '../api/plain-words.ts';
import { useAlarmsOfUnit } from '../services/use-by-unit.ts';
import { useMay } from '../services/use-may.ts';
import { useLeaderNow, useTicking } from '../services/use-ticking.ts';
import { momentText } from '../time/moment-text.ts';
import { jobsWords } from '../words/jobs.ts';
import { endedByError } from './ended-by-error.ts';
import { useHeldJob, useHeldText } from './held-jobs.tsx';
import styles from './job-row.module.css';

interface EndedJobProps {
  readonly unit: string;
  readonly experiment: string;
  readonly jobName: string;
  readonly isDisabled: boolean;
  /** Whether the unit has all that a start needs. */
  readonly mayStart: boolean;
  readonly onStart: () => void;
  readonly onLeaveOff: () => void;
}

/** Why a job is off that nobody has stopped, and the ways to start it again, or to leave it off where it waits for a person. */
export function EndedJob({ unit, experiment, jobName, isDisabled, mayStart, onStart, onLeaveOff }: EndedJobProps) {
  const held = useHeldJob(unit, experiment, jobName);
  const heldText = useHeldText(held);
  const alarm = endedByError(useAlarmsOfUnit(unit), experiment, jobName);
  const nowMs = useLeaderNow();
  const at = useTicking(() => (alarm === undefined ? '' : momentText(Date.parse(alarm.since), nowMs())));
  const may = useMay();
  if (held === undefined && alarm === undefined) return null;
  return (
    <div className={styles.reason}>
      <p className={styles.ended}>{heldText || jobsWords.endedAt(at, forPeople(alarm?.message ?? ''))}</p>
      <Group gap={6}>
        <Button
          size="xs"
          variant="default"
          disabled={isDisabled || !mayStart}
          onClick={onStart}
          {...may(leaderApi.runWorkerJob)}
        >
          {jobsWords.startWithLastValues}
        </Button>
        {held !== undefined && (
          <Button
            size="xs"
            variant="subtle"
            disabled={isDisabled}
            onClick={onLeaveOff}
            {...may(leaderApi.stopWorkerJob)}
          >
            {jobsWords.leaveOff}
          </Button>
        )}
      </Group>
    </div>
  );
}
