import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LiveEventName, leaderApi, liveEvents } from '@lcs/contract';
import { type LeaderUnderTest, startLeader, temporaryFolder } from '@lcs/testkit';
import mqtt from 'mqtt';
import { Value } from 'typebox/value';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { observe } from '../observe.ts';

let leader: LeaderUnderTest;
beforeEach(async () => {
  leader = await startLeader({ observe });
});
afterEach(() => leader[Symbol.asyncDispose]());

interface Event {
  readonly id: string;
  readonly name: string;
  readonly data: Record<string, unknown>;
}

const isLiveEventName = (name: string): name is LiveEventName => Object.hasOwn(liveEvents, name);
const isAsDeclared = ({ name, data }: Event) => isLiveEventName(name) && Value.Check(liveEvents[name], data);

/** Follows the stream as a browser would. */
async function* follow(lastEventId?: string): AsyncGenerator<Event> {
  const response = await fetch(`${leader.url}/api/live`, {
    headers: lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  observe(leaderApi.followLive, response.status, 'asserted');
  let text = '';
  for await (const chunk of (response.body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line) => [line.split(': ', 1)[0], line.slice(line.indexOf(': ') + 2)]),
      );
      const data = fields.get('data');
      if (!data) continue;
      const event: Event = { id: fields.get('id') ?? '', name: fields.get('event') ?? '', data: JSON.parse(data) };
      expect(isAsDeclared(event), `${event.name} ${data}`).toBe(true);
      yield event;
    }
  }
}

/** The next event of that name; others that come before it are kept for later. */
function reader(events: AsyncGenerator<Event>) {
  const passed: Event[] = [];
  return {
    next: async (name: string): Promise<Event> => {
      const index = passed.findIndex((event) => event.name === name);
      const [found] = index < 0 ? [] : passed.splice(index, 1);
      if (found) return found;
      for (;;) {
        const { value, done } = await events.next();
        if (done) throw new Error(`the stream ended before ${name}`);
        if (value.name === name) return value;
        passed.push(value);
      }
    },
    stop: () => events.return(undefined),
  };
}

describe('the live stream', () => {
  it('starts with a snapshot, and continues with each change as the routes show it', async () => {
    await leader.client.createExperiment({ body: { experiment: 'a' } });
    const events = reader(follow());
    const snapshot = await events.next('snapshot');
    expect(snapshot.data).toMatchObject({ leader: 'lead', experiments: [{ experiment: 'a' }], workers: [], tasks: [] });
    const created = await leader.client.createExperiment({ body: { experiment: 'b', tags: ['x'] } });
    expect((await events.next('experiment')).data).toEqual(created);
    expect((await events.next('log')).data).toMatchObject({
      experiment: 'b',
      level: 'INFO',
      task: 'create_experiment',
    });
    await leader.client.registerWorker({ body: { reactor_unit: 'rx01' } });
    expect((await events.next('worker')).data).toEqual(
      await leader.client.getWorker({ params: { reactor_unit: 'rx01' } }),
    );
    expect((await events.next('assignment')).data).toMatchObject({ reactor_unit: 'rx01', experiment: null });
    await leader.client.assignWorker({ params: { experiment: 'b' }, body: { reactor_unit: 'rx01' } });
    expect((await events.next('assignment')).data).toEqual({ reactor_unit: 'rx01', experiment: 'b', is_active: 1 });
    await leader.client.putUnitLabel({ params: { experiment: 'b' }, body: { unit: 'rx01', label: 'Control' } });
    expect((await events.next('labels')).data).toEqual({ experiment: 'b', labels: { rx01: 'Control' } });
    await leader.client.updateChartPreferences({ params: { experiment: 'b' }, body: { overview_chart_keys: [] } });
    expect((await events.next('chart_preferences')).data).toMatchObject({ experiment: 'b', overview_chart_keys: [] });
    await leader.client.saveSharedConfig({ body: { code: await leader.client.getSharedConfig() } });
    expect((await events.next('config')).data).toMatchObject({ filename: 'config.ini' });
    const accepted = await leader.client.deleteExperiment({ params: { experiment: 'b' } });
    expect((await events.next('experiment_deleted')).data).toEqual({ experiment: 'b' });
    expect((await events.next('task')).data).toMatchObject({ task_id: accepted.task_id });
    await leader.client.removeWorker({ params: { reactor_unit: 'rx01' } });
    expect((await events.next('worker_deleted')).data).toEqual({ reactor_unit: 'rx01' });
    await events.stop();
  });

  it('resumes a reader without losing or repeating an event', async () => {
    const first = reader(follow());
    const { id } = await first.next('snapshot');
    await first.stop();
    await leader.client.createExperiment({ body: { experiment: 'meanwhile' } });
    const again = follow(id);
    const names = [(await again.next()).value?.name, (await again.next()).value?.name];
    expect(names.sort()).toEqual(['experiment', 'log']);
    await again.return(undefined);
  });

  it('starts with a snapshot for an ID of another run', async () => {
    const events = follow('other-17');
    expect((await events.next()).value).toMatchObject({ name: 'snapshot' });
    await events.return(undefined);
  });
});

const connected = (client: mqtt.MqttClient) => new Promise<void>((resolve) => client.once('connect', () => resolve()));
const message = (client: mqtt.MqttClient) =>
  new Promise<{ topic: string; payload: Buffer; packet: mqtt.IPublishPacket }>((resolve) =>
    client.once('message', (topic, payload, packet) => resolve({ topic, payload, packet })),
  );

describe('the broker', () => {
  it('retains the assignment of each worker, and null when it ended', async () => {
    await leader.client.createExperiment({ body: { experiment: 'a' } });
    await leader.client.registerWorker({ body: { reactor_unit: 'rx01' } });
    await leader.client.assignWorker({ params: { experiment: 'a' }, body: { reactor_unit: 'rx01' } });
    const at = new Date(leader.clock.now()).toISOString();
    const client = mqtt.connect(leader.node.mqttUrl ?? '', { protocolVersion: 4 });
    await connected(client);
    const arrived = message(client);
    await client.subscribeAsync('reactor/+/$experiment/assignment');
    const { topic, payload, packet } = await arrived;
    expect(topic).toBe('reactor/rx01/$experiment/assignment');
    expect(packet).toMatchObject({ retain: true, qos: 0 });
    expect(JSON.parse(String(payload))).toEqual({
      reactor_unit: 'rx01',
      experiment: 'a',
      assigned_at: at,
      updated_at: at,
    });
    const ended = message(client);
    await leader.finished(await leader.client.deleteExperiment({ params: { experiment: 'a' } }));
    expect(JSON.parse(String((await ended).payload))).toMatchObject({
      reactor_unit: 'rx01',
      experiment: null,
      assigned_at: null,
    });
    await client.endAsync();
  });

  it('publishes log entries under their experiment', async () => {
    const client = mqtt.connect(leader.node.mqttUrl ?? '', { protocolVersion: 4 });
    await connected(client);
    await client.subscribeAsync('reactor/+/+/logs/#');
    const arrived = message(client);
    await leader.client.createExperiment({ body: { experiment: 'a' } });
    const { topic, payload } = await arrived;
    expect(topic).toBe('reactor/lead/a/logs/ui/info');
    expect(JSON.parse(String(payload))).toEqual({
      message: expect.any(String),
      task: 'create_experiment',
      source: 'ui',
      level: 'INFO',
      timestamp: new Date(leader.clock.now()).toISOString(),
    });
    await client.endAsync();
  });
});

describe('limits', () => {
  it('of connections are those of leader.ini: one more is refused with 503 until one ends', async () => {
    await using folder = await temporaryFolder('limited');
    await writeFile(join(folder.path, 'leader.ini'), '[http]\nlive_connections=2\n');
    await using limited = await startLeader({ observe, dataFolder: folder.path });
    const open = async () => {
      const ending = new AbortController();
      const response = await fetch(`${limited.url}/api/live`, { signal: ending.signal });
      return { response, end: () => ending.abort() };
    };
    const [first, second] = [await open(), await open()];
    expect([first.response.status, second.response.status]).toEqual([200, 200]);
    const { response: refused } = await open();
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await refused.json()).toMatchObject({ code: 'too_many_live_connections' });
    observe(leaderApi.followLive, 503, 'asserted');
    first.end();
    await vi.waitFor(
      async () => {
        const again = await open();
        expect(again.response.status).toBe(200);
        again.end();
      },
      { timeout: 10_000 },
    );
    second.end();
  });
});
