import { type JoinRequest, leaderApi } from '@lcs/contract';
import { Alert, Button, Code, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { WarningIcon } from '../ui/icons.tsx';
import { Moment } from '../ui/moments.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import styles from './inventory.module.css';
import { useInventoryChange, useJoinRequests } from './use-inventory.ts';

interface Decision {
  readonly request: JoinRequest;
  readonly isApproval: boolean;
}

const Fingerprint = ({ text }: { readonly text: string }) => <Code className={styles.fingerprint}>{text}</Code>;

/** Asks before a machine joins or is refused. */
function DecisionDialog({ request, isApproval, onClose }: Decision & { readonly onClose: () => void }) {
  const { leader } = useServices();
  const { join_id, reactor_unit: unit, address, fingerprint, replaces } = request;
  const decide = useInventoryChange(
    () => (isApproval ? leader.approveJoinRequest : leader.refuseJoinRequest)({ params: { join_id } }),
    onClose,
  );
  return (
    <Dialog isOpen onClose={onClose} title={isApproval ? `Let ${unit} join?` : `Refuse ${unit}?`}>
      <Stack gap="md">
        {isApproval ? (
          <>
            <Text size="sm">The unit at {address} logs its fingerprint. Let it join only if it is the same:</Text>
            <Fingerprint text={fingerprint} />
          </>
        ) : (
          <Text size="sm">
            The machine at {address} may not ask again for an hour. A one-time code still admits it.
          </Text>
        )}
        {isApproval && replaces && (
          <Alert color="orange" variant="light" icon={<WarningIcon />}>
            It takes over the name {unit} from another machine, which the leader then refuses.
          </Alert>
        )}
        {decide.error && <ProblemAlert error={decide.error} />}
        <DialogActions>
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button
            {...(!isApproval && { color: 'red' })}
            loading={decide.isPending}
            onClick={() => decide.mutate(undefined)}
          >
            {isApproval ? 'Let it join' : 'Refuse'}
          </Button>
        </DialogActions>
      </Stack>
    </Dialog>
  );
}

interface RequestProps {
  readonly request: JoinRequest;
  readonly onDecide: (decision: Decision) => void;
}

function Request({ request, onDecide }: RequestProps) {
  const may = useMay();
  const { reactor_unit: unit, address, fingerprint, replaces, is_approved, first_seen_at } = request;
  return (
    <li className={styles.request}>
      <div>
        <h3 className={styles.name}>{unit}</h3>
        <Fingerprint text={fingerprint} />
        <div className={styles.facts}>
          from {address} · waits since <Moment ms={Date.parse(first_seen_at)} />
          {replaces && ' · takes over the name from another machine'}
        </div>
      </div>
      <Group gap="xs">
        {is_approved ? (
          <Text size="sm">Approved: it joins at its next attempt.</Text>
        ) : (
          <Button
            size="xs"
            onClick={() => onDecide({ request, isApproval: true })}
            aria-label={`Let join: ${unit}`}
            {...may(leaderApi.approveJoinRequest)}
          >
            Let join
          </Button>
        )}
        <Button
          size="xs"
          variant="default"
          onClick={() => onDecide({ request, isApproval: false })}
          aria-label={`Refuse ${unit}`}
          {...may(leaderApi.refuseJoinRequest)}
        >
          Refuse
        </Button>
      </Group>
    </li>
  );
}

/** Machines that want to join without a one-time code. */
export function JoinRequestsPanel() {
  const { data, error, isFetching, refetch } = useJoinRequests();
  const [decision, setDecision] = useState<Decision | null>(null);
  return (
    <Panel title="Requests to join">
      {decision !== null && <DecisionDialog {...decision} onClose={() => setDecision(null)} />}
      {error && <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} />}
      {!data && !error && <Skeleton height={40} role="status" aria-label="Loading requests to join" />}
      {data && data.length === 0 && (
        <Text size="sm" c="dimmed">
          No unit waits. With a one-time code a unit joins at once. Without one it asks to join when it is started with{' '}
          <code>lcs unit --leader {location.origin}</code>.
        </Text>
      )}
      {data && data.length > 0 && (
        <ul className={styles.list} aria-label="Requests to join">
          {data.map((request) => (
            <Request key={request.join_id} request={request} onDecide={setDecision} />
          ))}
        </ul>
      )}
    </Panel>
  );
}
