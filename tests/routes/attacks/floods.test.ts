import { type LeaderUnderTest, signIn, startLeader } from '@lcs/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { observe } from '../../observe.ts';

const password = 'three brown horses';
const held = Promise.withResolvers<void>();
let leader: LeaderUnderTest;
let ada: Record<string, string>;

beforeAll(async () => {
  leader = await startLeader({
    observe,
    configure: {
      requestRates: { person: { burst: 40, perSecond: 0.1 }, anonymous: { burst: 10, perSecond: 0.1 } },
      // A task that keeps exports waiting.
      extend: ({ tasks }) => {
        const kind = {
          kind: 'hold_exports',
          lock: 'export-data-lock',
          run: async (_: null) => held.promise.then(() => null),
        };
        tasks.register(kind);
        return [
          {
            name: 'holding exports',
            start: async () => void (await tasks.submit(kind, null)),
            stop: async () => held.resolve(),
          },
        ];
      },
    },
  });
  await leader.client.createPerson({ body: { name: 'ada', role: 'administrator', password } });
  ada = await signIn(leader.url, 'ada', password);
});
afterAll(async () => {
  held.resolve();
  await leader[Symbol.asyncDispose]();
});

it('a caller has few exports waiting at a time', async () => {
  const body = { experiment: 'x', datasets: ['od_readings'], partition_by_unit: false, partition_by_experiment: false };
  const start = (operation: 'exportDatasets' | 'exportDatasetsToUsb' | 'exportContribDatasets') =>
    leader.api.call(operation, { body, headers: ada });
  for (let index = 0; index < 4; index += 1) (await start('exportDatasets')).expect(202);
  for (const operation of ['exportDatasets', 'exportDatasetsToUsb', 'exportContribDatasets'] as const)
    (await start(operation)).expect(429, 'too_many_exports');
  const headers = await signIn(leader.url, 'ada', password);
  (await leader.api.call('exportDatasets', { body, headers })).expect(202);
});

it('a session that floods is slowed down; its stops are accepted, and so are other sessions', async () => {
  const read = (headers: Record<string, string>) => fetch(`${leader.url}/api/experiments`, { headers });
  const flood = await Promise.all(Array.from({ length: 60 }, () => read(ada)));
  const refused = flood.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThanOrEqual(20);
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
  const stopped = await leader.api.call('stopUnitJobsOfExperiment', {
    params: { reactor_unit: '$broadcast', experiment: 'x' },
    headers: ada,
  });
  const accepted = stopped.expect(202);
  const other = await signIn(leader.url, 'ada', password);
  expect((await read(other)).status).toBe(200);
  // A leader that ends waits for the stops that it has accepted.
  await leader.finished(accepted, other);
});

it('nobody without an account can occupy the leader from one address', async () => {
  const ask = () => fetch(`${leader.url}/api/experiments`).then(({ status }) => status);
  const statuses = await Promise.all(Array.from({ length: 20 }, ask));
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(10);
});
