import { clusterExperiment, type Json } from '@lcs/contract';
import type { GuardEvent } from '@lcs/hardware';
import type { NewNote } from '../outbox/new-record.ts';

/** An event that records an action of the guard by itself; undefined for routine actions. */
export function guardNote(event: GuardEvent): NewNote | undefined {
  const data = dataOf(event);
  if (data === undefined) return undefined;
  const about = { experiment_uid: clusterExperiment, source: 'guard', message: null };
  return { kind: 'event', name: 'guard', ...about, data };
}

function dataOf(event: GuardEvent): Record<string, Json> | undefined {
  switch (event.what) {
    case 'lease_lost':
      return { what: event.what, outputs: [...event.outputs] };
    case 'limit':
      return { what: event.what, output: event.output, limit: event.limit, value: event.value };
    case 'cut':
      return { what: event.what, output: event.output, ran_ms: event.ranMs };
    case 'output_failed':
      return { what: event.what, output: event.output, reason: event.reason };
    case 'watchdog_lost':
      return { what: event.what, reason: event.reason };
    case 'parent_lost':
    case 'all_off':
    case 'guard_lost':
      return { what: event.what };
    // Routine: a pump that ran its time, and the guard of each start. The job records the level of its heater.
    case 'overridden':
    case 'ended':
    case 'guard_ready':
      return undefined;
  }
}
