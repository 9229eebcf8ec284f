import { ApiError } from '@lcs/contract';
import { hostCommand } from './host-command.ts';
import type { NodeSystemOptions } from './node-system.ts';

/** How long the service manager may take to end this process. */
const restartLimitMs = 120_000;

/**
 * Asks for a new start of the program and waits for the end of this one.
 * @throws ApiError host_command_failed; the reason of the signal, which is how a task that is to restart its node ends well
 */
export async function restartOwnProgram(
  { host, wire }: Pick<NodeSystemOptions, 'host' | 'wire'>,
  signal: AbortSignal,
): Promise<never> {
  signal.throwIfAborted();
  await hostCommand('restart the program', () => host.restartProgram());
  await wire.sleep(restartLimitMs, signal);
  throw new ApiError('host_command_failed', { what: 'restart the program', cause: 'It was not ended in time.' });
}

/** Whether a task was cut because its node stops: it goes on after the start. Everything else is its end. */
export const isNodeStopping = ({ reason }: AbortSignal): boolean =>
  reason instanceof ApiError && reason.code === 'shutting_down';
