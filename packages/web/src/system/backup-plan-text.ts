import type { Backup, Backups } from '@lcs/contract';

/** How often backups are made and how many are kept, as a sentence. */
export function planText(plan: Pick<Backups, 'interval_hours' | 'keep_daily' | 'keep_weekly'>): string {
  const { interval_hours: hours, keep_daily: daily, keep_weekly: weekly } = plan;
  const often = hours === 24 ? 'Every day' : hours === 0 ? 'Only on request' : `Every ${hours} h`;
  const kept = [...(daily > 0 ? [`${daily} daily`] : []), ...(weekly > 0 ? [`${weekly} weekly`] : [])];
  return `${often}; keeps ${kept.length === 0 ? 'the newest only' : kept.join(' and ')}`;
}

/** Backups that are gone, though nobody has deleted them: the plan keeps the newest of each day and week. */
export const removedBackups = (
  before: readonly Pick<Backup, 'backup_name'>[],
  after: readonly Pick<Backup, 'backup_name'>[],
): readonly string[] => {
  const left = new Set(after.map(({ backup_name }) => backup_name));
  return before.flatMap(({ backup_name: name }) => (left.has(name) ? [] : [name]));
};

/** What a backup of now removes: the plan keeps one of a day. */
export function replacedText(
  { keep_daily, keep_weekly, backups }: Pick<Backups, 'keep_daily' | 'keep_weekly' | 'backups'>,
  nowMs: number,
): string {
  const [newest] = backups;
  if (newest === undefined) return '';
  if (keep_daily === 0 && keep_weekly === 0) return 'A new backup replaces the present one.';
  const day = new Date(nowMs).toISOString().slice(0, 10);
  return newest.created_at.startsWith(day)
    ? 'One backup of a day is kept, the newest: a backup made now replaces the earlier one of today (UTC).'
    : '';
}
