import { type CalibrationProtocol, openSessionIn } from '@lcs/contract';
import { Button, Skeleton, Text } from '@mantine/core';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import styles from './calibrations.module.css';
import { useAbortSession, useBeginSession, useProtocols } from './use-calibrations.ts';

interface ProtocolListProps {
  readonly unit: string;
  readonly onOpen: (sessionId: string) => void;
}

const wayInto = ({ open_session }: CalibrationProtocol): string =>
  open_session === undefined ? 'Begin' : 'Go on with';

/** The guided sessions that a unit offers, and those of them that are open. */
export function ProtocolList({ unit, onOpen }: ProtocolListProps) {
  const { data = [], error, isPending, isFetching, refetch } = useProtocols(unit);
  const begin = useBeginSession(unit);
  const abort = useAbortSession(unit);
  const open = openSessionIn(begin.error);
  const go = (protocol: CalibrationProtocol): void => {
    if (protocol.open_session !== undefined) onOpen(protocol.open_session);
    else begin.mutate(protocol, { onSuccess: ({ session }) => onOpen(session.session_id) });
  };
  return (
    <Panel title="Guided sessions">
      {isPending && <Skeleton height={120} />}
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} retrying={isFetching} />}
      <ul className={styles.protocols}>
        {data.map((protocol) => (
          <li key={protocol.id} className={styles.protocol}>
            <div className={styles.naming}>
              <h3 className={styles.name}>
                {protocol.title}: {protocol.target_device.replaceAll('_', ' ')}
              </h3>
              <Text size="sm">{protocol.description}</Text>
              {protocol.open_session !== undefined && (
                <Text size="sm">A session is open: it goes on where it was.</Text>
              )}
              <Text size="xs" c="dimmed">
                You need: {protocol.requirements.join('; ')}.
              </Text>
              {/* Beside the button that was pressed: the list is longer than a screen. */}
              {begin.error && begin.variables?.id === protocol.id && <ProblemAlert error={begin.error} />}
              {open !== undefined && begin.variables?.id === protocol.id && (
                <>
                  <Button mt="xs" onClick={() => onOpen(open)}>
                    Go on with the open session
                  </Button>
                  <Button
                    mt="xs"
                    variant="default"
                    loading={abort.isPending}
                    onClick={() => abort.mutate(open, { onSuccess: () => begin.reset() })}
                  >
                    End the open session
                  </Button>
                  {abort.error && <ProblemAlert error={abort.error} />}
                </>
              )}
            </div>
            <Button
              size="xs"
              variant="default"
              loading={begin.isPending && begin.variables?.id === protocol.id}
              onClick={() => go(protocol)}
              aria-label={`${wayInto(protocol)} ${protocol.title}: ${protocol.target_device.replaceAll('_', ' ')}`}
            >
              {wayInto(protocol)}
            </Button>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
