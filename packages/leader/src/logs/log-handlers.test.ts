import { join } from 'node:path';
import { type LogEntry, PreparedJson } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { logPageOf } from '../series/log-page.ts';
import { RowReader } from '../series/row-reader.ts';
import { request, startTestLeader } from '../testing/test-leader.ts';
import { logHandlers } from './log-handlers.ts';

/** The handlers over a reader that counts how often it is asked and reads on the main thread of this test. */
async function setting() {
  const leader = await startTestLeader();
  const { context } = leader;
  const queries: string[] = [];
  const reader = RowReader.open({ path: join(context.dataFolder, 'store.sqlite') });
  const handlers = logHandlers(context, {
    logPage: async (query, limits) => {
      queries.push(query.sql);
      return logPageOf(reader.rows(query), limits);
    },
  });
  const system = { experiment: '$experiment', reactor_unit: 'rx01' };
  const add = (message: string, at = context.clock.now()) =>
    context.database.write((transaction) =>
      transaction
        .insertInto('logs')
        .values({
          experiment_id: null,
          experiment: '$experiment',
          reactor_unit: 'rx01',
          at,
          level: 'INFO',
          message,
          source: 'app',
          task: '',
        })
        .execute(),
    );
  return {
    leader,
    context,
    handlers,
    queries,
    system,
    add,
    [Symbol.asyncDispose]: () => leader[Symbol.asyncDispose](),
  };
}

const messagesOf = (body: unknown): string[] => {
  if (!(body instanceof PreparedJson)) throw new Error('A page is prepared as JSON.');
  const entries: LogEntry[] = JSON.parse(body.text);
  return entries.map(({ message }) => message);
};

describe('pages of the event log', () => {
  it('are all read by the reader, never on the main thread', async () => {
    await using world = await setting();
    const { handlers, system, queries } = world;
    await world.add('m');
    const pages = await Promise.all([
      handlers.listLogs(request(system, undefined)),
      handlers.listExperimentLogs(request(system, undefined)),
      handlers.listRecentExperimentLogs(request(system, undefined)),
      handlers.listWorkerLogs(request(system, undefined)),
      handlers.listRecentWorkerLogs(request(system, undefined)),
      handlers.listUnitLogs(request(system, undefined)),
      handlers.listUnitSystemLogs(request(system, undefined)),
    ]);
    for (const { status, body } of pages) expect([status, messagesOf(body)]).toEqual([200, ['m']]);
    expect(queries).toHaveLength(pages.length);
  });

  it('are read once until something is stored', async () => {
    await using world = await setting();
    const { handlers, system, queries } = world;
    const read = async () => messagesOf((await handlers.listExperimentLogs(request(system, undefined))).body);
    expect([await read(), await read()]).toEqual([[], []]);
    expect(queries).toHaveLength(1);
    await world.add('new');
    expect(await read()).toEqual(['new']);
    expect(queries).toHaveLength(2);
  });

  it('of recent entries lose an entry after 24 h without any change', async () => {
    await using world = await setting();
    const { handlers, system, leader, queries } = world;
    await world.add('old');
    const read = async () => messagesOf((await handlers.listRecentExperimentLogs(request(system, undefined))).body);
    expect(await read()).toEqual(['old']);
    await leader.clock.advance(24 * 3_600_000);
    expect(await read()).toEqual(['old']);
    expect(queries).toHaveLength(1);
    await leader.clock.advance(1);
    expect(await read()).toEqual([]);
  });
});
