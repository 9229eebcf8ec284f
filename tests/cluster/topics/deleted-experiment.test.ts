import { startLeader, startUnit } from '@lcs/testkit';
import { connectAsync } from 'mqtt';
import { expect, it } from 'vitest';
import { recordingBroker } from '../../../packages/leader/src/testing/recording-broker.ts';
import { eventually } from '../units/eventually.ts';

const reactor_unit = 'unit1';
const experiment = 'ramp';

/** What a client that comes now is given at once, by the rest of the topic; ends when nothing more has come for a while. */
async function retainedAt(url: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const client = await connectAsync(url);
  client.on('message', (topic, payload) => found.set(topic.replace(`/${experiment}/`, ' '), payload.toString()));
  await client.subscribeAsync(`reactor/+/${experiment}/#`, { qos: 1 });
  // A broker gives what it has piece by piece: all is there when messages go to it and back and nothing more has come.
  for (let quiet = 0, known = 0; quiet < 10; quiet = found.size === known ? quiet + 1 : 0) {
    known = found.size;
    await client.publishAsync('turn', 'x', { qos: 1 });
  }
  await client.endAsync();
  return found;
}

it.each(['the broker of the leader', 'another broker'])(
  'shows nothing of a deleted experiment when its name is used again (%s)',
  async (which) => {
    const external = which === 'another broker' ? await recordingBroker() : undefined;
    try {
      await using leader = await startLeader(external ? { configure: { brokerUrl: external.url } } : {});
      const url = external?.url ?? leader.node.mqttUrl ?? '';
      await using unit = await startUnit({ configure: { leaderUrl: () => leader.url, mqttUrl: () => url } });
      await leader.client.registerWorker({ body: { reactor_unit } });
      const join = async () => {
        await leader.client.createExperiment({ body: { experiment } });
        await leader.client.assignWorker({ params: { experiment }, body: { reactor_unit } });
        await eventually(async () => {
          expect((await unit.client.getDesired()).parts.experiment?.state).toBe('applied');
          expect((await retainedAt(url)).has(`reactor/${reactor_unit} bioreactor/current_volume_ml`)).toBe(true);
        });
      };
      await join();
      const first = (await retainedAt(url)).get(`reactor/${reactor_unit} bioreactor/current_volume_ml`);
      // What the job of another unit, that is away by now, has left.
      const away = await connectAsync(url);
      await away.publishAsync(`reactor/away/${experiment}/stirring/$state`, 'ready', { retain: true, qos: 1 });
      await away.endAsync();
      await unit.client.setBioreactor({
        params: { experiment },
        body: { values: { current_volume_ml: 11, cumulative_media_added_ml: 7 } },
      });
      await eventually(async () => {
        const shown = await retainedAt(url);
        expect(shown.get(`reactor/${reactor_unit} bioreactor/current_volume_ml`)).toBe('11');
        expect(shown.get('reactor/away stirring/$state')).toBe('ready');
      });
      await leader.finished(await leader.client.deleteExperiment({ params: { experiment } }));
      await eventually(async () => expect([...(await retainedAt(url)).keys()]).toEqual([]));
      await join();
      const shown = await retainedAt(url);
      expect(shown.get(`reactor/${reactor_unit} bioreactor/current_volume_ml`)).toBe(first);
      expect(shown.get(`reactor/${reactor_unit} bioreactor/cumulative_media_added_ml`)).toBe('0');
      expect([...shown.keys()].filter((key) => !key.includes(' bioreactor/'))).toEqual([]);
    } finally {
      await external?.close();
    }
  },
  60_000,
);
