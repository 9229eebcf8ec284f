import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { testExperiment } from '@lcs/testkit';
import { expect, it } from 'vitest';
import { startPluginNode } from '../../routes/plugin-node.ts';
import { eventually } from '../units/eventually.ts';

const doser = `
  export default { jobs: [{ name: 'doser', drivesOutputs: true, async start(context) {
    const lease = await context.lease(['pwm2']);
    await lease.set('pwm2', 100).catch((error) => context.log('WARNING', 'Without an end: ' + error.message));
    await lease.set('pwm2', 100, 2000);
    context.event('dosing', { event: 'add_media', volume_change_ml: 0.18, source_of_event: 'doser' });
    return { stop: () => lease.release() };
  } }] };`;

it('lets a plugin run a pump for a time, and enters the volume that the plugin reports', async () => {
  await using world = await startPluginNode({ files: { 'doser.js': doser } });
  const { unit } = world;
  await eventually(async () => expect((await unit.client.listInstalledPlugins())[0]).not.toHaveProperty('error'));
  const params = { experiment: testExperiment.name };
  const before = (await unit.client.getBioreactor({ params })).values.current_volume_ml;
  expect(await world.start('doser')).toMatchObject({ status: 'succeeded' });
  await eventually(async () =>
    expect((await unit.client.getBioreactor({ params })).values.current_volume_ml).toBeCloseTo(before + 0.18, 9),
  );
  const entered = () => {
    using ledger = new DatabaseSync(join(unit.dataFolder, 'storage', 'unit.sqlite'), { readOnly: true });
    return ledger.prepare("select sum(ran_ms) as ms from dosing_entries where output = 'pwm2'").get()?.ms;
  };
  // The next guard learns the time of the pump from the ledger.
  expect(entered()).toBe(2_000);
  // A stop of the pumps ends it, though it does not declare that it runs one.
  const running = async () => (await unit.client.listRunningJobs()).map(({ job_name }) => job_name);
  expect(await running()).toContain('doser');
  await unit.client.stopJobs({ body: { stop_group: 'pumps' } });
  await eventually(async () => expect(await running()).not.toContain('doser'));
  // Its time has not passed: the clock of the unit stands still.
  await eventually(async () => expect(entered()).toBe(0));
  const { records } = await world.leader.read(unit.url, { wait: 0 });
  expect(JSON.stringify(records)).toContain('Without an end: ');
  const driven = records.filter((record) => record.kind === 'event' && record.name === 'actuation');
  expect(driven).toMatchObject([{ data: { output: 'media_pump', to: 2, unit: 's', job_name: 'doser' } }]);
});

it('is ended by an order to stop the pumps that reaches the unit late', async () => {
  const stop_id = '00000000-0000-4000-8000-000000000001';
  const order = { stop_id, experiment_uid: null, job_name: '(group)', job_source: null, reason: 'stopped' };
  const stop = [{ ...order, stop_group: 'pumps' as const, issued_at: 1 }];
  await using world = await startPluginNode({ files: { 'doser.js': doser } });
  const { unit, leader } = world;
  await eventually(async () => expect((await unit.client.listInstalledPlugins())[0]).not.toHaveProperty('error'));
  expect(await world.start('doser')).toMatchObject({ status: 'succeeded' });
  const running = async () => (await unit.client.listRunningJobs()).map(({ job_name }) => job_name);
  await eventually(async () => expect(await running()).toContain('doser'));
  await leader.put(unit.url, { stop });
  await eventually(async () => expect(await running()).not.toContain('doser'));
});
