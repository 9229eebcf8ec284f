import { Badge, Group, Text } from '@mantine/core';
import { type ExperimentRow, isActive, type WorkerTally } from './experiment-rows.ts';
import styles from './experiment-text.module.css';

/** Whether an experiment is active, in a word and not by colour alone. */
export function StatusBadge({ row }: { readonly row: ExperimentRow }) {
  if (row.workers === null)
    return (
      <Text span c="dimmed" size="sm" title="Assignments are not known yet">
        …
      </Text>
    );
  return isActive(row) ? <span className={styles.active}>Active</span> : <span className={styles.idle}>Idle</span>;
}

/** `3`, or `1 of 3 active` when some workers are not. */
export function workersText(workers: WorkerTally | null): string {
  if (workers === null) return '…';
  const { assigned, active } = workers;
  return active === assigned ? String(assigned) : `${active} of ${assigned} active`;
}

const shownTags = 4;

/** Tags of an experiment; in dense places only the first few, with the number of the others. */
export function Tags({ tags, all = false }: { readonly tags: readonly string[]; readonly all?: boolean }) {
  if (tags.length === 0) return null;
  const shown = all ? tags : tags.slice(0, shownTags);
  const hidden = tags.slice(shown.length);
  return (
    <Group gap={4} component="ul" className={styles.tags} aria-label="Tags">
      {shown.map((tag) => (
        <Badge key={tag} component="li" variant="default" radius="sm" size="md" className={styles.tag} title={tag}>
          {tag}
        </Badge>
      ))}
      {hidden.length > 0 && (
        <Badge
          component="li"
          variant="transparent"
          radius="sm"
          size="md"
          className={styles.tag}
          title={hidden.join(', ')}
        >
          +{hidden.length} more
        </Badge>
      )}
    </Group>
  );
}
