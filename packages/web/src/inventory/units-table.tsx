import { leaderApi, type UnitStatus, type Worker } from '@lcs/contract';
import { roughSpanText } from '@lcs/domain';
import { ActionIcon, Menu, Skeleton, Table, Text, VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useAssignments, useUnits, useWorkers } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useLeaderNow, useTicking } from '../services/use-ticking.ts';
import { DotsIcon } from '../ui/icons.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import styles from './inventory.module.css';
import { UnitChangeDialog, type UnitChangeKind } from './unit-change-dialog.tsx';
import { useInventoryChange } from './use-inventory.ts';

/** Whether the leader is in contact with a unit. */
function stateText(status: UnitStatus | undefined, nowMs: number): string {
  if (status === undefined || status.last_heard_at === null) return 'never connected';
  if (status.trouble === 'foreign_leader') return 'belongs to another leader';
  if (status.trouble === 'not_enrolled') return 'not enrolled';
  if (status.liveness === 'online') return 'online';
  return `offline for ${roughSpanText(nowMs - Date.parse(status.last_heard_at))}`;
}

const State = ({ status }: { readonly status: UnitStatus | undefined }) => {
  const nowMs = useLeaderNow();
  return useTicking(() => stateText(status, nowMs()));
};

interface UnitMenuProps {
  readonly worker: Worker;
  readonly onChange: (unit: string, kind: UnitChangeKind) => void;
}

function UnitMenu({ worker: { reactor_unit: unit, is_active }, onChange }: UnitMenuProps) {
  const { leader } = useServices();
  const may = useMay();
  const activate = useInventoryChange(() =>
    leader.setWorkerActivation({ params: { reactor_unit: unit }, body: { is_active: is_active === 1 ? 0 : 1 } }),
  );
  return (
    // In the table, which scrolls, it would be cut off.
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${unit}`}>
          <DotsIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => activate.mutate(undefined)} {...may(leaderApi.setWorkerActivation)}>
          {is_active === 1 ? 'Deactivate' : 'Activate'}
        </Menu.Item>
        <Menu.Item onClick={() => onChange(unit, 'rotate')} {...may(leaderApi.rotateCredentials)}>
          Issue new credentials…
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item className="danger" onClick={() => onChange(unit, 'revoke')} {...may(leaderApi.revokeCredentials)}>
          Revoke its credentials…
        </Menu.Item>
        <Menu.Item className="danger" onClick={() => onChange(unit, 'remove')} {...may(leaderApi.removeWorker)}>
          Remove from the inventory…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

interface RowProps extends UnitMenuProps {
  readonly status: UnitStatus | undefined;
  readonly experiment: string | null;
}

const Row = ({ worker, status, experiment, onChange }: RowProps) => (
  <Table.Tr>
    <Table.Th scope="row">{worker.reactor_unit}</Table.Th>
    <Table.Td>
      <State status={status} />
      {worker.is_active === 1 ? '' : ', inactive'}
    </Table.Td>
    <Table.Td>
      {experiment === null ? (
        <Text span size="sm" c="dimmed">
          free
        </Text>
      ) : (
        <Link to="/experiments/$experiment" params={{ experiment }} className="page-link">
          {experiment}
        </Link>
      )}
    </Table.Td>
    <Table.Td>{worker.model_name === null ? '–' : `${worker.model_name} ${worker.model_version}`}</Table.Td>
    <Table.Td>{status?.app_version ?? '–'}</Table.Td>
    <Table.Td>{status?.url ?? '–'}</Table.Td>
    <Table.Td ta="right">
      <UnitMenu worker={worker} onChange={onChange} />
    </Table.Td>
  </Table.Tr>
);

const headings = ['Name', 'State', 'Experiment', 'Model', 'Version', 'Address'];

/** The units of the inventory. */
export function UnitsTable() {
  const workers = useWorkers();
  const { data: units = [] } = useUnits();
  const { data: assignments = [] } = useAssignments();
  const [change, setChange] = useState<{ readonly unit: string; readonly kind: UnitChangeKind } | null>(null);
  const { data, error, isFetching, refetch } = workers;
  const byName = [...(data ?? [])].sort((a, b) =>
    a.reactor_unit.localeCompare(b.reactor_unit, 'en', { numeric: true }),
  );
  return (
    <>
      {change !== null && <UnitChangeDialog {...change} onClose={() => setChange(null)} />}
      {error && <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} />}
      {!data && !error && <Skeleton height={80} role="status" aria-label="Loading units" />}
      {data && data.length === 0 && (
        <Text size="sm" c="dimmed">
          No units yet. Choose “Add a unit”, and start the unit with the code.
        </Text>
      )}
      {byName.length > 0 && (
        <Table.ScrollContainer minWidth={720}>
          <Table aria-label="Units" className={styles.table ?? ''}>
            <Table.Thead>
              <Table.Tr>
                {headings.map((heading) => (
                  <Table.Th key={heading}>{heading}</Table.Th>
                ))}
                <Table.Th>
                  <VisuallyHidden>Actions</VisuallyHidden>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {byName.map((worker) => (
                <Row
                  key={worker.reactor_unit}
                  worker={worker}
                  status={units.find(({ reactor_unit }) => reactor_unit === worker.reactor_unit)}
                  experiment={
                    assignments.find(({ reactor_unit }) => reactor_unit === worker.reactor_unit)?.experiment ?? null
                  }
                  onChange={(unit, kind) => setChange({ unit, kind })}
                />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </>
  );
}
