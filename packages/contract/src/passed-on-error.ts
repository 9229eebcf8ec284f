import type { ErrorBody } from './errors.ts';

/** Another node refused what was passed on to it; its own words, with its status, are the answer. */
export class PassedOnError extends Error {
  readonly status: number;
  readonly body: ErrorBody;

  constructor(body: ErrorBody) {
    super(body.error);
    this.name = 'PassedOnError';
    this.status = body.status;
    this.body = body;
  }
}
