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
    { term: 'Version', value: `${version ?? 'not known'}${isOther ? ` (leader: ${leaderVersion})` : ''}` },
    { term: 'Model', value: modelName ?? 'not set' },
    { term: 'Last contact', value: last_heard_at === null ? 'never' : <Moment ms={Date.parse(last_heard_at)} /> },
    { term: 'Clock', value: clockDifferenceText(clock_offset_ms) },
    { term: 'Address', value: url ?? 'not known' },
    { term: 'Records to send', value: String(backlog) },
  ];
}

/** What the unit reports about its computer and board. */
function machineFacts({ jobs }: UnitFacts): readonly Fact[] {
  const settings = jobs.find(({ job_name }) => job_name === 'monitor')?.settings ?? {};
  const computer = (name: string, unit: string) => partOf(settings.computer_statistics, name, unit);
  const found = [
    { term: 'Processor', value: computer('cpu_usage_percent', ' %') },
    { term: 'Memory used', value: computer('memory_usage_percent', ' %') },
    { term: 'Disk used', value: computer('disk_usage_percent', ' %') },
    { term: 'Processor temperature', value: computer('cpu_temperature_celcius', ' °C') },
    { term: 'Supply of the outputs', value: partOf(settings.voltage_on_pwm_rail, 'voltage', ' V') },
    { term: 'IP address', value: textOf(settings.ipv4) },
    { term: 'MAC address, wireless', value: textOf(settings.wlan_mac_address) },
    { term: 'MAC address, cable', value: textOf(settings.eth_mac_address) },
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
        Identify (blink)
      </Button>
      {blink.isSuccess && (
        <Text size="sm" role="status">
          The light of {unit} blinks.
        </Text>
      )}
      {blink.error && <ProblemAlert error={blink.error} />}
    </>
  );
}

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
      <Panel title="Contact and version">
        <Facts facts={contactFacts(facts, leader?.version)} />
      </Panel>
      <Panel title="Computer and board">
        {machine.length === 0 ? (
          <Text size="sm" c="dimmed">
            The unit has not reported its computer yet.
          </Text>
        ) : (
          <Facts facts={machine} />
        )}
      </Panel>
      <Panel title="Actions">
        <Stack gap="sm">
          <Group gap="xs">
            <Identify unit={unit} />
            <Button variant="default" renderRoot={(props) => <Link to="/calibrations" search={{ unit }} {...props} />}>
              Self-test
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
            The self-test is one of the procedures of the unit: it tests photodiodes, LED, heater and stirrer with a
            clear vial.
          </Text>
        </Stack>
      </Panel>
    </div>
  );
}
