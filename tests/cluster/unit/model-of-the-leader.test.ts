import { startStandInLeader, startUnit } from '@lcs/testkit';
import { expect, it } from 'vitest';

const ownModel = {
  model_name: 'our_reactor',
  model_version: '0.1',
  display_name: 'Our reactor, v0.1',
  reactor_capacity_ml: 30,
  reactor_diameter_mm: 27,
  reactor_max_fill_volume_ml: 26,
  max_temp_to_reduce_heating: 50,
  max_temp_to_disable_heating: 52,
  max_temp_to_shutdown: 55,
  is_legacy: false,
  is_contrib: true,
};

it('heats with a model that only its leader has, within the limits of that model, and checks its hardware', async () => {
  await using leader = await startStandInLeader();
  await using unit = await startUnit({ leaderUrl: leader.url });
  await leader.enrolled();
  await leader.put(unit.url, { model: ownModel });
  const options = { automation_name: 'thermostat', target_temperature: 70 };
  const accepted = await unit.client.runJob({ params: { job: 'temperature_automation' }, body: { options } });
  expect(await unit.finished(accepted)).toMatchObject({ status: 'succeeded' });
  expect(unit.node.jobs.settings('temperature_automation').target_temperature).toBe(50);
  const { model_name, model_version } = ownModel;
  const checked = await unit.client.checkHardware({ body: { model_name, model_version } });
  expect(await unit.finished(checked)).toMatchObject({ status: 'succeeded' });
});
