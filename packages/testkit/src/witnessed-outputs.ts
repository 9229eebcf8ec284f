import { BoardLink, readWitness } from '@lcs/hardware';
import { realClock } from '@lcs/platform';

/** The outputs that are on according to a board's witness file, in the order of their first change. */
export function outputsOn(witnessPath: string): string[] {
  const levels = new Map<string, number>();
  for (const entry of readWitness(witnessPath)) if (entry.kind === 'output') levels.set(entry.output, entry.percent);
  return [...levels].filter(([, percent]) => percent > 0).map(([output]) => output);
}

/** Ends the board process at this socket, if there is one: it outlives a killed unit, and would outlive a failed test. */
export async function endBoard(socketPath: string): Promise<void> {
  const link = new BoardLink({ socketPath, wire: realClock() });
  const pid = await link.pid().catch(() => undefined);
  await link.stop();
  if (pid !== undefined) process.kill(pid, 'SIGTERM');
}
