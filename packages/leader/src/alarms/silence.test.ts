import { describe, expect, it } from 'vitest';
import { startTestAlarms, store, type TestAlarms, testJob, withExperiment } from '../testing/test-alarms.ts';
import { temporaryFolder } from '../testing/test-leader.ts';

const hour = 3_600;

const thermostat = (about: Parameters<typeof testJob>[0] = {}) =>
  testJob({ job_name: 'temperature_automation', ...about });
const reads = (alarms: TestAlarms, value: number, source = 'temperature') =>
  store(alarms, { kind: 'sample', series: 0, value }, false, source);
const ends = (alarms: TestAlarms, reason: string) =>
  store(alarms, {
    kind: 'state',
    experiment_uid: 'uid-a',
    job_id: 1,
    job_name: 'temperature_automation',
    source: null,
    state: 'disconnected',
    reason,
  });
const of = (alarms: TestAlarms, rule: string) => alarms.open().filter((alarm) => alarm.rule === rule);

/** rx01 in its experiment with a vial that is too hot, and the alarm about it. */
async function withHotVial(alarms: TestAlarms): Promise<void> {
  await alarms.unit('rx01');
  await withExperiment(alarms, 'rx01');
  alarms.jobs.push(thermostat());
  reads(alarms, 55);
  await alarms.pass(90);
  expect(of(alarms, 'temperature_out_of_range')).toMatchObject([{ is_active: true }]);
}
const isHot = (alarms: TestAlarms) => of(alarms, 'temperature_out_of_range')[0]?.is_active;
const allClear = (alarms: TestAlarms) => alarms.entries().filter((entry) => /Over: rx01: temperature was/.test(entry));

describe('an alarm about a value that is not updated any more', () => {
  it('stays when its unit goes away, and ends with a good reading only', async () => {
    await using alarms = await startTestAlarms();
    await withHotVial(alarms);
    await alarms.unit('rx01', { liveness: 'offline' });
    alarms.jobs[0] = thermostat({ state: 'lost' });
    await alarms.pass(6 * hour);
    expect([isHot(alarms), allClear(alarms)]).toEqual([true, []]);
    await alarms.unit('rx01', { liveness: 'online' });
    alarms.jobs[0] = thermostat();
    await alarms.pass(hour);
    expect([isHot(alarms), allClear(alarms)]).toEqual([true, []]);
    reads(alarms, 37);
    await alarms.pass(90);
    expect([isHot(alarms), allClear(alarms).length]).toEqual([false, 1]);
  });

  it('stays when the sensor is silent or the job fails, and ends when the job was stopped', async () => {
    await using alarms = await startTestAlarms();
    await withHotVial(alarms);
    await alarms.pass(hour);
    expect([isHot(alarms), allClear(alarms)]).toEqual([true, []]);
    alarms.jobs.pop();
    ends(alarms, 'The sensor does not answer.');
    await alarms.pass(hour);
    expect([isHot(alarms), allClear(alarms)]).toEqual([true, []]);
    ends(alarms, 'stopped');
    await alarms.pass(90);
    expect([isHot(alarms), allClear(alarms).length]).toEqual([false, 1]);
  });

  it('ends when the unit has left that experiment', async () => {
    await using alarms = await startTestAlarms();
    await withHotVial(alarms);
    const { database } = alarms.context;
    await database.write((transaction) => transaction.deleteFrom('assignments').execute());
    await alarms.pass(hour);
    expect(isHot(alarms)).toBe(false);
  });

  it('stays over a restart of the leader, unless the job had ended without a reported failure', async () => {
    for (const hasFailed of [true, false]) {
      await using folder = await temporaryFolder();
      const first = await startTestAlarms({ dataFolder: folder.path });
      await withHotVial(first);
      const identity = { machine_id: 'm', boot: 1, mono: 1, at: first.clock.now(), experiment_uid: 'uid-a' };
      const ended = { job_name: 'temperature_automation', setting: '$state', job_id: 1, value: '"disconnected"' };
      const failure = { name: 'job_ended', source: 'temperature_automation', message: null, flags: 0 };
      await first.context.database.write(async (transaction) => {
        await transaction
          .insertInto('last_known')
          .values({ reactor_unit: 'rx01', ...identity, ...ended })
          .execute();
        if (hasFailed)
          await transaction
            .insertInto('events')
            .values({ reactor_unit: 'rx01', ...identity, ...failure, data: '{"job_id":1,"ok":false}' })
            .execute();
      });
      await first.end();
      await using second = await startTestAlarms({ dataFolder: folder.path, clock: first.clock });
      await second.unit('rx01');
      await second.pass(hour);
      expect([hasFailed, isHot(second)]).toEqual([hasFailed, hasFailed]);
    }
  });

  it('does not come and go when readings are half an hour apart', async () => {
    await using alarms = await startTestAlarms();
    await alarms.unit('rx01');
    await withExperiment(alarms, 'rx01');
    alarms.jobs.push(testJob({ settings: { interval: 1_800 } }));
    await alarms.rules.update('od_out_of_range', { is_enabled: true, parameters: { high: 1 } }, undefined);
    for (let reading = 0; reading < 6; reading += 1) {
      reads(alarms, 2, 'od');
      await alarms.pass(1_800);
    }
    expect(of(alarms, 'od_out_of_range')).toMatchObject([{ is_active: true, occurrences: 1 }]);
    // One limit is no range.
    expect(of(alarms, 'od_out_of_range')[0]?.message).toMatch(/, above 1( |\.)/);
  });

  it('uses the last reported volume of a vial or bottle, of any age, and over a restart', async () => {
    await using folder = await temporaryFolder();
    const first = await startTestAlarms({ dataFolder: folder.path });
    await first.unit('rx01');
    await withExperiment(first, 'rx01');
    reads(first, 19.5, 'liquid_volume');
    reads(first, 10, 'media_bottle_left_ml');
    const active = (alarms: TestAlarms) => alarms.open().flatMap(({ rule, is_active }) => (is_active ? [rule] : []));
    await first.pass(24 * hour);
    expect(active(first).sort()).toEqual(['bottle_low', 'volume_out_of_range']);
    await first.end();
    await using second = await startTestAlarms({ dataFolder: folder.path, clock: first.clock });
    await second.unit('rx01');
    await second.pass(hour);
    expect(active(second).sort()).toEqual(['bottle_low', 'volume_out_of_range']);
    reads(second, 15, 'liquid_volume');
    reads(second, 500, 'media_bottle_left_ml');
    await second.pass(60);
    expect(active(second)).toEqual([]);
  });
});

describe('the highest volume of a vial', () => {
  const setModel = ({ context }: TestAlarms, model_name: string) =>
    context.database.write((transaction) =>
      transaction.updateTable('workers').set({ model_name, model_version: '1.5' }).execute(),
    );

  it("is that of the unit's model, until a person sets one", async () => {
    await using alarms = await startTestAlarms();
    await alarms.unit('rx01');
    await withExperiment(alarms, 'rx01');
    await setModel(alarms, 'reactor_40ml');
    const isTooFull = async (volumeMl: number) => {
      reads(alarms, volumeMl, 'liquid_volume');
      await alarms.pass(60);
      return of(alarms, 'volume_out_of_range').some(({ is_active }) => is_active);
    };
    expect([await isTooFull(36), await isTooFull(38.5), await isTooFull(30)]).toEqual([false, true, false]);
    await setModel(alarms, 'reactor_20ml');
    reads(alarms, 15, 'liquid_volume');
    await alarms.pass(60);
    expect([await isTooFull(18.9), await isTooFull(19.1), await isTooFull(15)]).toEqual([false, true, false]);
    await setModel(alarms, 'unheard_of');
    await alarms.pass(60);
    expect([await isTooFull(18.9), await isTooFull(19.1), await isTooFull(15)]).toEqual([false, true, false]);
    await setModel(alarms, 'reactor_40ml');
    await alarms.rules.update('volume_out_of_range', { parameters: { high: 25 } }, undefined);
    expect([await isTooFull(24.5), await isTooFull(26)]).toEqual([false, true]);
  });

  it('is the one with which the lower limit of a unit is compared', async () => {
    await using alarms = await startTestAlarms();
    await alarms.unit('rx01');
    await setModel(alarms, 'reactor_40ml');
    const change = { reactor_unit: 'rx01', parameters: { low: 25 } };
    await alarms.rules.update('volume_out_of_range', change, undefined);
    const [rule] = alarms.rules.list().filter((each) => each.rule === 'volume_out_of_range');
    expect(rule?.overrides).toMatchObject([{ reactor_unit: 'rx01', parameters: { low: 25 } }]);
  });
});

describe('the time since the last complete evaluation', () => {
  it('grows while evaluations fail, completely or in one step, and ends with one that succeeds', async () => {
    await using alarms = await startTestAlarms();
    const { engine, facts, registry } = alarms;
    await alarms.pass(600);
    expect(engine.sinceLastEvaluationMs).toBeLessThanOrEqual(15_000);
    const { bottles } = facts;
    facts.bottles = () => {
      throw new Error('broken');
    };
    await alarms.pass(600);
    expect([engine.sinceLastEvaluationMs >= 600_000, await engine.evaluateNow()]).toEqual([true, false]);
    facts.bottles = bottles;
    expect([await engine.evaluateNow(), engine.sinceLastEvaluationMs]).toEqual([true, 0]);
    const { raise } = registry;
    registry.raise = () => Promise.reject(new Error('no room'));
    alarms.diskSpace.level = 'low';
    await alarms.pass(600);
    expect(engine.sinceLastEvaluationMs).toBeGreaterThanOrEqual(600_000);
    registry.raise = raise;
    await alarms.pass(15);
    expect(engine.sinceLastEvaluationMs).toBe(0);
  });
});

describe('a value that people watch', () => {
  it('may be of a source of a plugin, which the rule then offers', async () => {
    await using alarms = await startTestAlarms();
    await alarms.unit('rx01');
    await withExperiment(alarms, 'rx01');
    reads(alarms, 2, 'bubble_rate');
    const change = { is_enabled: true, parameters: { source: 'bubble_rate', high: 1 } };
    const { parameters } = await alarms.rules.update('value_out_of_range', change, undefined);
    expect(parameters.find(({ name }) => name === 'source')?.choices).toContain('bubble_rate');
    await alarms.pass(120);
    expect(of(alarms, 'value_out_of_range')).toMatchObject([{ is_active: true, reactor_unit: 'rx01' }]);
  });
});
