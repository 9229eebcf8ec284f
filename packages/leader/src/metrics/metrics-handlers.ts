import { ApiError, type Handlers, type metricsRoutes } from '@lcs/contract';
import { sql } from 'kysely';
import type { LeaderReader } from '../queries/experiments.ts';
import type { LeaderMetrics } from './leader-metrics.ts';

/** Routes for programs that watch the leader. */
export const metricsHandlers = (metrics: LeaderMetrics, read: LeaderReader): Handlers<typeof metricsRoutes> => ({
  getMetrics: async () => ({ status: 200, body: await metrics.text() }),
  getReadiness: async () => {
    try {
      await sql`select 1 from schema_migrations limit 1`.execute(read);
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      throw new ApiError('leader_not_ready', { cause: `Its store cannot be read: ${cause}` });
    }
    return { status: 200, body: { status: 'ready' } };
  },
  getLiveness: () => ({ status: 200, body: { status: 'alive' } }),
});
