import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { BoardLink, parseWitness, readWitness, type WitnessEntry } from '@lcs/hardware';
import { realClock } from '@lcs/platform';

/** The outputs that are on according to a board's witness file, in the order of their first change. */
export function outputsOn(witnessPath: string): string[] {
  const levels = new Map<string, number>();
  for (const entry of readWitness(witnessPath)) if (entry.kind === 'output') levels.set(entry.output, entry.percent);
  return [...levels].filter(([, percent]) => percent > 0).map(([output]) => output);
}

type OutputChange = Extract<WitnessEntry, { readonly kind: 'output' }>;

/**
 * Reads a board's witness file again and again, each time only what was added: a test that waits for an output asks often, and most
 * entries are of conversions.
 * @returns all changes of outputs until now
 */
export function outputChanges(witnessPath: string): () => readonly OutputChange[] {
  const changes: OutputChange[] = [];
  let readBytes = 0;
  return () => {
    const file = openSync(witnessPath, 'r');
    try {
      const added = Buffer.alloc(fstatSync(file).size - readBytes);
      const { length } = added.subarray(0, readSync(file, added, 0, added.length, readBytes));
      const whole = added.subarray(0, added.lastIndexOf('\n', length - 1) + 1);
      readBytes += whole.length;
      for (const entry of parseWitness(whole.toString())) if (entry.kind === 'output') changes.push(entry);
    } finally {
      closeSync(file);
    }
    return changes;
  };
}

/** Ends the board process at this socket, if there is one: it outlives a killed unit, and would outlive a failed test. */
export async function endBoard(socketPath: string): Promise<void> {
  const link = new BoardLink({ socketPath, wire: realClock() });
  const pid = await link.pid().catch(() => undefined);
  await link.stop();
  if (pid !== undefined) process.kill(pid, 'SIGTERM');
}
