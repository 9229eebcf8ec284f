import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { builtInModels } from '@lcs/domain';
import { VirtualClock } from '@lcs/platform';
import { expect, it } from 'vitest';
import { ModelCatalog } from '../models/model-catalog.ts';
import { errorOf, startTestLeader } from '../testing/test-leader.ts';
import { WorkerSetups } from './set-up-worker.ts';

/** Says when somebody begins to wait. */
class WatchedClock extends VirtualClock {
  readonly waitedFor = Promise.withResolvers<void>();

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.waitedFor.resolve();
    return super.sleep(ms, signal);
  }
}

/** A machine that says who it is, is glad to be asked to enrol, and never does. */
async function machineThatNeverEnrols() {
  const server = createServer(({ url }, response) => {
    const isHealth = url === '/unit_api/health';
    response.writeHead(isHealth ? 200 : 202, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isHealth ? { reactor_unit: 'rx01' } : { status: 'accepted' }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

it('a machine that never enrols is waited for, for a minute and a half and no longer', async () => {
  await using machine = await machineThatNeverEnrols();
  await using leader = await startTestLeader();
  const wire = new WatchedClock();
  const context = { ...leader.context, wire };
  const models = new ModelCatalog({ ...context, builtIn: builtInModels, folder: join(context.dataFolder, 'models') });
  const setups = new WorkerSetups({ context, models, defaultPort: () => machine.port });
  const { signal } = new AbortController();
  const wanted = { name: 'rx01', model: 'reactor_40ml', version: '1.5', ipv4_address: '127.0.0.1' };
  let isOver = false;
  const outcome = errorOf(setups.run(wanted, signal)).finally(() => {
    isOver = true;
  });
  await wire.waitedFor.promise;
  expect(await errorOf(setups.run(wanted, signal))).toMatchObject({ status: 409, code: 'worker_registered' });
  await wire.advance(89_000);
  expect(isOver).toBe(false);
  await wire.advance(2_000);
  expect(await outcome).toMatchObject({ status: 504, code: 'worker_setup_timed_out' });
  expect(await context.database.read.selectFrom('workers').selectAll().execute()).toEqual([]);
});
