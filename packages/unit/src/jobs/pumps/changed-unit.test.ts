import type { Model } from '@lcs/contract';
import { builtInModels } from '@lcs/domain';
import { describe, expect, it } from 'vitest';
import { quietVial, type TestUnitOptions, testExperimentUid, testUnit } from '../../testing/test-unit.ts';

const pumps: TestUnitOptions = {
  vial: { ...quietVial, evaporationMlPerHour: 0 },
  start: { volumeMl: 14, od: 0.1, reservoirMl: 1000 },
};
const env = { EXPERIMENT: 'exp1', MODEL_NAME: 'reactor_40ml', MODEL_VERSION: '1.5' };

describe('a unit that changes while a pump runs', () => {
  it('does not overfill the vial of the experiment that it has left', async () => {
    let current = { name: 'exp1', uid: testExperimentUid };
    await using unit = await testUnit({ ...pumps, current: () => current });
    await unit.run('add_media', { options: { continuously: true }, env: { ...env, MODEL_NAME: 'reactor_20ml' } });
    await unit.pass(20);
    current = { name: 'exp2', uid: '0c7a5c9e-58cd-4a4e-9d59-6a0a6f6d1a11' };
    await unit.pass(120);
    const { volumeMl } = unit.plant.state(unit.clock.monotonic()).vial.state;
    expect(volumeMl).toBeGreaterThan(17.8);
    expect(volumeMl).toBeLessThan(18);
    expect(unit.recorded.logs).not.toEqual([]);
  });

  it('takes the smaller of two vials when its model is changed', async () => {
    const named = (name: string): Model | undefined =>
      builtInModels.find(({ model_name, model_version }) => model_name === name && model_version === '1.5');
    let own = named('reactor_40ml');
    await using unit = await testUnit({ ...pumps, devices: { ownModel: () => own } });
    await unit.run('add_media', { options: { ml: 2 }, env });
    await unit.pass(5);
    own = named('reactor_20ml');
    await unit.pass(60);
    await expect(unit.run('add_alt_media', { options: { duration: 40 }, env })).rejects.toMatchObject({
      code: 'pumps_refused',
      body: { cause: 'The vial would be as full as it may be.' },
    });
    expect(unit.liquids.ledger.values('exp1').current_volume_ml).toBeCloseTo(16, 3);
  });
});
