import { ApiError } from '@lcs/contract';
import { HostCommandFailed } from '../host/host.ts';

/** Runs a command on the machine. @throws ApiError host_command_failed */
export async function hostCommand<Result>(what: string, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof HostCommandFailed) throw new ApiError('host_command_failed', { what, cause: error.message });
    throw error;
  }
}
