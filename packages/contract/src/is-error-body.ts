import type { ErrorBody } from './error-body.ts';

/** The part of an error body that the record of a failed task keeps. */
export type FailureReason = Pick<ErrorBody, 'error' | 'cause' | 'remediation' | 'code' | 'field'>;

export const failureReason = ({ error, cause, remediation, code, field }: FailureReason): FailureReason => ({
  error,
  cause,
  remediation,
  code,
  ...(field !== undefined && { field }),
});

/** Whether something received is an error body. */
export function isErrorBody(value: unknown): value is ErrorBody {
  // Written by hand: a schema checker is a large part of a page, and pages have no other use for one.
  return (
    typeof value === 'object' &&
    value !== null &&
    ['error', 'cause', 'remediation', 'code'].every((key) => typeof Reflect.get(value, key) === 'string') &&
    Number.isInteger(Reflect.get(value, 'status')) &&
    (!('field' in value) || typeof value.field === 'string') &&
    (!('diagnostics' in value) || Array.isArray(value.diagnostics))
  );
}
