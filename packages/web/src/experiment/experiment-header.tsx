import { leaderApi } from '@lcs/contract';
import { elapsedText } from '@lcs/domain';
import { ActionIcon, Group, Menu, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import type { Duplicate, OpenDialog } from '../experiments/dialogs.ts';
import type { ExperimentRow } from '../experiments/experiment-rows.ts';
import { StatusBadge, Tags } from '../experiments/experiment-text.tsx';
import { useMay } from '../services/use-may.ts';
import { DotsIcon } from '../ui/icons.tsx';
import { Elapsed, Moment } from '../ui/moments.tsx';
import styles from './experiment-header.module.css';
import { ExperimentSwitcher } from './experiment-switcher.tsx';

interface ActionsProps {
  readonly row: ExperimentRow;
  readonly onDialog: OpenDialog;
  readonly onDuplicate: Duplicate;
}

function ActionsMenu({ row, onDialog, onDuplicate }: ActionsProps) {
  const opener = useRef<HTMLButtonElement>(null);
  const may = useMay();
  const { experiment } = row;
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon ref={opener} variant="default" size={30} aria-label="Actions for this experiment">
          <DotsIcon size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          onClick={() => onDialog({ kind: 'new', prefill: null }, opener.current)}
          {...may(leaderApi.createExperiment)}
        >
          New experiment
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          onClick={() => onDialog({ kind: 'edit', experiment }, opener.current)}
          {...may(leaderApi.updateExperiment)}
        >
          Edit description and tags
        </Menu.Item>
        <Menu.Item onClick={() => onDialog({ kind: 'access', experiment: experiment.experiment }, opener.current)}>
          Owner and members…
        </Menu.Item>
        <Menu.Item onClick={() => onDuplicate(row, opener.current)} {...may(leaderApi.createExperiment)}>
          Duplicate
        </Menu.Item>
        <Menu.Item
          onClick={() => onDialog({ kind: 'export', experiment: experiment.experiment }, opener.current)}
          {...may(leaderApi.exportDatasets)}
        >
          Export data…
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          className="danger"
          onClick={() => onDialog({ kind: 'delete', row }, opener.current)}
          {...may(leaderApi.deleteExperiment)}
        >
          Delete…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

interface TimesProps {
  readonly row: ExperimentRow;
  /** When it ended; `null`: it goes on. */
  readonly endMs: number | null;
}

/** How long the experiment has lasted, its end and its beginning. */
function Times({ row, endMs }: TimesProps) {
  const { createdAtMs, endedAtMs } = row;
  return (
    <dl className={styles.facts}>
      <div>
        <dt>Elapsed</dt>
        <dd>{endMs === null ? <Elapsed sinceMs={createdAtMs} /> : elapsedText(endMs - createdAtMs)}</dd>
      </div>
      {endMs !== null && (
        <div>
          <dt>{endedAtMs === null ? 'Last reading' : 'Ended'}</dt>
          <dd>
            <Moment ms={endedAtMs ?? endMs} />
          </dd>
        </div>
      )}
      <div>
        <dt>Created</dt>
        <dd>
          <Moment ms={createdAtMs} />
        </dd>
      </div>
    </dl>
  );
}

/** The name of an experiment, its state, and its actions. */
export function ExperimentHeader({ row, endMs, onDialog, onDuplicate }: ActionsProps & TimesProps) {
  const { experiment, tags } = row.experiment;
  return (
    <Stack gap={6} component="header">
      <Group gap="xs" justify="space-between" wrap="nowrap">
        <Text size="sm">
          <Link to="/experiments" className="page-link">
            Experiments
          </Link>
        </Text>
        <Group gap="xs" wrap="nowrap">
          <ExperimentSwitcher current={experiment} />
          <ActionsMenu row={row} onDialog={onDialog} onDuplicate={onDuplicate} />
        </Group>
      </Group>
      <Group gap="4px 20px" align="baseline">
        <Title order={1} size="h3">
          {experiment}
        </Title>
        <StatusBadge row={row} />
        <Times row={row} endMs={endMs} />
        <Tags tags={tags} />
      </Group>
    </Stack>
  );
}
