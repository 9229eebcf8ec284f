import type { Backup, Backups } from '@lcs/contract';
import { systemWords } from '../words/system.ts';

/** How often backups are made and how many are kept, as a sentence. */
export function planText(plan: Pick<Backups, 'interval_hours' | 'keep_daily' | 'keep_weekly'>): string {
  const { interval_hours: hours, keep_daily: daily, keep_weekly: weekly } = plan;
  const often =
    hours === 24 ? systemWords.everyDay : hours === 0 ? systemWords.onlyOnRequest : systemWords.everyH(hours);
  const kept = [...(daily > 0 ? [systemWords.daily(daily)] : []), ...(weekly > 0 ? [systemWords.weekly(weekly)] : [])];
  return systemWords.oftenAndKept(often, kept.length === 0 ? systemWords.newestOnly : kept.join(' and '));
}

/** Backups that are gone, though nobody has deleted them: the plan keeps the newest of each day and week, and the first of the present day. */
export const removedBackups = (
  before: readonly Pick<Backup, 'backup_name'>[],
  after: readonly Pick<Backup, 'backup_name'>[],
): readonly string[] => {
  const left = new Set(after.map(({ backup_name }) => backup_name));
  return before.flatMap(({ backup_name: name }) => (left.has(name) ? [] : [name]));
};

/** What a backup of now removes: the plan keeps the first and the newest of the present day. */
export function replacedText(
  { keep_daily, keep_weekly, backups }: Pick<Backups, 'keep_daily' | 'keep_weekly' | 'backups'>,
  nowMs: number,
): string {
  const [newest] = backups;
  if (newest === undefined) return '';
  if (keep_daily === 0 && keep_weekly === 0) return systemWords.newBackupReplacesPresentOne;
  const day = new Date(nowMs).toISOString().slice(0, 10);
  return backups.filter(({ created_at }) => created_at.startsWith(day)).length > 1 ? systemWords.replacesToday : '';
}
