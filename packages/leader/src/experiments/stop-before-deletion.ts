import type { LeaderContext } from '../core/leader-context.ts';

/** Longer than a reachable unit needs; one that is off receives the deletion when it returns. */
const stopLimitMs = 10_000;

/** The result of the request to stop the jobs of an experiment: the units that failed, or nothing at the time limit. */
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
 * Stops the jobs of an experiment on all units, including the leader. Never rejects; waits ten seconds at most, and no longer once
 * `signal` is aborted.
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
