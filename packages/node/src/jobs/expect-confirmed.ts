import { ApiError, type JobWarning } from '@lcs/contract';
import type { ChangeOptions } from './job-definition.ts';

/** @throws ApiError `dilution_not_confirmed` when whoever asks wants to confirm first what follows at once, and has not */
export function expectConfirmed(
  job: string,
  warning: JobWarning | undefined,
  { confirmsDilution }: ChangeOptions,
): void {
  if (warning === undefined || confirmsDilution !== false) return;
  throw new ApiError('dilution_not_confirmed', { job, cause: warning.message });
}
