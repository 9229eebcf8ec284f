import { ApiError } from '@lcs/contract';

const integer = /^-?\d{1,15}$/;

/**
 * The milliseconds that remain for a request by its `x-deadline-ms`. Throws `malformed_request` when that is not an integer and
 * `deadline_passed` when no time remains.
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
