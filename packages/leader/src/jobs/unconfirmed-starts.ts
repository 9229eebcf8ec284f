import { ApiError, CheckedStart, type RunJob, type UnitOutcome } from '@lcs/contract';
import { dosingAutomationJob } from '@lcs/domain';
import { failed, failureText, valueIn } from '../fleet/outcome.ts';

type Outcomes = Readonly<Record<string, UnitOutcome>>;

/** Whether a start on several units must be confirmed on all of them before it happens on one. */
export const needsAllConfirmed = (job: string, { confirm_dilution: confirms }: RunJob): boolean =>
  job === dosingAutomationJob.name && confirms === false;

function refusal(unit: string, job: string, cause: string): UnitOutcome {
  const { body } = new ApiError('dilution_not_confirmed', { job, cause });
  return failed(unit, 'http_error', failureText(body), body.status, false);
}

/**
 * Why nothing was started on these units, by their answers to the check; undefined: nobody has to confirm anything. A unit of an older
 * version cannot be asked, and refuses the start itself.
 */
export function unconfirmedStarts(answers: Outcomes, job: string): Outcomes | undefined {
  const asked = Object.entries(answers).map(([unit, answer]) => {
    const { warnings = [] } = valueIn(answer, CheckedStart) ?? {};
    return { unit, answer, causes: warnings.map(({ message }) => message) };
  });
  const names = asked.flatMap(({ unit, causes }) => (causes.length > 0 ? [unit] : []));
  if (names.length === 0) return undefined;
  const waits = `Nothing needs a confirmation here, but it was not started either: the same request needs one for ${names.join(', ')}.`;
  return Object.fromEntries(
    asked.map(({ unit, answer, causes }) => {
      if (causes.length > 0) return [unit, refusal(unit, job, causes.join(' '))];
      const isOlder = !answer.ok && answer.status_code === 404 && answer.error.code !== 'job_unknown';
      return [unit, answer.ok || isOlder ? refusal(unit, job, waits) : answer];
    }),
  );
}
