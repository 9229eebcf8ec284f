import type { LeaderContext } from '../core/leader-context.ts';

/** Longer than a unit that is there needs; one that is off learns of the deletion when it returns. */
const stopLimitMs = 10_000;

/** How the units took the request to stop the jobs of an experiment: who failed to, or nothing when the time was up. */
export type StopOutcome = { readonly is: 'answered'; readonly failed: readonly string[] } | { readonly is: 'unknown' };

type Needs = Pick<LeaderContext, 'database' | 'fleet' | 'leader' | 'wire' | 'log'>;

async function askUnits({ database, fleet, leader }: Needs, experiment: string): Promise<StopOutcome> {
  const workers = await database.read.selectFrom('workers').select('reactor_unit').execute();
  const units = new Set([leader, ...workers.map(({ reactor_unit }) => reactor_unit)]);
  const outcomes = await fleet.stopJobs([...units].toSorted(), { experiment });
  const failures = Object.values(outcomes).filter(({ ok }) => !ok);
  return { is: 'answered', failed: failures.map(({ unit }) => unit) };
}

/**
 * Stops the jobs of an experiment on all units, the leader included. Never rejects; waits ten seconds at most, and no longer
 * once `signal` is aborted.
 */
export async function stopBeforeDeletion(
  context: Needs,
  experiment: string,
  signal: AbortSignal,
): Promise<StopOutcome> {
  const over = new AbortController();
  const timeLimit = async (): Promise<StopOutcome> => {
    await context.wire.sleep(stopLimitMs, AbortSignal.any([over.signal, signal]));
    return { is: 'unknown' };
  };
  try {
    return await Promise.race([askUnits(context, experiment), timeLimit()]);
  } catch (error) {
    if (!signal.aborted) {
      context.log.error('The jobs of a deleted experiment could not be stopped', { experiment, error });
    }
    return { is: 'unknown' };
  } finally {
    over.abort();
  }
}
