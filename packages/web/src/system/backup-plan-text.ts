import type { Backups } from '@lcs/contract';

/** How often backups are made and how many are kept, as a sentence. */
export function planText(plan: Pick<Backups, 'interval_hours' | 'keep_daily' | 'keep_weekly'>): string {
  const { interval_hours: hours, keep_daily: daily, keep_weekly: weekly } = plan;
  const often = hours === 24 ? 'Every day' : hours === 0 ? 'Only on request' : `Every ${hours} h`;
  const kept = [...(daily > 0 ? [`${daily} daily`] : []), ...(weekly > 0 ? [`${weekly} weekly`] : [])];
  return `${often}; keeps ${kept.length === 0 ? 'the newest only' : kept.join(' and ')}`;
}
