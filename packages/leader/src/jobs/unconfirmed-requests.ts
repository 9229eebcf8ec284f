import { ApiError, CheckedJobRequest, type Json, type RunJob, type UnitOutcome } from '@lcs/contract';
import { dosingAutomationJob } from '@lcs/domain';
import type { UnitCommand } from '../core/leader-context.ts';
import { failed, failureText, valueIn } from '../fleet/outcome.ts';

type Outcomes = Readonly<Record<string, UnitOutcome>>;

/** What asks units, before a start or a change of a job on several of them happens on one. */
export interface RequestChecks {
  readonly [name: string]: Json;
  readonly job: string;
  readonly kind: 'start' | 'change';
  readonly commands: readonly UnitCommand[];
}

/** Whether a start or a change on several units must be confirmed on all of them before it happens on one. */
export const needsAllConfirmed = (
  job: string,
  { confirm_dilution: confirms }: Pick<RunJob, 'confirm_dilution'>,
): boolean => job === dosingAutomationJob.name && confirms === false;

function refusal(unit: string, job: string, cause: string): UnitOutcome {
  const { body } = new ApiError('dilution_not_confirmed', { job, cause });
  return failed(unit, 'http_error', failureText(body), body.status, false);
}

const notDone = { start: 'it was not started either', change: 'nothing was changed either' } as const;
/** A unit of an older version has no such route; these are answers of one that has it. */
const answersOfRoute: ReadonlySet<string | undefined> = new Set(['job_unknown', 'job_not_running']);

/**
 * Why nothing was done on these units, by their answers to the check; undefined: nobody has to confirm anything. A unit of an older
 * version cannot be asked, and refuses the request itself.
 */
export function unconfirmedRequests(
  answers: Outcomes,
  { job, kind }: Pick<RequestChecks, 'job' | 'kind'>,
): Outcomes | undefined {
  const asked = Object.entries(answers).map(([unit, answer]) => {
    const { warnings = [] } = valueIn(answer, CheckedJobRequest) ?? {};
    return { unit, answer, causes: warnings.map(({ message }) => message) };
  });
  const names = asked.flatMap(({ unit, causes }) => (causes.length > 0 ? [unit] : []));
  if (names.length === 0) return undefined;
  const waits = `Nothing needs a confirmation here, but ${notDone[kind]}: the same request needs one for ${names.join(', ')}.`;
  return Object.fromEntries(
    asked.map(({ unit, answer, causes }) => {
      if (causes.length > 0) return [unit, refusal(unit, job, causes.join(' '))];
      const isOlder = !answer.ok && answer.status_code === 404 && !answersOfRoute.has(answer.error.code);
      return [unit, answer.ok || isOlder ? refusal(unit, job, waits) : answer];
    }),
  );
}
