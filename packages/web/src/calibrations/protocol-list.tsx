import { type CalibrationProtocol, leaderApi, openSessionIn } from '@lcs/contract';
import { Button, Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useMay } from '../services/use-may.ts';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import styles from './calibrations.module.css';
import { useAbortSession, useProtocols, useStartSession } from './use-calibrations.ts';

interface ProtocolListProps {
  readonly unit: string;
  readonly onOpen: (sessionId: string) => void;
}

const deviceText = (device: string): string => device.replaceAll('_', ' ');

interface ProtocolProps {
  readonly protocol: CalibrationProtocol;
  readonly isStarting: boolean;
  readonly onStart: () => void;
  /** Why the session was not started, with what resolves it. */
  readonly refusal: ReactNode;
}

function Protocol({ protocol, isStarting, onStart, refusal }: ProtocolProps) {
  const { title, target_device, description, requirements, open_session } = protocol;
  const may = useMay();
  const name = `${title}: ${deviceText(target_device)}`;
  const action = open_session === undefined ? 'Start' : 'Continue';
  return (
    <li className={styles.protocol}>
      <div className={styles.naming}>
        <h3 className={styles.name}>{name}</h3>
        <Text size="sm">{description}</Text>
        {open_session !== undefined && <Text size="sm">A session is open: it continues at its last step.</Text>}
        <Text size="xs" c="dimmed">
          You need: {requirements.join('; ')}.
        </Text>
        {refusal}
      </div>
      <Button
        size="xs"
        variant="default"
        loading={isStarting}
        onClick={onStart}
        aria-label={`${action} ${name}`}
        {...may(leaderApi.startCalibrationSession)}
      >
        {action}
      </Button>
    </li>
  );
}

/** The guided sessions that a unit offers, and those of them that are open. */
export function ProtocolList({ unit, onOpen }: ProtocolListProps) {
  const { data = [], error, isPending, isFetching, refetch } = useProtocols(unit);
  const start = useStartSession(unit);
  const abort = useAbortSession(unit);
  const open = openSessionIn(start.error);
  // Beside the button that was pressed: the list is longer than a screen.
  const refusal = start.error && (
    <>
      <ProblemAlert error={start.error} />
      {open !== undefined && (
        <>
          <Button mt="xs" onClick={() => onOpen(open)}>
            Continue the open session
          </Button>
          <Button
            mt="xs"
            variant="default"
            loading={abort.isPending}
            onClick={() => abort.mutate(open, { onSuccess: () => start.reset() })}
          >
            Cancel the open session
          </Button>
          {abort.error && <ProblemAlert error={abort.error} />}
        </>
      )}
    </>
  );
  return (
    <Panel title="Guided sessions">
      {isPending && <Skeleton height={120} />}
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} retrying={isFetching} />}
      <ul className={styles.protocols}>
        {data.map((protocol) => (
          <Protocol
            key={protocol.id}
            protocol={protocol}
            isStarting={start.isPending && start.variables.id === protocol.id}
            refusal={start.variables?.id === protocol.id && refusal}
            onStart={() => {
              if (protocol.open_session !== undefined) onOpen(protocol.open_session);
              else start.mutate(protocol, { onSuccess: ({ session }) => onOpen(session.session_id) });
            }}
          />
        ))}
      </ul>
    </Panel>
  );
}
