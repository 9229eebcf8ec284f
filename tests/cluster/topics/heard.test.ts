import { board12 } from '@lcs/hardware';
import { type StandInLeader, startStandInLeader, startUnit, testExperiment, type UnitUnderTest } from '@lcs/testkit';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { recordingBroker } from '../../../packages/leader/src/testing/recording-broker.ts';
import { est1Yaml, placeVial } from '../../routes/calibration-scenes.ts';
import { configFile, xrModel } from './four-photodiodes.ts';
import { isOfKind } from './payloads.ts';
import { faultsOf, type Row, readRows } from './topic-table.ts';

const limitMs = 20_000;
const config = `[od_config.photodiode_channel]
1=REF
2=90
3=135
4=45

[od_reading.config]
ir_led_intensity=80
`;

let broker: Awaited<ReturnType<typeof recordingBroker>>;
let leader: StandInLeader;
let unit: UnitUnderTest;
/** How often the small light went on. */
let flashes: number;

beforeEach(async () => {
  broker = await recordingBroker();
  leader = await startStandInLeader();
  const layout = { ...board12, photodiodes: { 1: 0x48, 2: 0x49, 3: 0x4a, 4: 0x4b } };
  unit = await startUnit({
    leaderUrl: leader.url,
    configure: { mqttUrl: () => broker.url, board: { kind: 'here', seed: 1, layout } },
  });
  await leader.put(unit.url, {
    experiment: testExperiment,
    model: xrModel,
    config: { shared: configFile(config, 1), own: configFile('', 1) },
  });
  flashes = 0;
  const { gpio } = unit.node.board.buses;
  const { setOutput } = gpio;
  Object.assign(gpio, {
    setOutput: async (line: number, isHigh: boolean) => {
      if (line === layout.statusLightLine && isHigh) flashes += 1;
      await setOutput.call(gpio, line, isHigh);
    },
  });
  await happens(() =>
    broker.messages.some(({ topic, payload }) => topic.endsWith('/monitor/$state') && payload === 'ready'),
  );
});
afterEach(async () => {
  await unit[Symbol.asyncDispose]();
  await leader[Symbol.asyncDispose]();
  await broker.close();
});

/** Lets the unit's time pass until it is so. */
async function happens(isSo: () => boolean | Promise<boolean>): Promise<void> {
  await vi.waitFor(
    async () => {
      await unit.clock.advance(1_000);
      if (!(await isSo())) throw new Error('It is not so yet.');
    },
    { timeout: limitMs, interval: 20 },
  );
}

const settingOf = async (job_name: string, name: string): Promise<unknown> => {
  const { settings } = await unit.client.getJobSettings({ params: { job_name } });
  return Reflect.get(settings, name);
};

/** The topics of external programs, by the start of the table's line: their payload and its effect. */
const effects: Readonly<Record<string, { readonly says: string; readonly comes: () => boolean | Promise<boolean> }>> = {
  'U/E/stirring/target_rpm/set': {
    says: '480',
    comes: async () => (await settingOf('stirring', 'target_rpm')) === 480,
  },
  '$broadcast/E/stirring/target_rpm/set': {
    says: '470',
    comes: async () => (await settingOf('stirring', 'target_rpm')) === 470,
  },
  'U/S/stirring/$state/set': {
    says: 'sleeping',
    comes: async () => (await settingOf('stirring', '$state')) === 'sleeping',
  },
  'U/S/monitor/versions/set': {
    says: '{"app":"99.1.0"}',
    comes: () =>
      broker.messages.some(({ topic, payload }) => topic.endsWith('/monitor/versions') && payload.includes('99.1.0')),
  },
  'U/S/monitor/flicker_led_response_okay': { says: '1', comes: () => flashes === 8 },
  'U/S/monitor/flicker_led_with_error_code': { says: '4', comes: () => flashes === 5 },
};

const topicOf = ({ topic }: Row): string =>
  `reactor/${topic.replace(/^U\//, 'unit1/').replace('/E/', `/${testExperiment.name}/`).replace('/S/', '/$experiment/')}`;

const outside = (await readRows()).filter(({ publisher }) => publisher === 'outside');

it('every topic of outside programs is tried here', () => {
  expect(outside.map(({ topic }) => topic)).toEqual(Object.keys(effects));
});

it.each(outside.map((row) => [row.topic, row] as const))('what is said on %s is heard', async (topic, row) => {
  const effect = effects[topic];
  if (effect === undefined) throw new Error('It is not known what comes of it.');
  expect(isOfKind(row.payload, effect.says)).toBe(true);
  await unit.node.jobs.runOwn('stirring', {});
  // Light and speed before any message.
  await happens(async () => (await settingOf('stirring', '$state')) === 'ready');
  flashes = 0;
  expect(await effect.comes()).toBe(false);
  await broker.say(topicOf(row), effect.says, row.qos === 0 ? 0 : row.qos === 1 ? 1 : 2);
  await happens(effect.comes);
});

it.each(['0', '9', 'x', '', '"4"'])('no code is shown for the payload %j', async (payload) => {
  flashes = 0;
  await broker.say('reactor/unit1/$experiment/monitor/flicker_led_with_error_code', payload, 1);
  // A later message was received, so this one was too.
  await broker.say('reactor/unit1/$experiment/monitor/flicker_led_with_error_code', '2', 1);
  await happens(() => flashes >= 3);
  await unit.clock.advance(30_000);
  expect(flashes).toBe(3);
});

it('the fused optical density is on its topic as the table says', async () => {
  await unit.client.createUnitEstimator({
    params: { device: 'od_fused' },
    body: { estimator_data: est1Yaml, set_as_active: true },
  });
  placeVial(unit, 0.5);
  await unit.node.jobs.runOwn('od_reading', {});
  const [row] = (await readRows()).filter(({ topic }) => topic === 'U/E/od_reading/od_fused');
  if (row === undefined) throw new Error('The table has no such line.');
  const told = () => broker.messages.filter(({ topic }) => topic === topicOf(row));
  await happens(() => told().some(({ payload }) => payload.includes('od_fused')));
  await unit.client.stopJobs({ body: { job_name: 'od_reading' } });
  await happens(() => told().at(-1)?.payload === '');
  expect(faultsOf(row, told())).toEqual([]);
}, 60_000);
