import { clusterExperiment, type Json } from '@lcs/contract';
import type { GuardEvent } from '@lcs/hardware';
import type { NewNote } from '../outbox/new-record.ts';

/** An event that records what the guard did by itself; undefined for routine actions. */
export function guardNote(news: GuardEvent): NewNote | undefined {
  const data = dataOf(news);
  if (data === undefined) return undefined;
  const about = { experiment_uid: clusterExperiment, source: 'guard', message: null };
  return { kind: 'event', name: 'guard', ...about, data };
}

function dataOf(news: GuardEvent): Record<string, Json> | undefined {
  switch (news.what) {
    case 'lease_lost':
      return { what: news.what, outputs: [...news.outputs] };
    case 'limit':
      return { what: news.what, output: news.output, limit: news.limit, value: news.value };
    case 'cut':
      return { what: news.what, output: news.output, ran_ms: news.ranMs };
    case 'output_failed':
      return { what: news.what, output: news.output, reason: news.reason };
    case 'watchdog_lost':
      return { what: news.what, reason: news.reason };
    case 'parent_lost':
    case 'all_off':
    case 'guard_lost':
      return { what: news.what };
    // Routine: a pump that ran its time, and the guard of each start.
    case 'ended':
    case 'guard_ready':
      return undefined;
  }
}
