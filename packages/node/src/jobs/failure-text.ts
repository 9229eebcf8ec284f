import { ApiError } from '@lcs/contract';

/** Why something failed, for the log and the record of a job. */
export const failureText = (error: unknown): string => {
  if (error instanceof ApiError) return error.body.cause;
  return error instanceof Error ? error.message : String(error);
};
