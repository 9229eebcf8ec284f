import { leaderApi, type UnitStatus, type Worker } from '@lcs/contract';
import { roughSpanText } from '@lcs/domain';
import { ActionIcon, Button, Checkbox, Group, Menu, Skeleton, Table, Text, VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useOpenAlarms } from '../alarms/use-alarms.ts';
import { useAssignments, useJobs, useLeaderIdentity, useModels, useUnits, useWorkers } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useMutation } from '../services/use-mutation.ts';
import { useDated, useLeaderNow, useTicking } from '../services/use-ticking.ts';
import { DotsIcon, WarningIcon } from '../ui/icons.tsx';
import { modelText } from '../ui/model-text.ts';
import { fixedText } from '../ui/number-text.ts';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { unitRemarks } from '../units/unit-status.ts';
import { commonWords } from '../words/common.ts';
import { inventoryWords } from '../words/inventory.ts';
import styles from './inventory.module.css';
import { MachineActionDialog, type MachineActionKind, machineActionTitle } from './machine-action-dialog.tsx';
import { UnitChangeDialog, type UnitChangeKind } from './unit-change-dialog.tsx';
import { worstFinding } from './unit-health.ts';
import { type UnitRow, unitRows } from './unit-rows.ts';
import { useInventoryChange } from './use-inventory.ts';

/** Whether the leader is in contact with a unit. */
function stateText(status: UnitStatus | undefined, nowMs: number): string {
  if (status === undefined || status.last_heard_at === null) return commonWords.neverConnected;
  if (status.trouble === 'foreign_leader') return inventoryWords.belongsToAnotherLeader;
  if (status.trouble === 'not_enrolled') return inventoryWords.notEnrolled;
  if (status.liveness === 'online') return commonWords.online;
  return inventoryWords.offlineFor(roughSpanText(nowMs - Date.parse(status.last_heard_at)));
}

const State = ({ status }: { readonly status: UnitStatus | undefined }) => {
  const nowMs = useLeaderNow();
  const dated = useDated();
  const text = useTicking(() => stateText(status, nowMs()));
  return status?.last_heard_at ? dated(text) : text;
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
        <ActionIcon variant="subtle" color="gray" aria-label={commonWords.actionsFor(unit)}>
          <DotsIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => activate.mutate(undefined)} {...may(leaderApi.setWorkerActivation)}>
          {inventoryWords.changeActivity(is_active)}
        </Menu.Item>
        <Menu.Item onClick={() => onChange(unit, 'rotate')} {...may(leaderApi.rotateCredentials)}>
          {inventoryWords.issueNewCredentialsDialog}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item className="danger" onClick={() => onChange(unit, 'revoke')} {...may(leaderApi.revokeCredentials)}>
          {inventoryWords.revokeItsCredentials}
        </Menu.Item>
        <Menu.Item className="danger" onClick={() => onChange(unit, 'remove')} {...may(leaderApi.removeWorker)}>
          {inventoryWords.removeFromInventoryDialog}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** How many seconds a clock differs; empty: not notably. */
const clockText = (offsetMs: number | null | undefined): string => {
  if (offsetMs === null || offsetMs === undefined) return '–';
  const seconds = offsetMs / 1000;
  return Math.abs(seconds) < 0.1
    ? inventoryWords.clocksEqual
    : `${seconds > 0 ? '+' : '−'}${fixedText(Math.abs(seconds), 1)} s`;
};

interface RowProps extends Pick<UnitMenuProps, 'onChange'> {
  readonly row: UnitRow;
  readonly leaderVersion: string | undefined;
  readonly isChosen: boolean;
  readonly onChoose: (isChosen: boolean) => void;
}

function Row({ row: { worker, status, experiment, running }, leaderVersion, isChosen, onChoose, onChange }: RowProps) {
  const { reactor_unit: unit } = worker;
  const version = status?.app_version ?? null;
  const { data: models = [] } = useModels();
  const isOther = version !== null && leaderVersion !== undefined && version !== leaderVersion;
  const { data: alarms = [] } = useOpenAlarms();
  const finding = worstFinding(unit, alarms, status === undefined ? [] : unitRemarks(status, worker.is_active === 1));
  return (
    <Table.Tr>
      <Table.Td>
        <Checkbox
          aria-label={commonWords.selectNamed(unit)}
          checked={isChosen}
          onChange={(event) => onChoose(event.currentTarget.checked)}
        />
      </Table.Td>
      <Table.Th scope="row">
        <Link to="/units/$unit" params={{ unit }} className="page-link">
          {unit}
        </Link>
      </Table.Th>
      <Table.Td>
        <State status={status} />
        {inventoryWords.inactiveNote(worker.is_active)}
      </Table.Td>
      <Table.Td data-severity={finding?.severity}>
        {finding === null ? (
          <Text span size="sm" c="dimmed">
            {inventoryWords.noFinding}
          </Text>
        ) : (
          <>
            {finding.severity !== 'info' && <WarningIcon size={14} />} {finding.text}
          </>
        )}
      </Table.Td>
      <Table.Td>
        {experiment === null ? (
          <Text span size="sm" c="dimmed">
            {inventoryWords.free}
          </Text>
        ) : (
          <Link to="/experiments/$experiment" params={{ experiment }} className="page-link">
            {experiment}
          </Link>
        )}
      </Table.Td>
      <Table.Td>{running.length === 0 ? inventoryWords.noJobs : running.length}</Table.Td>
      <Table.Td className={isOther ? styles.differs : undefined}>
        {version ?? '–'}
        {isOther && inventoryWords.leaderVersion(leaderVersion)}
      </Table.Td>
      <Table.Td>{clockText(status?.clock_offset_ms)}</Table.Td>
      <Table.Td>{modelText(worker, models) ?? commonWords.notSet}</Table.Td>
      <Table.Td ta="right">
        <UnitMenu worker={worker} onChange={onChange} />
      </Table.Td>
    </Table.Tr>
  );
}

const headings = [
  commonWords.name,
  commonWords.state,
  inventoryWords.health,
  commonWords.experiment,
  commonWords.jobs,
  commonWords.version,
  commonWords.clock,
  commonWords.model,
];

const powerRoutes = {
  update: leaderApi.updateToNextVersion,
  reboot: leaderApi.rebootUnits,
  shutdown: leaderApi.shutDownUnits,
} as const;

interface ChosenBarProps {
  readonly chosen: readonly string[];
  readonly onAction: (kind: MachineActionKind) => void;
}

/** What can be done with the chosen units. */
function ChosenBar({ chosen, onAction }: ChosenBarProps) {
  const { leader } = useServices();
  const may = useMay();
  const blink = useMutation({
    mutationFn: () => Promise.all(chosen.map((unit) => leader.blinkWorker({ params: { reactor_unit: unit } }))),
  });
  return (
    <Group gap="xs" role="group" aria-label={commonWords.actionsOnSelectedUnits} mb="xs">
      <Text size="sm">{inventoryWords.unitsSelected(chosen.length)}</Text>
      <Button
        size="xs"
        variant="default"
        loading={blink.isPending}
        onClick={() => blink.mutate()}
        {...may(leaderApi.blinkWorker)}
      >
        {commonWords.identifyBlink}
      </Button>
      {(['update', 'reboot', 'shutdown'] as const).map((kind) => (
        <Button
          key={kind}
          size="xs"
          variant="default"
          {...(kind !== 'update' && { className: 'danger' })}
          onClick={() => onAction(kind)}
          {...may(powerRoutes[kind])}
        >
          {machineActionTitle(kind)}…
        </Button>
      ))}
      {blink.error && <ProblemAlert error={blink.error} />}
    </Group>
  );
}

interface TableOfUnitsProps {
  readonly rows: readonly UnitRow[];
  readonly chosen: ReadonlySet<string>;
  readonly onChosen: (chosen: ReadonlySet<string>) => void;
  readonly onChange: UnitMenuProps['onChange'];
}

function TableOfUnits({ rows, chosen, onChosen, onChange }: TableOfUnitsProps) {
  const leader = useLeaderIdentity();
  const isAll = rows.every(({ worker }) => chosen.has(worker.reactor_unit));
  return (
    <Table.ScrollContainer minWidth={980}>
      <Table aria-label={commonWords.units} className={styles.table ?? ''}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>
              <Checkbox
                aria-label={commonWords.selectAllUnits}
                checked={isAll}
                indeterminate={!isAll && chosen.size > 0}
                onChange={() => onChosen(new Set(isAll ? [] : rows.map(({ worker }) => worker.reactor_unit)))}
              />
            </Table.Th>
            {headings.map((heading) => (
              <Table.Th key={heading}>{heading}</Table.Th>
            ))}
            <Table.Th>
              <VisuallyHidden>{commonWords.actions}</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => {
            const unit = row.worker.reactor_unit;
            return (
              <Row
                key={unit}
                row={row}
                leaderVersion={leader?.version}
                isChosen={chosen.has(unit)}
                onChoose={(isChosen) => {
                  const next = new Set(chosen);
                  if (isChosen) next.add(unit);
                  else next.delete(unit);
                  onChosen(next);
                }}
                onChange={onChange}
              />
            );
          })}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** The units of the inventory. */
export function UnitsTable() {
  const { data, error, isFetching, refetch } = useWorkers();
  const { data: units = [] } = useUnits();
  const { data: assignments = [] } = useAssignments();
  const jobs = useJobs() ?? [];
  const [change, setChange] = useState<{ readonly unit: string; readonly kind: UnitChangeKind } | null>(null);
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set());
  const [action, setAction] = useState<MachineActionKind | null>(null);
  const rows = unitRows({ workers: data ?? [], units, assignments, jobs });
  // A unit that was removed meanwhile is no longer selected.
  const chosen = rows.map(({ worker }) => worker.reactor_unit).filter((unit) => selection.has(unit));
  return (
    <>
      {change !== null && <UnitChangeDialog {...change} onClose={() => setChange(null)} />}
      {action !== null && <MachineActionDialog kind={action} units={chosen} onClose={() => setAction(null)} />}
      {error && <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} />}
      {!data && !error && <Skeleton height={80} role="status" aria-label={commonWords.loadingUnits} />}
      {data && data.length === 0 && (
        <Text size="sm" c="dimmed">
          {inventoryWords.noUnitsYet}
        </Text>
      )}
      {chosen.length > 0 && <ChosenBar chosen={chosen} onAction={setAction} />}
      {rows.length > 0 && (
        <TableOfUnits
          rows={rows}
          chosen={selection}
          onChosen={setSelection}
          onChange={(unit, kind) => setChange({ unit, kind })}
        />
      )}
    </>
  );
}
