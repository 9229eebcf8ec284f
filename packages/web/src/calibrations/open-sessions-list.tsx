import { Alert, Text, VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useJobs } from '../services/queries.ts';
import { WarningIcon } from '../ui/icons.tsx';
import { calibrationsWords } from '../words/calibrations.ts';
import { commonWords } from '../words/common.ts';
import styles from './calibrations.module.css';
import { openSessions } from './open-sessions.ts';

/** Sessions that jobs carry out, with a link to each: also those that were started before this page was loaded. */
export function OpenSessions({ without = [] }: { readonly without?: readonly string[] }) {
  const sessions = openSessions(useJobs() ?? []).filter(({ unit }) => !without.includes(unit));
  if (sessions.length === 0) return null;
  const isAsking = sessions.some(({ percent }) => percent === null);
  return (
    <Alert
      color={isAsking ? 'orange' : 'sea'}
      variant="light"
      icon={<WarningIcon />}
      title={isAsking ? calibrationsWords.calibrationsThatWaitForYou : calibrationsWords.calibrationsThatAreRunning}
    >
      <ul className={styles.open} aria-label={calibrationsWords.openCalibrations}>
        {sessions.map(({ unit, session, percent, text }) => (
          <li key={session}>
            <Text size="sm">
              <strong>{unit}</strong>{' '}
              {percent === null
                ? calibrationsWords.waitsForAnswer
                : calibrationsWords.measuresPercent(Math.round(percent))}
              {text === '' ? '.' : `: ${text}`}
            </Text>
            <Link to="/units/$unit" params={{ unit }} search={{ tab: 'calibrations', session }} className="page-link">
              {commonWords.continue}
              <VisuallyHidden>{calibrationsWords.calibrationOf(unit)}</VisuallyHidden>
            </Link>
          </li>
        ))}
      </ul>
    </Alert>
  );
}
