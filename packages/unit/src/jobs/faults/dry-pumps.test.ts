import { defaultOrganism, findOrganism } from '@lcs/domain';
import { describe, expect, it } from 'vitest';
import {
  automation,
  automationEvents,
  chemostatDoseMl,
  env,
  errors,
  metered,
  stateOf,
} from '../../testing/test-dosing.ts';
import { type TestUnitOptions, testUnit } from '../../testing/test-unit.ts';

type Fault = NonNullable<NonNullable<TestUnitOptions['vial']>['faults']>[number]['fault'];

/** A chemostat of which a pump fails from the first minute on. */
async function chemostatWith(fault: Fault) {
  const unit = await testUnit({
    vial: { evaporationMlPerHour: 0, faults: [{ fault, fromS: 60, untilS: 1e9 }] },
    start: { volumeMl: 15, od: 0.6, reservoirMl: 1000 },
    oversampling: 'closed_form',
    config: { bioreactor: { initial_volume_ml: '15', efflux_tube_volume_ml: '15' } },
  });
  await unit.run('stirring', { env });
  await unit.run('od_reading', { env });
  await unit.pass(300);
  await automation(unit, 'chemostat', { duration: 10, exchange_volume_ml: 1 });
  return unit;
}

describe('a pump that brings nothing', () => {
  it.each<[Fault, string]>([
    ['media_dry', 'the bottle is empty and nobody has told it'],
    ['media_blocked', 'its tube is blocked'],
  ])('%s: a chemostat pauses within three doses without effect: %s', { timeout: 60_000 }, async (fault) => {
    await using unit = await chemostatWith(fault);
    await unit.pass(3 * 600 + 300);
    const implausible = unit.recorded.events.filter(({ name }) => name === 'dose_implausible');
    expect(implausible).toHaveLength(1);
    expect(implausible[0]?.data).toMatchObject({ pump: 'media_pump' });
    expect(errors(unit)).toHaveLength(1);
    expect(unit.recorded.events.filter(({ name }) => name === 'dose_implausible')).toHaveLength(1);
    expect(automationEvents(unit)).toContain('ErrorOccurred');
    // The waste pump draws what is above its tube only: the vial does not run empty.
    expect(unit.plant.vial.state.volumeMl).toBeGreaterThan(14.5);
    expect(stateOf(unit)).toBe('sleeping');
  });

  it('is not excused by a growth rate of long ago', { timeout: 60_000 }, async () => {
    await using unit = await chemostatWith('media_dry');
    // Growth that would make up for each dose, if it were so now.
    const growth = { source: 'growth_rate', value: 20, atMs: unit.clock.now() };
    unit.runtime.topics.readings.publish('growth_rate', growth);
    await unit.pass(4 * 600 + 300);
    expect(unit.recorded.events.filter(({ name }) => name === 'dose_implausible')).toHaveLength(1);
  });

  it('is not even begun when the ledger knows that the bottle would run dry: the chemostat pauses and logs it', async () => {
    const { unit } = await metered({ config: { bioreactor: { media_bottle_ml: '1' } } });
    await using _unit = unit;
    await automation(unit, 'chemostat', { duration: 10, exchange_volume_ml: 0.4 });
    await unit.pass(1200 + 60);
    expect(errors(unit)).toHaveLength(1);
    expect(stateOf(unit)).toBe('sleeping');
    expect(unit.plant.vial.state.ledger.media).toBeCloseTo(2 * chemostatDoseMl(0.4, 10), 3);
    await unit.liquids.ledger.set('exp1', { media_bottle_left_ml: 100 });
    await unit.runtime.update({ jobName: 'dosing_automation' }, { $state: 'ready' }, 'http');
    await unit.pass(600);
    expect(unit.plant.vial.state.ledger.media).toBeCloseTo(3 * chemostatDoseMl(0.4, 10), 3);
  });
});

const bacteria = findOrganism('ecoli_glucose') ?? defaultOrganism;

/** A chemostat in thin medium, which the culture has used up after some four hours; `fault`: from the eighth on. */
async function limitedCulture(readingEveryS: number, fault?: Fault, startMl = 15) {
  const unit = await testUnit({
    vial: {
      evaporationMlPerHour: 0,
      ambientC: 37,
      organism: { ...bacteria, feed: 0.4 },
      ...(fault && { faults: [{ fault, fromS: 8 * 3600, untilS: 1e9 }] }),
    },
    start: { volumeMl: startMl, od: 0.1, reservoirMl: 1000 },
    oversampling: 'closed_form',
    config: {
      bioreactor: { initial_volume_ml: String(startMl), efflux_tube_volume_ml: '15' },
      'od_reading.config': { samples_per_second: String(1 / readingEveryS) },
    },
  });
  for (const job of ['stirring', 'od_reading']) await unit.run(job, { env });
  return unit;
}

async function limitedChemostat(readingEveryS: number, fault?: Fault) {
  const unit = await limitedCulture(readingEveryS, fault);
  await automation(unit, 'chemostat', { duration: 20, exchange_volume_ml: 0.5 });
  return unit;
}

describe('a chemostat whose culture has used up its medium and grows with what each dose brings', () => {
  it.each([5, 30, 60, 120])('goes on, with readings every %d s', { timeout: 120_000 }, async (readingEveryS) => {
    await using unit = await limitedChemostat(readingEveryS);
    await unit.pass(16 * 3600);
    const reported = unit.recorded.events.filter(({ name }) => ['dose_implausible', 'pump_deviates'].includes(name));
    expect(reported).toEqual([]);
    expect(stateOf(unit)).toBe('ready');
  });

  it.each([5, 30, 60, 120])(
    'pauses within six doses when the bottle is empty, with readings every %d s',
    {
      timeout: 120_000,
    },
    async (readingEveryS) => {
      await using unit = await limitedChemostat(readingEveryS, 'media_dry');
      await unit.pass(10 * 3600);
      const [found] = unit.recorded.events.filter(({ name }) => name === 'dose_implausible');
      expect(found?.data).toMatchObject({ disturbance: 'missing', pump: 'media_pump' });
      expect(stateOf(unit)).toBe('sleeping');
    },
  );
});

describe('a fed-batch whose culture grows with what each dose brings', () => {
  it.each([5, 30, 120])('goes on, with readings every %d s', { timeout: 120_000 }, async (readingEveryS) => {
    await using unit = await limitedCulture(readingEveryS, undefined, 8);
    await automation(unit, 'fed_batch', { duration: 30, dosing_volume_ml: 0.2 });
    await unit.pass(14 * 3600);
    const reported = unit.recorded.events.filter(({ name }) => ['dose_implausible', 'pump_deviates'].includes(name));
    expect(reported).toEqual([]);
  });

  it.each([5, 30, 120])(
    'pauses when the bottle is empty, with readings every %d s',
    {
      timeout: 120_000,
    },
    async (readingEveryS) => {
      await using unit = await limitedCulture(readingEveryS, 'media_dry', 8);
      await automation(unit, 'fed_batch', { duration: 30, dosing_volume_ml: 0.2 });
      await unit.pass(14 * 3600);
      const [found] = unit.recorded.events.filter(({ name }) => name === 'dose_implausible');
      expect(found?.data).toMatchObject({ disturbance: 'missing', pump: 'media_pump' });
      expect(stateOf(unit)).toBe('sleeping');
    },
  );
});
