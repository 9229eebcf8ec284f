import type { Handlers, unitFeedRoutes } from '@lcs/contract';
import type { DesiredStateManager } from './desired-state-manager.ts';

/** The routes by which a leader sends the desired state. */
export const desiredHandlers = (
  desiredState: DesiredStateManager,
): Pick<Handlers<typeof unitFeedRoutes>, 'getDesired' | 'putDesired'> => ({
  getDesired: () => ({ status: 200, body: desiredState.report() }),
  putDesired: async ({ body }) => ({ status: 200, body: await desiredState.put(body) }),
});
