import { ApiError } from '@lcs/contract';

const integer = /^-?\d{1,15}$/;

/**
 * The milliseconds that `x-deadline-ms` leaves for a request. Throws `malformed_request` when it is not an integer and
 * `deadline_passed` when nothing is left.
 */
export function remainingMs(header: string | string[]): number {
  const text = String(header);
  if (!integer.test(text)) {
    throw new ApiError('malformed_request', { cause: `x-deadline-ms must be an integer, got '${text}'.` });
  }
  const milliseconds = Number(text);
  if (milliseconds <= 0) throw new ApiError('deadline_passed', {});
  return milliseconds;
}
