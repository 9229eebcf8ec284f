import type { Clock } from '@lcs/platform';
import type { EnrolmentFacts } from './machine-facts.ts';
import type { RunTool } from './machine-ports.ts';
import { enrolmentIn } from './read-facts.ts';

const askEveryMs = 500;
const mostMs = 30_000;

/**
 * Waits until a unit that was started just now has an answer of its leader, at most half a minute. Answers from before its start do not
 * count.
 */
export async function unitSettled(
  run: RunTool,
  sinceMs: number,
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
): Promise<EnrolmentFacts> {
  const untilMs = clock.monotonic() + mostMs;
  // journalctl takes seconds since 1970 behind an @.
  const args = ['-u', 'lcs-unit', '-o', 'cat', '--no-pager', '--since', `@${Math.floor(sinceMs / 1000)}`];
  for (;;) {
    const found = enrolmentIn((await run('journalctl', args)).stdout);
    if (found.kind === 'enrolled' || found.kind === 'refused' || clock.monotonic() >= untilMs) return found;
    await clock.sleep(askEveryMs);
  }
}
