import { Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Elapsed, Moment } from '../ui/moments.tsx';
import { PartBoundary } from '../ui/part-boundary.tsx';
import type { Duplicate, OpenDialog } from './dialogs.ts';
import styles from './experiment-cards.module.css';
import type { ExperimentRow } from './experiment-rows.ts';
import { StatusBadge, Tags, WorkerCount } from './experiment-text.tsx';
import { RowMenu } from './row-menu.tsx';

interface CardActions {
  readonly onDialog: OpenDialog;
  readonly onDuplicate: Duplicate;
}

function Card({ row, onDialog, onDuplicate }: CardActions & { readonly row: ExperimentRow }) {
  const { experiment, description, tags } = row.experiment;
  return (
    <article className={styles.card} aria-label={experiment}>
      <Group justify="space-between" wrap="nowrap" align="flex-start" gap="xs">
        <Link to="/experiments/$experiment" params={{ experiment }} className={`page-link ${styles.name}`}>
          {experiment}
        </Link>
        <Group gap={6} wrap="nowrap">
          <StatusBadge row={row} />
          <RowMenu row={row} onDialog={onDialog} onDuplicate={onDuplicate} />
        </Group>
      </Group>
      <Tags tags={tags} />
      {description && (
        <Text size="sm" c="dimmed" lineClamp={2}>
          {description}
        </Text>
      )}
      <dl className={styles.facts}>
        <div>
          <dt>Workers</dt>
          <dd>
            <WorkerCount workers={row.workers} />
          </dd>
        </div>
        <div>
          <dt>Created</dt>
          <dd>
            <Moment ms={row.createdAtMs} />
          </dd>
        </div>
        <div>
          <dt>Elapsed</dt>
          <dd>
            <Elapsed sinceMs={row.createdAtMs} />
          </dd>
        </div>
      </dl>
    </article>
  );
}

/** The list on a narrow screen. */
export function ExperimentCards({ rows, ...actions }: CardActions & { readonly rows: readonly ExperimentRow[] }) {
  return (
    <ul className={styles.list} aria-label="Experiments">
      {rows.map((row) => (
        <li key={row.experiment.experiment}>
          <PartBoundary part={row.experiment.experiment} resetKey={row.experiment}>
            <Card row={row} {...actions} />
          </PartBoundary>
        </li>
      ))}
    </ul>
  );
}
