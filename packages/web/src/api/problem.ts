import { type FailureReason, ProblemError } from '@lcs/contract';
import { apiWords } from '../words/api.ts';
import { forPeople } from './plain-words.ts';

/** The text about a failure for people. */
export type ProblemText = FailureReason;

/** No answer came. */
export const noAnswerCode = 'no_answer';

const unreachable: ProblemText = { ...apiWords.unreachable, code: noAnswerCode };

/** A failure that the leader or a unit reports, in words for people; a remediation that only programs can follow is replaced. */
export const readable = <Reason extends Pick<FailureReason, 'error' | 'cause' | 'remediation'>>(
  reason: Reason,
): Reason => ({
  ...reason,
  error: forPeople(reason.error),
  cause: forPeople(reason.cause),
  remediation: forPeople(reason.remediation) || (reason.remediation && apiWords.reloadToSeePresent),
});

/** The sentences of a failed request; those of the leader where its answer has some. */
export function problemText(error: unknown): ProblemText {
  if (error instanceof ProblemError) return error.kind === 'network' ? unreachable : readable(error.body);
  return {
    error: apiWords.webUiFailed,
    cause: error instanceof Error ? error.message : String(error),
    remediation: apiWords.reloadPage,
    code: 'page_error',
  };
}

const notFound = 404;

/** What was asked for does not exist. */
export const isNotFound = (error: unknown): boolean => error instanceof ProblemError && error.status === notFound;

/** Whether a retry may succeed: no answer came, or the leader failed. */
export const mayRecover = (error: unknown): boolean =>
  error instanceof ProblemError && (error.kind === 'network' || error.status >= 500);
