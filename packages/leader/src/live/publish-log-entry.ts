import type { LogEntry } from '@lcs/contract';
import type { LivePublisher } from '../core/leader-context.ts';

/** Publishes an entry that is in the event log. */
export const publishLogEntry =
  (live: LivePublisher) =>
  (entry: LogEntry): void =>
    live.publish('log', `${entry.experiment}/${entry.task}`, entry);
