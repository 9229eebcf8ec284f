import { Checkbox, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Day } from '../ui/moments.tsx';
import { PartBoundary } from '../ui/part-boundary.tsx';
import { commonWords } from '../words/common.ts';
import { experimentsWords } from '../words/experiments.ts';
import type { Duplicate, OpenDialog } from './dialogs.ts';
import styles from './experiment-cards.module.css';
import { designText } from './experiment-design.ts';
import type { ExperimentRow } from './experiment-rows.ts';
import { StatusBadge, Tags, WorkerCount } from './experiment-text.tsx';
import { RowMenu } from './row-menu.tsx';

interface CardActions {
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (experiment: string) => void;
  readonly onDialog: OpenDialog;
  readonly onDuplicate: Duplicate;
}

function Card({ row, selected, onSelect, onDialog, onDuplicate }: CardActions & { readonly row: ExperimentRow }) {
  const { experiment, description, created_by } = row.experiment;
  const design = designText(row.design);
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
      {design !== '' && <Text size="sm">{design}</Text>}
      <Tags tags={row.design.tags} />
      {description && (
        <Text size="sm" c="dimmed" lineClamp={2}>
          {description}
        </Text>
      )}
      <dl className={styles.facts}>
        <div>
          <dt>{commonWords.units}</dt>
          <dd>
            <WorkerCount workers={row.workers} />
          </dd>
        </div>
        <div>
          <dt>{commonWords.created}</dt>
          <dd>
            <Day ms={row.createdAtMs} />
            {created_by !== undefined && commonWords.byPersonAfter(created_by)}
          </dd>
        </div>
        {row.endedAtMs !== null && (
          <div>
            <dt>{commonWords.ended}</dt>
            <dd>
              <Day ms={row.endedAtMs} />
            </dd>
          </div>
        )}
      </dl>
      <Checkbox
        label={commonWords.compare}
        aria-label={experimentsWords.compareNamed(experiment)}
        checked={selected.has(experiment)}
        onChange={() => onSelect(experiment)}
        className={styles.compare ?? ''}
      />
    </article>
  );
}

/** The list on a narrow screen. */
export function ExperimentCards({ rows, ...actions }: CardActions & { readonly rows: readonly ExperimentRow[] }) {
  return (
    <ul className={styles.list} aria-label={commonWords.experiments}>
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
