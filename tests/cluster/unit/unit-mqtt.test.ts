import { startLeader, startStandInLeader, startUnit, testExperiment } from '@lcs/testkit';
import { connectAsync } from 'mqtt';
import { expect, it, onTestFinished, vi } from 'vitest';

const branch = `reactor/unit1/${testExperiment.name}/stirring`;

it('publishes its jobs on retained topics, and receives commands from there', async () => {
  await using broker = await startLeader();
  await using leader = await startStandInLeader();
  const url = broker.node.mqttUrl ?? '';
  await using unit = await startUnit({ leaderUrl: leader.url, configure: { mqttUrl: () => url } });
  const client = await connectAsync(url);
  onTestFinished(() => client.endAsync());
  const retained = new Map<string, string>();
  const logs: string[] = [];
  client.on('message', (topic, payload) => {
    if (topic.includes('/logs/')) logs.push(`${topic} ${payload.toString()}`);
    retained.set(topic, payload.toString());
  });
  await client.subscribeAsync(['reactor/unit1/#']);
  await leader.put(unit.url);
  const run = async (job: string) => unit.finished(await unit.client.runJob({ params: { job }, body: {} }));
  expect(await run('stirring')).toMatchObject({ status: 'succeeded' });
  await vi.waitFor(() => expect(retained.get(`${branch}/$state`)).toBe('ready'), 5_000);
  // It began while this client subscribed: what is retained is asked for again.
  const monitor = 'reactor/unit1/$experiment/monitor/$state';
  await vi.waitFor(
    async () => {
      await client.subscribeAsync(monitor);
      expect(retained.get(monitor)).toBe('ready');
    },
    { timeout: 5_000, interval: 100 },
  );

  await client.publishAsync(`${branch}/target_rpm/set`, '300', { qos: 1 });
  await vi.waitFor(() => expect(Number(retained.get(`${branch}/target_rpm`))).toBe(300), 5_000);
  await client.publishAsync(`reactor/$broadcast/${testExperiment.name}/stirring/target_rpm/set`, '99999', { qos: 1 });
  await vi.waitFor(() => expect(logs.join('\n')).toContain(`${testExperiment.name}/logs/app/warning`), 5_000);
  await client.publishAsync(`${branch}/target_rpm/set`, 'fast', { qos: 1 });
  await vi.waitFor(() => expect(logs.join('\n')).toContain(`${testExperiment.name}/logs/app/error`), 5_000);
  expect(logs.at(-1)).toMatch(/target_rpm.*"task":"stirring"/);
  await unit.clock.advance(1_000);
  const feed = await leader.read(unit.url, { wait: 1_000 });
  expect(feed.records).toContainEqual(
    expect.objectContaining({ kind: 'log', level: 'ERROR', experiment_uid: testExperiment.uid }),
  );
  await client.publishAsync(`${branch}/$state/set`, 'disconnected', { qos: 1 });
  await vi.waitFor(() => expect(retained.get(`${branch}/$state`)).toBe('disconnected'), 5_000);
  // Empty: the broker has cleared the value.
  await vi.waitFor(() => expect(retained.get(`${branch}/target_rpm`)).toBe(''), 5_000);
});
