import type { CalibrationProtocol } from '@lcs/contract';
import { Button, Skeleton, Text } from '@mantine/core';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import styles from './calibrations.module.css';
import { openSessionIn } from './session-words.ts';
import { useBeginSession, useProtocols } from './use-calibrations.ts';

interface ProtocolListProps {
  readonly unit: string;
  readonly onOpen: (sessionId: string) => void;
}

/** The guided sessions that a unit offers. */
export function ProtocolList({ unit, onOpen }: ProtocolListProps) {
  const { data = [], error, isPending, isFetching, refetch } = useProtocols(unit);
  const begin = useBeginSession(unit);
  const open = openSessionIn(begin.error);
  const start = (protocol: CalibrationProtocol): void =>
    begin.mutate(protocol, { onSuccess: ({ session }) => onOpen(session.session_id) });
  return (
    <Panel title="Guided sessions">
      {isPending && <Skeleton height={120} />}
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} retrying={isFetching} />}
      {begin.error && <ProblemAlert error={begin.error} />}
      {open !== undefined && (
        <Button my="xs" onClick={() => onOpen(open)}>
          Go on with the open session
        </Button>
      )}
      <ul className={styles.protocols}>
        {data.map((protocol) => (
          <li key={protocol.id} className={styles.protocol}>
            <div className={styles.naming}>
              <h3 className={styles.name}>
                {protocol.title}: {protocol.target_device.replaceAll('_', ' ')}
              </h3>
              <Text size="sm">{protocol.description}</Text>
              <Text size="xs" c="dimmed">
                You need: {protocol.requirements.join('; ')}.
              </Text>
            </div>
            <Button
              size="xs"
              variant="default"
              loading={begin.isPending && begin.variables?.id === protocol.id}
              onClick={() => start(protocol)}
              aria-label={`Begin ${protocol.title}: ${protocol.target_device.replaceAll('_', ' ')}`}
            >
              Begin
            </Button>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
