import { readsOver } from '@lcs/platform';
import { expect, it } from 'vitest';
import type { LeaderSchema } from '../../leader-context.ts';
import { request, startTestLeader } from '../test-leader.ts';
import { logHandlers } from './log-handlers.ts';

it('reads every page of the event log where it is told to, never on the main thread', async () => {
  await using leader = await startTestLeader();
  const { context } = leader;
  const read: string[] = [];
  const reads = readsOver<LeaderSchema>(async (sql) => {
    read.push(sql);
    return [];
  });
  await context.database.write((transaction) =>
    transaction
      .insertInto('logs')
      .values({
        ...{ experiment_id: null, experiment: '$experiment', reactor_unit: 'rx01', at: context.clock.now() },
        ...{ level: 'INFO', message: 'm', source: 'app', task: '' },
      })
      .execute(),
  );
  const handlers = logHandlers(context, reads);
  const params = { experiment: '$experiment', reactor_unit: 'rx01' };
  const pages = [
    handlers.listLogs(request(params, undefined)),
    handlers.listExperimentLogs(request(params, undefined)),
    handlers.listRecentExperimentLogs(request(params, undefined)),
    handlers.listWorkerLogs(request(params, undefined)),
    handlers.listRecentWorkerLogs(request(params, undefined)),
    handlers.listUnitLogs(request(params, undefined)),
    handlers.listUnitSystemLogs(request(params, undefined)),
  ];
  for (const page of await Promise.all(pages)) expect(page).toMatchObject({ status: 200, body: [] });
  expect(read).toHaveLength(pages.length);
});
