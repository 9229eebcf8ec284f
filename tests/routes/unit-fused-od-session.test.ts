import { createHash } from 'node:crypto';
import { board12 } from '@lcs/hardware';
import { type StandInLeader, startStandInLeader, startUnit, testExperiment, type UnitUnderTest } from '@lcs/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { observe } from '../observe.ts';
import { Person, placeVial } from './calibration-fixtures.ts';

const text = `[od_config.photodiode_channel]
1=REF
2=90
3=135
4=45
`;
const file = (content: string, version: number) => ({
  version,
  sha256: createHash('sha256').update(content).digest('hex'),
  text: content,
});
/** A reactor whose board has four photodiodes. */
const model = {
  model_name: 'reactor_40ml_XR',
  model_version: '1.5',
  display_name: 'Reactor 40 mL XR, v1.5',
  reactor_capacity_ml: 40,
  reactor_diameter_mm: 27,
  reactor_max_fill_volume_ml: 36,
  max_temp_to_reduce_heating: 78,
  max_temp_to_disable_heating: 80,
  max_temp_to_shutdown: 85,
  is_legacy: false,
  is_contrib: false,
};

let leader: StandInLeader;
let unit: UnitUnderTest;
beforeEach(async () => {
  leader = await startStandInLeader();
  const layout = { ...board12, photodiodes: { 1: 0x48, 2: 0x49, 3: 0x4a, 4: 0x4b } };
  unit = await startUnit({ leaderUrl: leader.url, observe, configure: { board: { kind: 'here', seed: 1, layout } } });
  await leader.put(unit.url, {
    experiment: testExperiment,
    model,
    config: { shared: file(text, 1), own: file('', 1) },
  });
});
afterEach(async () => {
  await unit[Symbol.asyncDispose]();
  await leader[Symbol.asyncDispose]();
});

/** As the node itself starts jobs: how often people may ask is counted in real seconds. */
const runs = (job: string) => unit.node.jobs.runOwn(job, {});

/** What od_reading fuses, with a vial of this density. */
async function fusedOf(od: number): Promise<number> {
  placeVial(unit, od);
  await unit.clock.advance(60_000);
  const { settings } = await unit.client.getJobSettings({ params: { job_name: 'od_reading' } });
  const fused: unknown = JSON.parse(String(settings.od_fused));
  return Number(Reflect.get(Object(fused), 'od_fused'));
}

it('creates an estimator, which od_reading then uses, and corrects it for another unit with two vials', async () => {
  const person = await Person.start(unit, 'od_fused', 'od_fusion_standards');
  await person.submits();
  await person.submits({ estimator_name: 'mine' });
  expect(await person.submits({ rpm: 500 })).toBe('place_standard');
  for (const od of [0.05, 0.2, 0.6, 1.5, 4]) {
    placeVial(unit, od);
    await person.submits();
    expect(await person.submits({ od_value: od })).toBe('record_observation');
    expect(await person.submits()).toBe('remove_observation');
    expect(await person.submits()).toBe('another_standard');
    if (od < 4) expect(await person.submits({ another: true })).toBe('place_standard');
  }
  expect(await person.submits({ another: false })).toBe('complete');
  expect(person.session).toMatchObject({
    status: 'complete',
    result: { device: 'od_fused', estimator_name: 'mine', path: 'storage/estimators/od_fused/mine.yaml' },
  });
  expect(await unit.client.listUnitActiveEstimators()).toMatchObject({
    od_fused: { estimator_name: 'mine', is_active: true, angles: ['45', '90', '135'] },
  });

  await runs('stirring');
  await runs('od_reading');
  for (const od of [0.1, 1, 3]) expect(Math.abs((await fusedOf(od)) / od - 1)).toBeLessThan(0.1);
  await unit.finished(await unit.client.stopAllJobs());

  const offset = await Person.start(unit, 'od_fused', 'od_fusion_offset');
  await offset.submits();
  await offset.submits({ source_unit: 'unit1' });
  await offset.submits({ source_estimator_name: 'mine' });
  await offset.submits({ estimator_name: 'doubled' });
  await offset.submits({ rpm: 500 });
  for (const od of [0.2, 1.5]) {
    placeVial(unit, od);
    await offset.submits();
    // Another spectrometer, which shows twice as much.
    await offset.submits({ standard_od: 2 * od });
    await offset.submits();
    if (od === 0.2) expect(await offset.submits()).toBe('place_standard');
  }
  expect(await offset.submits()).toBe('complete');
  expect(offset.session.result).toMatchObject({ source_estimator: 'mine', scale_logc: expect.closeTo(1, 1) });
  await runs('stirring');
  await runs('od_reading');
  expect(Math.abs((await fusedOf(1)) / 2 - 1)).toBeLessThan(0.1);
}, 120_000);
