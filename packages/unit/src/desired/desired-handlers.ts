import type { Handlers, unitFeedRoutes } from '@lcs/contract';
import type { DesiredStateManager } from './desired-state-manager.ts';

/** The routes by which a leader sends the desired state. */
export const desiredHandlers = (
  keeper: DesiredStateManager,
): Pick<Handlers<typeof unitFeedRoutes>, 'getDesired' | 'putDesired'> => ({
  getDesired: () => ({ status: 200, body: keeper.report() }),
  putDesired: async ({ body }) => ({ status: 200, body: await keeper.put(body) }),
});
