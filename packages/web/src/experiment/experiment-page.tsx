import { Button, EmptyState, Group, Menu, Skeleton, Stack, Text, Title } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useRef } from 'react';
import type { Duplicate, OpenDialog } from '../experiments/dialogs.ts';
import type { ExperimentRow } from '../experiments/experiment-rows.ts';
import { StatusBadge, Tags } from '../experiments/experiment-text.tsx';
import { useDialogs } from '../experiments/use-dialogs.tsx';
import { useExperimentRows } from '../experiments/use-experiment-rows.ts';
import { Elapsed, Moment, utcText } from '../time/moments.tsx';
import { DotsIcon, FlaskIcon } from '../ui/icons.tsx';
import { Panel } from '../ui/panel.tsx';
import { PartBoundary } from '../ui/part-boundary.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { AssignWorker } from './assign-worker.tsx';
import { AssignedWorkers } from './assigned-workers.tsx';
import { DescriptionEditor } from './description-editor.tsx';
import styles from './experiment-page.module.css';
import { PastUnits } from './past-units.tsx';

const route = getRouteApi('/experiments/$experiment');

function Missing({ name, broken }: { readonly name: string; readonly broken: boolean }) {
  const title = broken ? `${name} could not be shown` : `There is no experiment ${name}`;
  return (
    <EmptyState
      py={48}
      icon={<FlaskIcon size={40} />}
      title={<h1 className="empty-title">{title}</h1>}
      description={
        broken
          ? 'The leader sent it in a form this page does not understand.'
          : 'It was deleted, or its name is written differently: capital and small letters count.'
      }
    >
      <EmptyState.Actions>
        <Button component={Link} to="/experiments" variant="default">
          All experiments
        </Button>
      </EmptyState.Actions>
    </EmptyState>
  );
}

interface HeaderProps {
  readonly row: ExperimentRow;
  readonly onDialog: OpenDialog;
  readonly onDuplicate: Duplicate;
}

function Header({ row, onDialog, onDuplicate }: HeaderProps) {
  const opener = useRef<HTMLButtonElement>(null);
  const { experiment, tags } = row.experiment;
  return (
    <Stack gap={8} component="header">
      <Text size="sm">
        <Link to="/experiments" className="page-link">
          Experiments
        </Link>
      </Text>
      <Group justify="space-between" wrap="nowrap" align="flex-start" gap="xs">
        <Group gap="sm" align="baseline">
          <Title order={1} size="h3">
            {experiment}
          </Title>
          <StatusBadge row={row} />
        </Group>
        <Menu>
          <Menu.Target>
            <Button ref={opener} variant="default" rightSection={<DotsIcon size={14} />} className={styles.actions}>
              Actions
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => onDialog({ kind: 'edit', experiment: row.experiment }, opener.current)}>
              Edit description and tags
            </Menu.Item>
            <Menu.Item onClick={() => onDuplicate(row, opener.current)}>Duplicate</Menu.Item>
            <Menu.Divider />
            <Menu.Item className="danger" onClick={() => onDialog({ kind: 'delete', row }, opener.current)}>
              Delete…
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Group>
      <dl className={styles.facts}>
        <div>
          <dt>Elapsed</dt>
          <dd>
            <Elapsed sinceMs={row.createdAtMs} />
          </dd>
        </div>
        <div>
          <dt>Created</dt>
          <dd>
            <Moment ms={row.createdAtMs} /> <span className={styles.utc}>({utcText(row.createdAtMs)})</span>
          </dd>
        </div>
      </dl>
      <Tags tags={tags} />
    </Stack>
  );
}

/** One experiment; which one is said by the address. */
export function ExperimentPage() {
  const { experiment: name } = route.useParams();
  const { rows, broken, isKnown, query } = useExperimentRows();
  const dialogs = useDialogs(rows);
  const row = rows.find(({ experiment }) => experiment.experiment === name);

  if (row === undefined) {
    return (
      <Stack gap="md">
        {query.error && (
          <ProblemAlert error={query.error} onRetry={() => query.refetch()} retrying={query.isFetching} />
        )}
        {isKnown && <Missing name={name} broken={broken.includes(name)} />}
        {!isKnown && !query.error && (
          <Stack gap="sm" role="status" aria-label="Loading the experiment">
            <Skeleton height={36} width={280} />
            <Skeleton height={110} />
            <Skeleton height={160} />
          </Stack>
        )}
        {dialogs.element}
      </Stack>
    );
  }

  return (
    <Stack gap="lg">
      <title>{`${name} – Leader Control Service`}</title>
      <Header row={row} onDialog={dialogs.open} onDuplicate={dialogs.duplicate} />
      {query.error && <ProblemAlert error={query.error} onRetry={() => query.refetch()} retrying={query.isFetching} />}
      <div className={styles.columns}>
        <Stack gap="lg">
          <Panel title="Workers" aside={<AssignWorker key={name} experiment={name} />}>
            <PartBoundary part="The list of workers" resetKey={name}>
              <AssignedWorkers key={name} experiment={name} />
            </PartBoundary>
          </Panel>
        </Stack>
        <Stack gap="lg">
          <PartBoundary part="The description" resetKey={name}>
            <DescriptionEditor key={name} experiment={name} description={row.experiment.description ?? ''} />
          </PartBoundary>
          <Panel title="History of assignments">
            <PartBoundary part="The history of assignments" resetKey={name}>
              <PastUnits experiment={name} />
            </PartBoundary>
          </Panel>
        </Stack>
      </div>
      {dialogs.element}
    </Stack>
  );
}
