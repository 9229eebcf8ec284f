import type { configRoutes, Handlers } from '@lcs/contract';
import type { LeaderContext } from '../../leader-context.ts';
import { configHistory, sharedConfigName } from './config-history.ts';
import type { SharedConfig } from './shared-config.ts';

/** The leader reads the file itself; all other workers have to be given it. */
const otherWorkers = ({ database, leader }: Pick<LeaderContext, 'database' | 'leader'>) =>
  database.read
    .selectFrom('workers')
    .where('reactor_unit', '!=', leader)
    .orderBy('reactor_unit')
    .select('reactor_unit');

export function configHandlers(context: LeaderContext, sharedConfig: SharedConfig): Handlers<typeof configRoutes> {
  return {
    getSharedConfig: async () => ({ status: 200, body: await sharedConfig.text() }),
    saveSharedConfig: async ({ body }) => {
      await sharedConfig.save(body.code);
      const workers = await otherWorkers(context).execute();
      return { status: 200, body: { status: 'success', pending: workers.map(({ reactor_unit }) => reactor_unit) } };
    },
    listSharedConfigHistory: async () => ({
      status: 200,
      body: await configHistory(context.database.read, sharedConfigName),
    }),
  };
}
