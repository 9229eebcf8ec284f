import { startLeader, startUnit } from '@lcs/testkit';
import { connectAsync, type MqttClient } from 'mqtt';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { isMosquittoInstalled, mosquittoBroker } from '../../../packages/leader/src/testing/test-brokers.ts';

const [reactor_unit, experiment] = ['unit1', 'ramp 7'];
const monitorState = `reactor/${reactor_unit}/$experiment/monitor/$state`;
const branch = `reactor/${reactor_unit}/${experiment}`;

async function subscriber(url: string) {
  const client: MqttClient = await connectAsync(url);
  onTestFinished(() => client.endAsync(true));
  const received = new Map<string, string>();
  const retained = new Set<string>();
  client.on('message', (topic, payload, { retain }) => {
    received.set(topic, payload.toString());
    if (retain) retained.add(topic);
  });
  await client.subscribeAsync('reactor/#', { qos: 2 });
  return { client, received, retained };
}

const within = { timeout: 20_000, interval: 50 };

describe.skipIf(!isMosquittoInstalled)('a leader and a unit on Mosquitto (skipped where it is not installed)', () => {
  it('publish assignments, logs, states and values, receive commands, and publish all again to a broker that lost them', async () => {
    let broker = await mosquittoBroker();
    onTestFinished(() => broker.close());
    const port = Number(new URL(broker.tcpUrl).port);
    await using leader = await startLeader({ configure: { brokerUrl: broker.tcpUrl } });
    const { client, clock } = leader;
    expect(leader.node.mqttUrl).toBe(broker.tcpUrl);
    const early = await subscriber(broker.tcpUrl);
    // The unit learns where the broker is from the configuration that the leader gives it.
    await using unit = await startUnit({ leaderUrl: leader.url, clock, usesBroker: true });
    await client.createExperiment({ body: { experiment } });
    await client.registerWorker({ body: { reactor_unit, model_name: 'reactor_40ml', model_version: '1.5' } });
    await client.assignWorker({ params: { experiment }, body: { reactor_unit } });
    const assignment = `reactor/${reactor_unit}/$experiment/assignment`;
    await vi.waitFor(
      () => expect(early.received.get(assignment) ?? '').toContain(`"experiment":"${experiment}"`),
      within,
    );
    await vi.waitFor(() => expect([...early.received.keys()].join()).toContain('reactor/lead/'), within);
    await vi.waitFor(
      async () => expect((await unit.client.getDesired()).parts).toMatchObject({ experiment: { state: 'applied' } }),
      within,
    );
    // From now on it is connected: what is not retained is not kept for later.
    await vi.waitFor(() => expect(early.received.get(monitorState)).toBe('ready'), within);
    const start = { params: { job: 'stirring' }, body: {} };
    expect(await unit.finished(await unit.client.runJob(start))).toMatchObject({ status: 'succeeded' });
    await vi.waitFor(() => expect(early.received.get(`${branch}/stirring/$state`)).toBe('ready'), within);
    await clock.advance(2_000);
    await vi.waitFor(() => expect(early.received.get(`${branch}/logs/app/info`) ?? '').toContain('Ready.'), within);
    await vi.waitFor(() => expect(early.received.get(`${branch}/pwms/dc`) ?? '').toContain('17'), within);
    await early.client.publishAsync(`${branch}/stirring/target_rpm/set`, '300', { qos: 1 });
    await vi.waitFor(() => expect(Number(early.received.get(`${branch}/stirring/target_rpm`))).toBe(300), within);

    await broker.close();
    broker = await mosquittoBroker({ port });
    const late = await subscriber(broker.webSocketUrl);
    const remembered = [
      assignment,
      monitorState,
      `${branch}/stirring/$state`,
      `${branch}/stirring/target_rpm`,
      `${branch}/pwms/dc`,
    ];
    await vi.waitFor(() => expect([...late.received.keys()]).toEqual(expect.arrayContaining(remembered)), within);
    expect(Object.keys(JSON.parse(late.received.get(`${branch}/pwms/dc`) ?? '{}'))).toEqual(['17']);
    await late.client.publishAsync(`${branch}/stirring/$state/set`, 'disconnected', { qos: 1 });
    await vi.waitFor(() => expect(late.received.get(`${branch}/stirring/$state`)).toBe('disconnected'), within);
    await vi.waitFor(() => expect(late.received.get(`${branch}/pwms/dc`)).toBe('{}'), within);

    const after = await subscriber(broker.tcpUrl);
    await vi.waitFor(() => expect(after.retained).toContain(`${branch}/stirring/$state`), within);
    expect(after.retained).not.toContain(`${branch}/stirring/target_rpm`);
  }, 60_000);
});
