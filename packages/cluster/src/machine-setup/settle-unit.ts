import type { Clock } from '@lcs/platform';
import type { EnrolmentFacts } from './machine-facts.ts';
import type { RunTool } from './machine-ports.ts';
import { enrolmentIn } from './read-facts.ts';
import { unitLog } from './unit-log.ts';

const askEveryMs = 500;
const mostMs = 30_000;

/**
 * Waits until a unit that was started just now has an answer of its leader, at most half a minute. Answers to its former runs do
 * not count.
 */
export async function unitSettled(run: RunTool, clock: Pick<Clock, 'monotonic' | 'sleep'>): Promise<EnrolmentFacts> {
  const untilMs = clock.monotonic() + mostMs;
  for (;;) {
    const found = enrolmentIn(await unitLog(run));
    if (found.kind === 'enrolled' || found.kind === 'refused' || clock.monotonic() >= untilMs) return found;
    await clock.sleep(askEveryMs);
  }
}
