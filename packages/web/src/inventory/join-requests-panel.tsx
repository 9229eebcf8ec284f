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
import { commonWords } from '../words/common.ts';
import { inventoryWords } from '../words/inventory.ts';
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
    <Dialog
      isOpen
      onClose={onClose}
      title={isApproval ? inventoryWords.letJoinQuestion(unit) : inventoryWords.refuseQuestion(unit)}
    >
      <Stack gap="md">
        {isApproval ? (
          <>
            <Text size="sm">{inventoryWords.unitAtLogsItsFingerprint(address)}</Text>
            <Fingerprint text={fingerprint} />
          </>
        ) : (
          <Text size="sm">{inventoryWords.refuseConsequence(address)}</Text>
        )}
        {isApproval && replaces && (
          <Alert color="orange" variant="light" icon={<WarningIcon />}>
            {inventoryWords.takesOverName(unit)}
          </Alert>
        )}
        {decide.error && <ProblemAlert error={decide.error} />}
        <DialogActions>
          <Button variant="default" onClick={onClose} data-autofocus>
            {commonWords.cancel}
          </Button>
          <Button
            {...(!isApproval && { color: 'red' })}
            loading={decide.isPending}
            onClick={() => decide.mutate(undefined)}
          >
            {isApproval ? inventoryWords.letItJoin : inventoryWords.refuse}
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
          {inventoryWords.fromWaitsSince(address, <Moment ms={Date.parse(first_seen_at)} />)}
          {replaces && inventoryWords.takesOverNameNote}
        </div>
      </div>
      <Group gap="xs">
        {is_approved ? (
          <Text size="sm">{inventoryWords.approved}</Text>
        ) : (
          <Button
            size="xs"
            onClick={() => onDecide({ request, isApproval: true })}
            aria-label={inventoryWords.letJoinNamed(unit)}
            {...may(leaderApi.approveJoinRequest)}
          >
            {inventoryWords.letJoin}
          </Button>
        )}
        <Button
          size="xs"
          variant="default"
          onClick={() => onDecide({ request, isApproval: false })}
          aria-label={inventoryWords.refuseNamed(unit)}
          {...may(leaderApi.refuseJoinRequest)}
        >
          {inventoryWords.refuse}
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
    <Panel title={inventoryWords.requestsToJoin}>
      {decision !== null && <DecisionDialog {...decision} onClose={() => setDecision(null)} />}
      {error && <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} />}
      {!data && !error && <Skeleton height={40} role="status" aria-label={inventoryWords.loadingRequestsToJoin} />}
      {data && data.length === 0 && (
        <Text size="sm" c="dimmed">
          {inventoryWords.noUnitWaits} <code>{inventoryWords.lcsUnitLeader(location.origin)}</code>.
        </Text>
      )}
      {data && data.length > 0 && (
        <ul className={styles.list} aria-label={inventoryWords.requestsToJoin}>
          {data.map((request) => (
            <Request key={request.join_id} request={request} onDecide={setDecision} />
          ))}
        </ul>
      )}
    </Panel>
  );
}
