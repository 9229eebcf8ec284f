import type { ErrorBody } from './error-body.ts';
import { failureReason } from './is-error-body.ts';
import type { FailedTask } from './resources/task.ts';

/** A call that did not succeed, with the reasons to show. */
export class ProblemError extends Error {
  /** `network`: no answer. */
  readonly kind: 'answer' | 'network';
  /** HTTP status; 0 without an answer. */
  readonly status: number;
  /** The error body of the server, or one made here when its answer was not readable. */
  readonly body: ErrorBody;
  /** ID of the request in the server's log. */
  readonly requestId: string | undefined;

  constructor(
    kind: 'answer' | 'network',
    body: ErrorBody,
    options: ErrorOptions & { requestId?: string | undefined } = {},
  ) {
    super(body.error, options);
    this.name = 'ProblemError';
    this.kind = kind;
    this.status = body.status;
    this.body = body;
    this.requestId = options.requestId;
  }

  /** A task that failed. */
  static ofTask(task: FailedTask): ProblemError {
    return new ProblemError('answer', { ...failureReason(task), status: 500 });
  }

  /** No server answered at `url`. */
  static noAnswer(url: string, failure: unknown): ProblemError {
    const body = {
      error: 'The server does not answer.',
      cause: `${url}: ${failure instanceof Error ? failure.message : String(failure)}`,
      remediation: 'Check the address, the network, and that the server is running; then try again.',
      status: 0,
      code: 'no_answer',
    };
    return new ProblemError('network', body, { cause: failure });
  }
}
