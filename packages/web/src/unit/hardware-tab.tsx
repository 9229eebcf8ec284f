import { type Json, leaderApi } from '@lcs/contract';
import { Button, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import {
  MachineActionDialog,
  type MachineActionKind,
  machineActionTitle,
} from '../inventory/machine-action-dialog.tsx';
import { useLeaderIdentity } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useMutation } from '../services/use-mutation.ts';
import { Moment } from '../ui/moments.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { clockDifferenceText } from '../units/unit-status.ts';
import { commonWords } from '../words/common.ts';
import { unitWords } from '../words/unit.ts';
import styles from './unit-page.module.css';
import type { UnitFacts } from './use-unit.ts';

const textOf = (value: unknown, unit = ''): string | null =>
  typeof value === 'string' || typeof value === 'number' ? `${value}${unit}` : null;

/** A part of a published value; null where the value has no such part. */
const partOf = (value: Json | undefined, name: string, unit: string): string | null =>
  typeof value === 'object' && value !== null
    ? textOf(Object.entries(value).find(([key]) => key === name)?.[1], unit)
    : null;

interface Fact {
  readonly term: string;
  readonly value: ReactNode;
}

const Facts = ({ facts }: { readonly facts: readonly Fact[] }) => (
  <dl className={styles.pairs}>
    {facts.map(({ term, value }) => (
      <div key={term} style={{ display: 'contents' }}>
        <dt>{term}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

/** Program, contact and clock of the unit, as the leader knows them. */
function contactFacts({ status, modelName }: UnitFacts, leaderVersion: string | undefined): readonly Fact[] {
  if (status === undefined) return [];
  const { app_version: version, last_heard_at, clock_offset_ms, url, backlog } = status;
  const isOther = version !== null && leaderVersion !== undefined && version !== leaderVersion;
  return [
    {
      term: commonWords.version,
      value: `${version ?? commonWords.notKnown}${isOther ? unitWords.leaderVersion(leaderVersion) : ''}`,
    },
    { term: commonWords.model, value: modelName ?? commonWords.notSet },
    {
      term: unitWords.lastContact,
      value: last_heard_at === null ? unitWords.never : <Moment ms={Date.parse(last_heard_at)} />,
    },
    { term: commonWords.clock, value: clockDifferenceText(clock_offset_ms) },
    { term: unitWords.address, value: url ?? commonWords.notKnown },
    { term: unitWords.recordsToSend, value: String(backlog) },
  ];
}

/** What the unit reports about its computer and board. */
function machineFacts({ jobs }: UnitFacts): readonly Fact[] {
  const settings = jobs.find(({ job_name }) => job_name === 'monitor')?.settings ?? {};
  const computer = (name: string, unit: string) => partOf(settings.computer_statistics, name, unit);
  const found = [
    { term: unitWords.processor, value: computer('cpu_usage_percent', ' %') },
    { term: unitWords.memoryUsed, value: computer('memory_usage_percent', ' %') },
    { term: unitWords.diskUsed, value: computer('disk_usage_percent', ' %') },
    { term: unitWords.processorTemperature, value: computer('cpu_temperature_celcius', ' °C') },
    { term: unitWords.supplyOfOutputs, value: partOf(settings.voltage_on_pwm_rail, 'voltage', ' V') },
    { term: unitWords.ipAddress, value: textOf(settings.ipv4) },
    { term: unitWords.macAddressWireless, value: textOf(settings.wlan_mac_address) },
    { term: unitWords.macAddressCable, value: textOf(settings.eth_mac_address) },
  ];
  return found.filter(({ value }) => value !== null);
}

function Identify({ unit }: { readonly unit: string }) {
  const { leader } = useServices();
  const may = useMay();
  const blink = useMutation({ mutationFn: () => leader.blinkWorker({ params: { reactor_unit: unit } }) });
  return (
    <>
      <Button
        variant="default"
        loading={blink.isPending}
        onClick={() => blink.mutate()}
        {...may(leaderApi.blinkWorker)}
      >
        {commonWords.identifyBlink}
      </Button>
      {blink.isSuccess && (
        <Text size="sm" role="status">
          {unitWords.lightBlinks(unit)}
        </Text>
      )}
      {blink.error && <ProblemAlert error={blink.error} />}
    </>
  );
}

/** The procedure of the whole unit. */
const selfTestDevice = 'unit';

const powerRoutes = {
  update: leaderApi.updateToNextVersion,
  reboot: leaderApi.rebootUnits,
  shutdown: leaderApi.shutDownUnits,
} as const;

/** The machine of the unit: what it reports, and what can be done with it. */
export function HardwareTab({ facts }: { readonly facts: UnitFacts }) {
  const { unit } = facts;
  const leader = useLeaderIdentity();
  const may = useMay();
  const [action, setAction] = useState<MachineActionKind | null>(null);
  const machine = machineFacts(facts);
  return (
    <div className={styles.control}>
      {action !== null && <MachineActionDialog kind={action} units={[unit]} onClose={() => setAction(null)} />}
      <Panel title={unitWords.contactAndVersion}>
        <Facts facts={contactFacts(facts, leader?.version)} />
      </Panel>
      <Panel title={unitWords.computerAndBoard}>
        {machine.length === 0 ? (
          <Text size="sm" c="dimmed">
            {unitWords.computerNotReported}
          </Text>
        ) : (
          <Facts facts={machine} />
        )}
      </Panel>
      <Panel title={commonWords.actions}>
        <Stack gap="sm">
          <Group gap="xs">
            <Identify unit={unit} />
            <Button
              variant="default"
              renderRoot={(props) => (
                <Link
                  to="/units/$unit"
                  params={{ unit }}
                  search={{ tab: 'calibrations', device: selfTestDevice }}
                  hash="procedures"
                  {...props}
                />
              )}
            >
              {unitWords.selfTest}
            </Button>
          </Group>
          <Group gap="xs">
            {(['update', 'reboot', 'shutdown'] as const).map((kind) => (
              <Button
                key={kind}
                variant="default"
                {...(kind !== 'update' && { className: 'danger' })}
                onClick={() => setAction(kind)}
                {...may(powerRoutes[kind])}
              >
                {machineActionTitle(kind)}…
              </Button>
            ))}
          </Group>
          <Text size="sm" c="dimmed">
            {unitWords.selfTestHelp}
          </Text>
        </Stack>
      </Panel>
    </div>
  );
}
