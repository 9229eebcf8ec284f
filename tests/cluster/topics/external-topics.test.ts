import { board12 } from '@lcs/hardware';
import { type StandInLeader, startStandInLeader, startUnit, testExperiment, type UnitUnderTest } from '@lcs/testkit';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { recordingBroker } from '../../../packages/leader/src/testing/recording-broker.ts';
import { est1Yaml, placeVial } from '../../routes/calibration-fixtures.ts';
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
/** Number of flashes of the status light. */
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
  await until(() =>
    broker.messages.some(({ topic, payload }) => topic.endsWith('/monitor/$state') && payload === 'ready'),
  );
});
afterEach(async () => {
  await unit[Symbol.asyncDispose]();
  await leader[Symbol.asyncDispose]();
  await broker.close();
});

/** Advances the unit's time until the condition is true. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  await vi.waitFor(
    async () => {
      await unit.clock.advance(1_000);
      if (!(await condition())) throw new Error('The condition is not true yet.');
    },
    { timeout: limitMs, interval: 20 },
  );
}

const settingOf = async (job_name: string, name: string): Promise<unknown> => {
  const { settings } = await unit.client.getJobSettings({ params: { job_name } });
  return Reflect.get(settings, name);
};

/** The topics of external programs, by the start of the table's line: their payload and its effect. */
const effects: Readonly<
  Record<string, { readonly payload: string; readonly hasEffect: () => boolean | Promise<boolean> }>
> = {
  'U/E/stirring/target_rpm/set': {
    payload: '480',
    hasEffect: async () => (await settingOf('stirring', 'target_rpm')) === 480,
  },
  '$broadcast/E/stirring/target_rpm/set': {
    payload: '470',
    hasEffect: async () => (await settingOf('stirring', 'target_rpm')) === 470,
  },
  'U/S/stirring/$state/set': {
    payload: 'sleeping',
    hasEffect: async () => (await settingOf('stirring', '$state')) === 'sleeping',
  },
  'U/S/monitor/versions/set': {
    payload: '{"app":"99.1.0"}',
    hasEffect: () =>
      broker.messages.some(({ topic, payload }) => topic.endsWith('/monitor/versions') && payload.includes('99.1.0')),
  },
  'U/S/monitor/flicker_led_response_okay': { payload: '1', hasEffect: () => flashes === 8 },
  'U/S/monitor/flicker_led_with_error_code': { payload: '4', hasEffect: () => flashes === 5 },
};

const topicOf = ({ topic }: Row): string =>
  `reactor/${topic.replace(/^U\//, 'unit1/').replace('/E/', `/${testExperiment.name}/`).replace('/S/', '/$experiment/')}`;

const external = (await readRows()).filter(({ publisher }) => publisher === 'outside');

it('covers every topic of external programs', () => {
  expect(external.map(({ topic }) => topic)).toEqual(Object.keys(effects));
});

it.each(external.map((row) => [row.topic, row] as const))('a message on %s has its effect', async (topic, row) => {
  const effect = effects[topic];
  if (effect === undefined) throw new Error('The effect of the topic is not declared.');
  expect(isOfKind(row.payload, effect.payload)).toBe(true);
  await unit.node.jobs.runOwn('stirring', {});
  // Light and speed before any message.
  await until(async () => (await settingOf('stirring', '$state')) === 'ready');
  flashes = 0;
  expect(await effect.hasEffect()).toBe(false);
  await broker.say(topicOf(row), effect.payload, row.qos === 0 ? 0 : row.qos === 1 ? 1 : 2);
  await until(effect.hasEffect);
});

it.each(['0', '9', 'x', '', '"4"'])('shows no code for the payload %j', async (payload) => {
  flashes = 0;
  await broker.say('reactor/unit1/$experiment/monitor/flicker_led_with_error_code', payload, 1);
  // A later message was received, so this one was too.
  await broker.say('reactor/unit1/$experiment/monitor/flicker_led_with_error_code', '2', 1);
  await until(() => flashes >= 3);
  await unit.clock.advance(30_000);
  expect(flashes).toBe(3);
});

it('publishes the fused optical density as declared in the table', async () => {
  await unit.client.createUnitEstimator({
    params: { device: 'od_fused' },
    body: { estimator_data: est1Yaml, set_as_active: true },
  });
  placeVial(unit, 0.5);
  await unit.node.jobs.runOwn('od_reading', {});
  const [row] = (await readRows()).filter(({ topic }) => topic === 'U/E/od_reading/od_fused');
  if (row === undefined) throw new Error('The table has no such line.');
  const published = () => broker.messages.filter(({ topic }) => topic === topicOf(row));
  await until(() => published().some(({ payload }) => payload.includes('od_fused')));
  await unit.client.stopJobs({ body: { job_name: 'od_reading' } });
  await until(() => published().at(-1)?.payload === '');
  expect(faultsOf(row, published())).toEqual([]);
}, 60_000);
