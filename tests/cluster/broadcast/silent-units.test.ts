import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createUnitNode, type UnitNode } from '@lcs/cluster';
import type { UnitOutcome } from '@lcs/contract';
import { realClock, silentLog, WriterHost } from '@lcs/platform';
import { type LeaderUnderTest, startLeader, temporaryFolder } from '@lcs/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** So many units, real ones on simulated boards; `LCS_BROADCAST_UNITS=100` is the long form. */
const all = Number(process.env.LCS_BROADCAST_UNITS ?? 20);
/** They take requests and never answer. */
const hanging = all / 10;
/** Nothing listens at their address. */
const refusing = all / 10;
const working = all - hanging - refusing;

const nameOf = (index: number): string => `rx${String(index).padStart(3, '0')}`;
const names = Array.from({ length: all }, (_, index) => nameOf(index));

let stack: AsyncDisposableStack;
let leader: LeaderUnderTest;

/** An address without a server. */
async function hangingAddress(): Promise<string> {
  const server = createServer(() => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stack.defer(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const address = server.address();
  return `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}

/** An address where nothing listens any more. */
async function deadAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}

async function startUnits(): Promise<readonly UnitNode[]> {
  const folder = await temporaryFolder('units');
  stack.use(folder);
  const writer = new WriterHost();
  await writer.start();
  stack.defer(() => writer.stop());
  const nodes = names.slice(0, working).map((name) =>
    createUnitNode({
      name,
      dataFolder: join(folder.path, name),
      host: '127.0.0.1',
      port: 0,
      leaderUrl: () => leader.url,
      board: { kind: 'here', seed: 1 },
      log: silentLog(),
      wire: realClock(),
      writer,
      hostSynced: () => true,
    }),
  );
  stack.defer(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
  });
  for (const node of nodes) await node.start(new AbortController().signal);
  return nodes;
}

beforeAll(async () => {
  stack = new AsyncDisposableStack();
  leader = stack.use(await startLeader({ configure: { clock: realClock() } }));
  for (const name of names) await leader.client.registerWorker({ body: { reactor_unit: name } });
  const nodes = await startUnits();
  const [hang, dead] = [await hangingAddress(), await deadAddress()];
  const addressOf = (index: number): string => {
    const node = nodes[index];
    if (node) return new URL(node.url).host;
    return index < working + hanging ? hang : dead;
  };
  const lines = names.map((name, index) => `${name}=${addressOf(index)}`);
  const config = await leader.client.getSharedConfig();
  const code = config.replace('[cluster.addresses]\n', `$&${lines.join('\n')}\n`);
  await leader.client.saveSharedConfig({ body: { code } });
  await leader.client.createExperiment({ body: { experiment: 'a' } });
  for (const reactor_unit of names) {
    await leader.client.assignWorker({ params: { experiment: 'a' }, body: { reactor_unit } });
  }
});
afterAll(() => stack.disposeAsync());

/** One outcome for each unit, and how long that took. */
async function outcomesOf(accepted: unknown) {
  const begun = performance.now();
  const task = await leader.finished(accepted);
  if (task.status !== 'succeeded') throw new Error(`The task failed: ${task.cause}`);
  const outcomes = Object.entries(Object(task.result) as Record<string, UnitOutcome>);
  return { outcomes, tookMs: performance.now() - begun };
}

function expectAllAnswered(outcomes: readonly (readonly [string, UnitOutcome])[]): void {
  expect(outcomes.map(([unit]) => unit).sort()).toEqual(names);
  const failed = outcomes.filter(([, outcome]) => !outcome.ok);
  expect(failed.map(([unit]) => unit)).toEqual(names.slice(working));
  for (const [, outcome] of failed) {
    expect(outcome).toMatchObject({
      error: { kind: 'connection_error', message: expect.any(String), cause: expect.any(String) },
      retryable: true,
    });
  }
}

describe(`a broadcast to ${all} units of which ${hanging} hang and ${refusing} refuse`, () => {
  const everyone = { params: { reactor_unit: '$broadcast' } } as const;

  it.each(['listWorkerRunningJobs', 'getWorkerCapabilities'] as const)(
    '%s: one outcome each, within 4 s',
    async (read) => {
      const accepted = (await leader.api.call(read, everyone)).expect(202);
      const { outcomes, tookMs } = await outcomesOf(accepted);
      expectAllAnswered(outcomes);
      // The bound of a read (architecture), and what polling for the result may add.
      expect(tookMs).toBeLessThan(5_000);
    },
  );

  it('starts a job: one outcome each, with a time limit of 2 s for hanging units', async () => {
    const params = { reactor_unit: '$broadcast', job: 'stirring', experiment: 'a' };
    const accepted = (await leader.api.call('runWorkerJob', { params, body: {} })).expect(202);
    const { outcomes, tookMs } = await outcomesOf(accepted);
    expectAllAnswered(outcomes.toSorted(([one], [other]) => (one < other ? -1 : 1)));
    expect(tookMs).toBeLessThan(32_000);
  });

  it('stops all: one outcome each', async () => {
    const params = { reactor_unit: '$broadcast', experiment: 'a' };
    const accepted = (await leader.api.call('stopWorkerJobsOfExperiment', { params })).expect(202);
    const { outcomes } = await outcomesOf(accepted);
    const workers = outcomes.filter(([unit]) => names.includes(unit));
    expectAllAnswered(workers.toSorted(([one], [other]) => (one < other ? -1 : 1)));
  });
});
