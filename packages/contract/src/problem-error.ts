import type { ErrorBody } from './errors.ts';
import type { FailedTask } from './resources/task.ts';

/** A call that did not succeed, with the reasons to show. */
export class ProblemError extends Error {
  /** `network`: nothing answered. */
  readonly kind: 'answer' | 'network';
  /** HTTP status; 0 when nothing answered. */
  readonly status: number;
  /** What the server said, or the same in our words when it said nothing that could be understood. */
  readonly body: ErrorBody;
  /** Under this id the server's log tells more. */
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
  static ofTask({ error, cause, remediation, code }: FailedTask): ProblemError {
    return new ProblemError('answer', { error, cause, remediation, code, status: 500 });
  }

  /** Nothing answered at `url`. */
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
