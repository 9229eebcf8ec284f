import { describe, expect, it } from 'vitest';
import { quietVial, type TestUnitOptions, testExperimentUid, testUnit } from '../../testing/test-unit.ts';

const pumps: TestUnitOptions = {
  vial: { ...quietVial, evaporationMlPerHour: 0 },
  start: { volumeMl: 14, od: 0.1, reservoirMl: 1000 },
};
type TestUnit = Awaited<ReturnType<typeof testUnit>>;

const inExp1 = { experiment: 'exp1', experimentUid: testExperimentUid };
const dosings = (unit: TestUnit) => unit.recorded.events.filter(({ name }) => name === 'dosing');
/** What is in the vial now. */
const truth = (unit: TestUnit) => unit.plant.state(unit.clock.monotonic()).vial.state;
const refused = (cause: string) => ({ code: 'pumps_refused', body: { cause, status: 409 } });
const env = { EXPERIMENT: 'exp1', MODEL_NAME: 'reactor_20ml', MODEL_VERSION: '1.5' };

describe('a dose that must not be', () => {
  it('is refused before it is accepted, when it would fill the vial', async () => {
    await using unit = await testUnit(pumps);
    await expect(unit.run('add_media', { options: { ml: 4 }, env })).rejects.toMatchObject({ code: 'dose_overflows' });
    await unit.pass(1);
    await expect(
      unit.run('add_media', { options: { ml: 1 }, env: { ...env, MODEL_NAME: 'no_model' } }),
    ).rejects.toMatchObject({ code: 'model_unknown' });
  });

  it('is refused by the pumps themselves, for any request', async () => {
    await using unit = await testUnit(pumps);
    await expect(unit.run('add_media', { options: { duration: 60 }, env })).rejects.toMatchObject(
      refused('The vial would be as full as it may be.'),
    );
    expect(unit.recorded.states).not.toContain('add_media ready');
    expect(truth(unit).ledger.media).toBe(0);
    expect(unit.recorded.events.find(({ name }) => name === 'actuation')?.data).toMatchObject({
      refused: 'The vial would be as full as it may be.',
    });
  });

  it('is refused when the bottle would run dry', async () => {
    const config = { bioreactor: { media_bottle_ml: '1.5' } };
    await using unit = await testUnit({ ...pumps, config });
    await unit.run('add_media', { options: { ml: 1 }, env });
    await unit.pass(20);
    const dry = refused('The bottle would not do for it.');
    await expect(unit.run('add_media', { options: { ml: 1 }, env })).rejects.toMatchObject(dry);
    await unit.pass(5);
    const circulation = unit.run('circulate_media', { options: { duration: 30 }, env });
    // Half a millilitre is left: enough for a pulse.
    await expect(circulation).resolves.toMatchObject({ state: 'ready' });
    await unit.stop('circulate_media');
    await unit.liquids.ledger.set('exp1', { media_bottle_left_ml: 0.01, cumulative_media_added_ml: 1 });
    await expect(unit.run('circulate_media', { options: { duration: 30 }, env })).rejects.toMatchObject(dry);
    expect(truth(unit).ledger.waste).toBeLessThan(0.2);
    expect(truth(unit).ledger.media).toBeCloseTo(1, 3);
    await unit.liquids.ledger.set('exp1', { media_bottle_left_ml: 100 });
    await unit.run('add_media', { options: { ml: 1 }, env });
    await unit.pass(20);
    expect(truth(unit).ledger.media).toBeCloseTo(2, 3);
    expect(unit.liquids.ledger.bottleLeftMl(inExp1, 'media')).toBeCloseTo(99, 9);
  });

  it('is refused when another job has one of its pumps, before any pump runs', async () => {
    await using unit = await testUnit(pumps);
    await unit.run('add_media', { options: { duration: 3 }, env });
    await expect(unit.run('circulate_media', { options: { duration: 10 }, env })).rejects.toMatchObject(
      refused('Another job runs this pump.'),
    );
    const ofWaste = () => unit.recorded.events.filter(({ data }) => data.output === 'waste_pump');
    expect(ofWaste()).toEqual([]);
    await unit.pass(10);
    const beforeMl = truth(unit).ledger.media;
    await unit.run('circulate_media', { options: { duration: 3 }, env });
    await unit.pass(10);
    expect(truth(unit).ledger.media).toBeGreaterThan(beforeMl);
    expect(ofWaste()).toHaveLength(1);
  });

  it('is given up when the guard does not answer, and when it is stopped while it begins', async () => {
    await using unit = await testUnit(pumps);
    unit.silenceGuard();
    const begin = () => {
      const { jobName, generation } = unit.runtime.accept('add_media', { options: { ml: 1 }, env });
      const started = unit.runtime.run(jobName, generation);
      started.catch(() => {});
      return started;
    };
    const pending = begin();
    await unit.pass(20);
    await expect(pending).rejects.toMatchObject({ code: 'job_start_timeout' });
    const overtaken = begin();
    await unit.pass(1);
    const stopped = unit.stop('add_media');
    await unit.pass(10);
    await stopped;
    await expect(overtaken).rejects.toMatchObject({ code: 'job_start_overtaken' });
    expect(unit.runtime.running()).toEqual([]);
    expect(truth(unit).ledger.media).toBe(0);
    expect(dosings(unit)).toEqual([]);
  });

  it('has exactly one amount, and cannot move a pump to another output', async () => {
    await using unit = await testUnit(pumps);
    const refused = [{}, { ml: 1, duration: 1 }, { ml: 1, continuously: true }, { ml: -1 }];
    for (const options of refused) {
      await expect(unit.run('add_media', { options, env })).rejects.toMatchObject({ code: 'job_options_invalid' });
    }
    const config_overrides: [string, string, string][] = [['PWM', '5', 'media']];
    await expect(unit.run('add_media', { options: { ml: 1 }, env, config_overrides })).rejects.toMatchObject({
      code: 'job_options_invalid',
    });
  });
});
