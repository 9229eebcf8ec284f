import { type ErrorBody, retryAfterOf } from './errors.ts';

/** Another node refused a forwarded request; its error body and status are the answer. */
export class PassedOnError extends Error {
  readonly status: number;
  readonly body: ErrorBody;
  /** Of its header `Retry-After`. */
  readonly retryAfterS: number | undefined;

  constructor(body: ErrorBody, retryAfterS?: number) {
    super(body.error);
    this.name = 'PassedOnError';
    this.status = body.status;
    this.body = body;
    this.retryAfterS = retryAfterOf(body.status, retryAfterS);
  }
}
