import type { UnitOutcome } from '@lcs/contract';
import type { JobsOfExperiment, LeaderContext } from '../core/leader-context.ts';

type Outcomes = Readonly<Record<string, UnitOutcome>>;

/** The stop may not have reached the unit, or not have ended there: the unit would execute a repetition. */
function isMissed(outcome: UnitOutcome): boolean {
  if (outcome.ok) return false;
  const { kind } = outcome.error;
  if (kind === 'http_error') return outcome.status_code === 503;
  return kind === 'connection_error' || kind === 'task_timeout' || kind === 'task_incomplete' || kind === 'locked';
}

/**
 * Turns stops that did not reach their units into orders of the units' documents; their outcomes say so. Otherwise a unit that returns
 * would continue the jobs.
 */
export async function orderMissedStops(
  { desired }: Pick<LeaderContext, 'desired'>,
  outcomes: Outcomes,
  ...stops: readonly JobsOfExperiment[]
): Promise<Outcomes> {
  const missed = Object.values(outcomes).filter(isMissed);
  if (missed.length === 0) return outcomes;
  const units = missed.map(({ unit }) => unit);
  const ordered = new Set<string>();
  for (const stop of stops) for (const unit of await desired.orderStops(units, stop)) ordered.add(unit);
  return Object.fromEntries(
    Object.entries(outcomes).map(([unit, outcome]) => [
      unit,
      ordered.has(unit) ? withOrderNotice(outcome, stops) : outcome,
    ]),
  );
}

function withOrderNotice(outcome: UnitOutcome, stops: readonly JobsOfExperiment[]): UnitOutcome {
  if (outcome.ok) return outcome;
  const { unit, error } = outcome;
  const notice = `${unit} will stop ${stops.length === 1 && stops[0]?.jobName !== null ? 'it' : 'them'} as soon as it is online again.`;
  const remediation = `No further request is needed. Until then jobs of ${unit} may still run: check the unit, or switch it off.`;
  return {
    ...outcome,
    error: {
      ...error,
      message: `${error.message} ${notice}`,
      remediation: error.remediation === undefined ? remediation : `${remediation} ${error.remediation}`,
    },
  };
}
