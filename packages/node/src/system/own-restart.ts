import { ApiError } from '@lcs/contract';
import { hostCommand } from './host-command.ts';
import type { NodeSystemOptions } from './node-system.ts';

/** How long the service manager may take to end this process. */
const restartLimitMs = 120_000;

/**
 * Requests a restart of the program and waits for the end of this process. @throws ApiError host_command_failed; the reason of the signal,
 * when the restart succeeds
 */
export async function restartOwnProgram(
  { host, wire }: Pick<NodeSystemOptions, 'host' | 'wire'>,
  signal: AbortSignal,
): Promise<never> {
  signal.throwIfAborted();
  await hostCommand('restart the program', () => host.restartProgram());
  await wire.sleep(restartLimitMs, signal);
  throw new ApiError('host_command_failed', {
    what: 'restart the program',
    cause: 'The service manager did not end the process within the time limit.',
  });
}

/** Whether a task was aborted because its node stops: it then continues after the start. */
export const isNodeStopping = ({ reason }: AbortSignal): boolean =>
  reason instanceof ApiError && reason.code === 'shutting_down';
