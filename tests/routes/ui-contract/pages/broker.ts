import { connectAsync, type MqttClient } from 'mqtt';
import { expect } from 'vitest';
import { eventually } from '../../../cluster/units/eventually.ts';
import type { Fixture } from '../fixture.ts';
import type { UiPage } from '../page.ts';
import { faults, type Shape } from '../shape.ts';
import { simplyParsed } from './shell.ts';

/** Received messages by topic: the newest retained one, and the newest other one. */
interface Listener extends AsyncDisposable {
  readonly retained: ReadonlyMap<string, string>;
  readonly live: ReadonlyMap<string, string>;
}

/** Connects as the interface does: by WebSocket, to the broker of the shared configuration. */
async function listening({ leader }: Fixture, filters: readonly string[]): Promise<Listener> {
  const mqtt = simplyParsed(await leader.client.getSharedConfig()).get('mqtt');
  const address = `${mqtt?.get('ws_protocol')}://${mqtt?.get('broker_address')}:${mqtt?.get('broker_ws_port')}/mqtt`;
  const client: MqttClient = await connectAsync(address, {
    protocolVersion: 4,
    clean: true,
    keepalive: 120,
    connectTimeout: 1_000,
    reconnectPeriod: 0,
  });
  const retained = new Map<string, string>();
  const live = new Map<string, string>();
  client.on('message', (topic, payload, packet) => {
    (packet.retain ? retained : live).set(topic, payload.toString());
  });
  await client.subscribeAsync([...filters], { qos: 0 });
  return { retained, live, [Symbol.asyncDispose]: () => client.endAsync(true) };
}

const inE = 'reactor/unit1/yeast ramp 07';

/** Waits, while time passes, until the topics have payloads of these shapes; a shape of text is that of the payload itself. */
async function expectPublished(
  scene: Fixture,
  from: ReadonlyMap<string, string>,
  shapes: Readonly<Record<string, Shape>>,
) {
  await eventually(async () => {
    await scene.leader.clock.advance(1_000);
    const found = Object.entries(shapes).flatMap(([topic, shape]) => {
      const payload = from.get(topic);
      if (payload === undefined) return [`nothing on ${topic}`];
      return faults(typeof shape === 'string' ? payload : JSON.parse(payload), shape, topic);
    });
    expect(found).toEqual([]);
  });
}

export const broker: UiPage = {
  title: 'Live messages (MQTT over WebSocket)',
  testFile: 'broker.test.ts',
  requests: [],
  rules: [
    {
      rule: '`reactor/U/$experiment/monitor/$state` and `reactor/U/E/{job}/$state` are retained states',
      level: 'required',
      shows: async (scene) => {
        await using listener = await listening(scene, ['reactor/unit1/#']);
        await expectPublished(scene, listener.retained, {
          'reactor/unit1/$experiment/monitor/$state': 'text',
          [`${inE}/stirring/$state`]: 'text',
          [`${inE}/od_reading/$state`]: 'text',
          [`${inE}/temperature_automation/$state`]: 'text',
        });
        expect(listener.retained.get('reactor/unit1/$experiment/monitor/$state')).toBe('ready');
        expect(listener.retained.get(`${inE}/stirring/$state`)).toBe('ready');
      },
    },
    {
      rule: '`reactor/U/$experiment/monitor/{versions,ipv4}` are retained: JSON with `app`; text',
      level: 'feature',
      shows: async (scene) => {
        await using listener = await listening(scene, ['reactor/+/$experiment/monitor/+']);
        await expectPublished(scene, listener.retained, {
          'reactor/unit1/$experiment/monitor/versions': { app: 'text' },
          'reactor/unit1/$experiment/monitor/ipv4': 'text',
        });
      },
    },
    {
      rule: 'the leader publishes the same topics even if it is not a worker: state, version and address',
      level: 'feature',
      shows: async (scene) => {
        await using listener = await listening(scene, ['reactor/lead/#']);
        await expectPublished(scene, listener.retained, {
          'reactor/lead/$experiment/monitor/$state': 'text',
          'reactor/lead/$experiment/monitor/versions': { app: 'text' },
          'reactor/lead/$experiment/monitor/ipv4': 'text',
          'reactor/lead/$experiment/mqtt_to_db_streaming/$state': 'text',
        });
        expect(listener.retained.get('reactor/lead/$experiment/monitor/$state')).toBe('ready');
        expect(listener.retained.get('reactor/lead/$experiment/mqtt_to_db_streaming/$state')).toBe('ready');
      },
    },
    {
      rule: '`reactor/U/E/{job}/{setting}` is the value as retained text',
      level: 'feature',
      shows: async (scene) => {
        await using listener = await listening(scene, [`${inE}/+/+`]);
        await expectPublished(scene, listener.retained, {
          [`${inE}/stirring/target_rpm`]: 'text',
          [`${inE}/temperature_automation/automation_name`]: 'text',
        });
        expect(Number(listener.retained.get(`${inE}/stirring/target_rpm`))).toBe(450);
        expect(listener.retained.get(`${inE}/temperature_automation/automation_name`)).toBe('thermostat');
      },
    },
    {
      rule: 'charts receive live points: JSON with the payload key and `timestamp`, or a number, also as messages that are not retained',
      level: 'required',
      shows: async (scene) => {
        await using listener = await listening(scene, [`${inE}/#`]);
        const charts = await scene.leader.client.listChartDescriptors();
        const running = ['optical_density', 'temperature', 'implied_growth_rate', 'normalized_optical_density'];
        const shapes = running.flatMap((key): readonly (readonly [string, Shape])[] => {
          const { mqtt_topic, payload_key } = charts.find(({ chart_key }) => chart_key === key) ?? {};
          const topics = [mqtt_topic ?? []].flat();
          // Of the four sensors the board has one.
          const topic = topics.find((each) => each.endsWith('od2')) ?? topics[0];
          return [[`${inE}/${topic}`, payload_key ? { [payload_key]: 'number', timestamp: 'time' } : 'text']];
        });
        expect(shapes).toHaveLength(running.length);
        await expectPublished(scene, listener.live, Object.fromEntries(shapes));
      },
    },
    {
      rule: '`reactor/U/E/bioreactor/{key}` is a number, `leds/intensity` and `pwms/dc` are JSON by output',
      level: 'feature',
      shows: async (scene) => {
        await using listener = await listening(scene, [`${inE}/+/+`]);
        const params = { reactor_unit: 'unit1', experiment: 'yeast ramp 07' };
        const body = { values: { current_volume_ml: 12.5 } };
        await scene.leader.finished(await scene.leader.client.updateBioreactor({ params, body }));
        await eventually(() => {
          const received = listener.live.get(`${inE}/bioreactor/current_volume_ml`);
          expect(Number(received ?? 'nothing')).toBe(12.5);
        });
        await expectPublished(scene, listener.retained, {
          [`${inE}/leds/intensity`]: { A: 'number' },
          [`${inE}/pwms/dc`]: { '*': 'number' },
        });
      },
    },
    {
      rule: '`reactor/U/E/logs/{source}/{level}` is JSON with message, task (text), level in upper case, timestamp, source',
      level: 'feature',
      shows: async (scene) => {
        await using listener = await listening(scene, ['reactor/+/yeast ramp 07/logs/+/info']);
        const params = { reactor_unit: 'unit1', experiment: 'yeast ramp 07' };
        const body = { message: 'Seen', level: 'INFO', source: 'UI', task: 'note', timestamp: '2026-01-01T00:00:00Z' };
        await scene.leader.client.postWorkerLog({ params, body });
        await eventually(() => {
          const received = [...listener.live].find(([, payload]) => payload.includes('Seen'));
          expect(received?.[0]).toMatch(/^reactor\/unit1\/yeast ramp 07\/logs\/[^/]+\/info$/);
          const row = { message: '"Seen"', task: 'text', level: '"INFO"', timestamp: 'time', source: 'text' };
          expect(faults(JSON.parse(received?.[1] ?? ''), row)).toEqual([]);
        });
      },
    },
    {
      rule: 'a stop publishes `disconnected`, a pause `sleeping`, a resume `ready`; a cleared setting is empty',
      level: 'required',
      shows: async (scene) => {
        await using listener = await listening(scene, [`${inE}/stirring/#`]);
        const params = { reactor_unit: 'unit1', experiment: 'yeast ramp 07', job: 'stirring' };
        for (const $state of ['sleeping', 'ready', 'disconnected']) {
          await scene.leader.client.updateWorkerJob({ params, body: { settings: { $state } } });
          await eventually(() => expect(listener.live.get(`${inE}/stirring/$state`)).toBe($state));
        }
        await eventually(() => expect(listener.live.get(`${inE}/stirring/target_rpm`)).toBe(''));
      },
    },
  ],
};
