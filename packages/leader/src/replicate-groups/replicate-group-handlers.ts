import type { Handlers, replicateGroupRoutes } from '@lcs/contract';
import type { LeaderContext } from '../core/leader-context.ts';
import { replaceReplicateGroups, replicateGroupHistory, replicateGroups } from './replicate-groups.ts';

/** Which units of an experiment are replicates of each other. */
export function replicateGroupHandlers(context: LeaderContext): Handlers<typeof replicateGroupRoutes> {
  const { read } = context.database;
  return {
    listReplicateGroups: async ({ params }) => ({ status: 200, body: await replicateGroups(read, params.experiment) }),
    replaceReplicateGroups: async ({ params, body }) => ({
      status: 200,
      body: await replaceReplicateGroups(context, params.experiment, body.groups),
    }),
    listReplicateGroupHistory: async ({ params }) => ({
      status: 200,
      body: await replicateGroupHistory(read, params.experiment),
    }),
  };
}
