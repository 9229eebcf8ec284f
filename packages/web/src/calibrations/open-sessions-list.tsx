import { leaderApi } from '@lcs/contract';
import { Alert, Button, Group, Text, VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../services/use-may.ts';
import { WarningIcon } from '../ui/icons.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { openSessionsWords } from '../words/open-sessions.ts';
import { CancelSessionDialog } from './cancel-session-dialog.tsx';
import type { OpenSession } from './open-sessions.ts';
import styles from './open-sessions-list.module.css';
import { useAbortSession } from './use-calibrations.ts';

function sentenceOf({ unit, percent, text, procedure }: OpenSession): string {
  const title = procedure?.title ?? openSessionsWords.aCalibration;
  if (percent !== null) return openSessionsWords.measures(unit, title, Math.round(percent));
  return text === '' ? openSessionsWords.isHalfDone(unit, title) : openSessionsWords.asks(unit, title, text);
}

/** One session: what it waits for, the way to it, and its end. */
function Session({ open }: { readonly open: OpenSession }) {
  const { unit, session, percent } = open;
  const [isAsking, setAsking] = useState(false);
  const abort = useAbortSession(unit);
  const may = useMay();
  return (
    <li>
      <Text size="sm">{sentenceOf(open)}</Text>
      <Group gap="xs">
        <Link to="/units/$unit" params={{ unit }} search={{ tab: 'calibrations', session }} className="page-link">
          {commonWords.continue}
          <VisuallyHidden>{openSessionsWords.calibrationOf(unit)}</VisuallyHidden>
        </Link>
        {percent === null && (
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => setAsking(true)}
            {...may(leaderApi.abortCalibrationSession)}
          >
            {openSessionsWords.discard}
            <VisuallyHidden>{openSessionsWords.calibrationOf(unit)}</VisuallyHidden>
          </Button>
        )}
      </Group>
      {abort.error && <ProblemAlert error={abort.error} />}
      <CancelSessionDialog
        how="discard"
        isOpen={isAsking}
        isPending={abort.isPending}
        onClose={() => setAsking(false)}
        onCancelSession={() => abort.mutate(session, { onSettled: () => setAsking(false) })}
      />
    </li>
  );
}

/** Calibrations that have begun and have not ended, wherever a person looks; each can be continued or discarded. */
export function OpenSessionsList({ sessions }: { readonly sessions: readonly OpenSession[] }) {
  if (sessions.length === 0) return null;
  const isAsking = sessions.some(({ percent }) => percent === null);
  return (
    <Alert color={isAsking ? 'orange' : 'sea'} variant="light" icon={<WarningIcon />}>
      <Text size="sm" fw={600}>
        {isAsking ? openSessionsWords.calibrationsThatWaitForYou : openSessionsWords.calibrationsThatAreRunning}
      </Text>
      <ul className={styles.open} aria-label={openSessionsWords.openCalibrations}>
        {sessions.map((open) => (
          <Session key={open.session} open={open} />
        ))}
      </ul>
    </Alert>
  );
}
