import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LeaderUnderTest, startLeader, temporaryFolder } from '@lcs/testkit';
import mqtt from 'mqtt';
import { afterEach, describe, expect, it } from 'vitest';

const ending: (() => PromiseLike<unknown>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

async function start(options: Parameters<typeof startLeader>[0] = {}): Promise<LeaderUnderTest> {
  const leader = await startLeader(options);
  ending.push(() => leader[Symbol.asyncDispose]());
  return leader;
}

/** The first message that a new client is given on the topic. */
async function firstMessage(url: string, topic: string): Promise<string> {
  const client = await mqtt.connectAsync(url, { protocolVersion: 4, reconnectPeriod: 0 });
  ending.push(() => client.endAsync(true));
  const arrived = new Promise<string>((resolve) => client.once('message', (_, payload) => resolve(String(payload))));
  await client.subscribeAsync(topic);
  return arrived;
}

async function assign(leader: LeaderUnderTest, unit: string): Promise<void> {
  await leader.client.createExperiment({ body: { experiment: 'a' } });
  await leader.client.registerWorker({ body: { reactor_unit: unit } });
  await leader.client.assignWorker({ params: { experiment: 'a' }, body: { reactor_unit: unit } });
}

const assignmentOf = (unit: string) => `reactor/${unit}/$experiment/assignment`;

describe('the leader’s broker', () => {
  it('is reached by WebSocket on the HTTP port, and serves no page there', async () => {
    const leader = await start();
    await assign(leader, 'rx01');
    const message = await firstMessage(`${leader.url.replace('http', 'ws')}/mqtt`, assignmentOf('rx01'));
    expect(JSON.parse(message)).toMatchObject({ reactor_unit: 'rx01', experiment: 'a' });
    const plain = await fetch(`${leader.url}/mqtt`);
    expect([plain.status, plain.headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
  });

  it('stops within five seconds while WebSocket clients are connected', async () => {
    const leader = await start();
    const client = await mqtt.connectAsync(`${leader.url.replace('http', 'ws')}/mqtt`, { reconnectPeriod: 0 });
    const closed = new Promise((resolve) => client.once('close', () => resolve(undefined)));
    const startedMs = performance.now();
    await leader.node.stop();
    await closed;
    expect(performance.now() - startedMs).toBeLessThan(5000);
  });

  it('may be external: the leader publishes there, and units and pages receive its address', async () => {
    const other = await start();
    const leader = await start({ configure: { brokerUrl: other.node.mqttUrl ?? '' } });
    expect(leader.node.mqttUrl).toBe(other.node.mqttUrl);
    await assign(leader, 'rx02');
    const message = await firstMessage(other.node.mqttUrl ?? '', assignmentOf('rx02'));
    expect(JSON.parse(message)).toMatchObject({ reactor_unit: 'rx02', experiment: 'a' });
    const config = await leader.client.getSharedConfig();
    expect(config).toContain(`broker_port=${new URL(other.node.mqttUrl ?? '').port}\n`);
    await expect(
      mqtt.connectAsync(`${leader.url.replace('http', 'ws')}/mqtt`, { reconnectPeriod: 0 }, false),
    ).rejects.toThrow();
  });

  it('may be off: everything else works', async () => {
    await using folder = await temporaryFolder('leader');
    await writeFile(join(folder.path, 'leader.ini'), '[broker]\nmode=off\n');
    const leader = await start({ dataFolder: folder.path });
    expect(leader.node.mqttUrl).toBeUndefined();
    await assign(leader, 'rx03');
    await leader.node.stop();
  });

  it('does not start a leader with an invalid leader.ini, and names the key', async () => {
    await using folder = await temporaryFolder('leader');
    await writeFile(join(folder.path, 'leader.ini'), '[broker]\nmode=mosquitto\n');
    await expect(startLeader({ dataFolder: folder.path })).rejects.toThrow(/leader\.ini.*'mode'.*\[broker\]/);
  });
});
