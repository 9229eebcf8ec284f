import { leaderApi } from '@lcs/contract';
import { Button } from '@mantine/core';
import { forPeople } from '../api/plain-words.ts';
import { useAlarmsOfUnit } from '../services/use-by-unit.ts';
import { useMay } from '../services/use-may.ts';
import { useLeaderNow, useTicking } from '../services/use-ticking.ts';
import { momentText } from '../time/moment-text.ts';
import { jobsWords } from '../words/jobs.ts';
import { endedByError } from './ended-by-error.ts';
import styles from './job-row.module.css';

interface EndedJobProps {
  readonly unit: string;
  readonly experiment: string;
  readonly jobName: string;
  readonly isDisabled: boolean;
  readonly onStart: () => void;
}

/** Why a job is off that nobody has stopped, and the way to start it again. */
export function EndedJob({ unit, experiment, jobName, isDisabled, onStart }: EndedJobProps) {
  const alarm = endedByError(useAlarmsOfUnit(unit), experiment, jobName);
  const nowMs = useLeaderNow();
  const at = useTicking(() => (alarm === undefined ? '' : momentText(Date.parse(alarm.since), nowMs())));
  const may = useMay();
  if (alarm === undefined) return null;
  return (
    <div className={styles.reason}>
      <p className={styles.ended}>{jobsWords.endedAt(at, forPeople(alarm.message))}</p>
      <Button size="xs" variant="default" disabled={isDisabled} onClick={onStart} {...may(leaderApi.runWorkerJob)}>
        {jobsWords.startWithLastValues}
      </Button>
    </div>
  );
}
