import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What a process shall write into the outboxes of units that do not run. */
export interface FillOrder {
  /** Of the units' data folders. */
  readonly folder: string;
  readonly units: readonly string[];
  readonly experimentUid: string;
  readonly channels: number;
  readonly intervalMs: number;
  readonly readingsPerUnit: number;
  /** Of the newest reading, ms since 1970. */
  readonly endMs: number;
}

/** Fills outboxes in another process. */
export async function fillOutboxes(order: FillOrder): Promise<void> {
  const child = fork(fileURLToPath(new URL('./fill-outboxes-process.ts', import.meta.url)));
  child.send(order);
  const [code]: (number | null)[] = await once(child, 'exit');
  if (code !== 0) throw new Error('the outboxes could not be filled');
}
