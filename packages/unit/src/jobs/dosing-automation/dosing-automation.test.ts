import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobContext, JobDefinition } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { passingMemory } from '../shared/job-memory.ts';
import { quietVial, type TestUnitOptions, testUnit } from '../test-unit.ts';

type TestUnit = Awaited<ReturnType<typeof testUnit>>;

const still: TestUnitOptions = {
  vial: { ...quietVial, evaporationMlPerHour: 0 },
  start: { volumeMl: 14, od: 0.1, reservoirMl: 1000 },
};
const env = { EXPERIMENT: 'exp1', MODEL_NAME: 'reactor_20ml', MODEL_VERSION: '1.5' };

/** A job through which a test says what is measured. */
function meter() {
  let context: JobContext | undefined;
  const definition: JobDefinition = {
    name: 'meter',
    isActuating: false,
    stopGroup: 'rest',
    settings: { level: { type: 'json', nullable: true } },
    options: {},
    start: (own) => {
      context = own;
      return {};
    },
  };
  const asJob = (): JobContext => {
    if (context === undefined) throw new Error('The meter does not run.');
    return context;
  };
  return {
    definition,
    /** A reading of the optical density, or of another source. */
    reads: (value: number, source = 'od', flags: readonly string[] = []) =>
      asJob().reading({ source, value, flags, ...(source === 'od' && { channel: '2', angle: 90 }) }),
    publishes: (value: number | { readonly [key: string]: number | string }) => asJob().publish('level', value),
    says: (name: string) => asJob().event({ name, data: {} }),
  };
}

async function metered(more: Partial<TestUnitOptions> = {}) {
  const meters = meter();
  const unit = await testUnit({ ...still, ...more, alsoJobs: () => [meters.definition] });
  await unit.run('meter', { env });
  return { unit, meters };
}

const automation = (unit: TestUnit, automation_name: string, options: Record<string, unknown> = {}) =>
  unit.run('dosing_automation', { options: { automation_name, ...options }, env });
const turbidostat = (unit: TestUnit, options: Record<string, unknown> = {}) =>
  automation(unit, 'turbidostat', { target_biomass: 0.5, biomass_signal: 'od', ...options });

const moved = (unit: TestUnit, event: string): number =>
  unit.heard.events
    .filter(({ name, data }) => name === 'dosing' && data.event === event)
    .reduce((sum, { data }) => sum + Number(data.volume_change_ml), 0);
const news = (unit: TestUnit): readonly unknown[] =>
  unit.heard.events.filter(({ name }) => name === 'automation').map(({ data }) => data.event_name);
const actuations = (unit: TestUnit) =>
  unit.heard.events.filter(({ name }) => name === 'actuation').map(({ data }) => data);
const stateOf = (unit: TestUnit): unknown => unit.runtime.settings('dosing_automation').$state;
const pumpLevels = (unit: TestUnit) => [2, 3, 4].map((channel) => Reflect.get(unit.board.levels.pwm, channel));
const errors = (unit: TestUnit): readonly string[] => unit.heard.logs.filter((line) => line.startsWith('ERROR'));

describe('a turbidostat', () => {
  it('exchanges when the biomass reaches its target, settles for 30 s, and says why it did', async () => {
    const { unit, meters } = await metered();
    await using _unit = unit;
    await turbidostat(unit, { exchange_volume_ml: 0.5 });
    meters.reads(0.4);
    await unit.pass(60);
    expect(news(unit)).toEqual([]);
    meters.reads(0.52);
    await unit.pass(60);
    expect(news(unit)).toEqual(['DosingStarted', 'DosingStopped', 'DilutionEvent']);
    expect(moved(unit, 'add_media')).toBeCloseTo(0.5, 9);
    // The waste, and twice as much again.
    expect(moved(unit, 'remove_waste')).toBeCloseTo(1.5, 9);
    expect(unit.heard.setting('dosing_automation/latest_event')).toMatchObject({
      event_name: 'DilutionEvent',
      data: { latest_biomass: 0.52, exchange_volume_ml: 0.5 },
    });
    const [first] = actuations(unit);
    expect(first).toMatchObject({
      output: 'media_pump',
      to: 0.5,
      unit: 'mL',
      source_of_event: 'dosing_automation:turbidostat',
      rule: 'The biomass 0.52 (od) reached the target of 0.5, so 0.5 mL are exchanged.',
      reading: { source: 'od', channel: '2', value: 0.52 },
      settings: { target_biomass: 0.5, exchange_volume_ml: 0.5 },
      calibration: 'media-1',
    });
    expect(actuations(unit).map(({ output }) => output)).toEqual(['media_pump', 'waste_pump', 'waste_pump']);
  });

  it('makes one exchange of many readings that come during it and while it settles', async () => {
    const { unit, meters } = await metered();
    await using _unit = unit;
    await turbidostat(unit, { exchange_volume_ml: 0.2 });
    meters.reads(0.6);
    for (let second = 0; second < 30; second += 1) {
      await unit.pass(1);
      meters.reads(0.6);
    }
    expect(news(unit).filter((name) => name === 'DilutionEvent')).toHaveLength(1);
    await unit.pass(30);
    meters.reads(0.6);
    await unit.pass(30);
    expect(news(unit).filter((name) => name === 'DilutionEvent')).toHaveLength(2);
  });

  it('splits what is more than a subdose, and rests between the parts', async () => {
    const { unit, meters } = await metered();
    await using _unit = unit;
    await turbidostat(unit, { exchange_volume_ml: 2.5 });
    meters.reads(0.6);
    await unit.pass(300);
    const inputs = actuations(unit).filter(({ output }) => output === 'media_pump');
    expect(inputs.map(({ to }) => to)).toEqual([0.625, 0.625, 0.625, 0.625]);
    const wastes = actuations(unit).filter(({ output }) => output === 'waste_pump');
    expect(wastes.map(({ to }) => to)).toEqual([0.625, 1.25, 0.625, 1.25, 0.625, 1.25, 0.625, 1.25]);
    expect(unit.liquids.ledger.values('exp1').current_volume_ml).toBeCloseTo(14, 6);
  });

  it('says that a pump is in other hands while somebody pumps, and doses afterwards', async () => {
    const { unit, meters } = await metered();
    await using _unit = unit;
    await turbidostat(unit, { exchange_volume_ml: 0.2 });
    await unit.run('add_media', { options: { ml: 1 }, env });
    meters.reads(0.6);
    await unit.pass(5);
    expect(errors(unit).join()).toContain('Another job runs this pump');
    expect(stateOf(unit)).toBe('ready');
    await unit.pass(40);
    meters.reads(0.6);
    await unit.pass(60);
    expect(news(unit)).toContain('DilutionEvent');
  });

  it('does nothing by a reading that is known to be wrong', async () => {
    const { unit, meters } = await metered();
    await using _unit = unit;
    await turbidostat(unit);
    meters.reads(5, 'od', ['outlier']);
    await unit.pass(30);
    expect(news(unit)).toEqual([]);
    // As high as it goes, and at least that.
    meters.reads(5, 'od', ['saturated']);
    await unit.pass(60);
    expect(news(unit)).toContain('DilutionEvent');
  });

  it('says once in a while that no reading comes any more', async () => {
    const { unit, meters } = await metered();
    await using _unit = unit;
    await turbidostat(unit);
    meters.reads(0.1);
    await unit.pass(299);
    expect(errors(unit)).toEqual([]);
    await unit.pass(120);
    expect(errors(unit)).toHaveLength(1);
    expect(errors(unit)[0]).toContain('minutes old. Start od_reading');
    expect(news(unit)).toEqual(['ErrorOccurred']);
    await unit.pass(500);
    expect(errors(unit)).toHaveLength(1);
    expect(stateOf(unit)).toBe('ready');
  });

  it.each([
    ['normalized_od', 'od_filtered'],
    ['od_fused', 'od_fused'],
    ['fused_od', 'od_fused'],
  ])('follows the signal %s', async (word, source) => {
    const { unit, meters } = await metered();
    await using _unit = unit;
    await turbidostat(unit, { biomass_signal: word });
    meters.reads(0.6, source);
    await unit.pass(60);
    expect(news(unit)).toContain('DilutionEvent');
    expect(unit.runtime.settings('dosing_automation').biomass_signal).toBe(word === 'fused_od' ? 'od_fused' : word);
  });

  it('follows any setting of another job, a number or a part of it', async () => {
    const { unit, meters } = await metered();
    await using _unit = unit;
    await turbidostat(unit, { biomass_signal: 'meter/level' });
    meters.publishes(0.7);
    await unit.pass(100);
    expect(news(unit).filter((name) => name === 'DilutionEvent')).toHaveLength(1);
    expect(actuations(unit)[0]?.reading).toMatchObject({ source: 'meter/level', value: 0.7 });
    await unit.runtime.update({ jobName: 'dosing_automation' }, { biomass_signal: 'meter/level.deep' }, 'http');
    meters.publishes({ deep: 0.8, other: 3, timestamp: 'now' });
    await unit.pass(100);
    expect(news(unit).filter((name) => name === 'DilutionEvent')).toHaveLength(2);
    meters.publishes({ shallow: 9, other: 3 });
    await unit.pass(60);
    expect(news(unit).filter((name) => name === 'DilutionEvent')).toHaveLength(2);
  });

  it('resolves "auto", and refuses a word that means nothing, at the start and live', async () => {
    const { unit } = await metered();
    await using _unit = unit;
    await expect(turbidostat(unit, { biomass_signal: 'the colour' })).rejects.toThrow();
    await unit.pass(10);
    await turbidostat(unit, { biomass_signal: 'auto' });
    expect(unit.runtime.settings('dosing_automation').biomass_signal).toBe('normalized_od');
    const update = (biomass_signal: string) =>
      unit.runtime.update({ jobName: 'dosing_automation' }, { biomass_signal }, 'http');
    for (const word of ['', 'od2', 'dosing_automation/target_biomass', 'Meter/level'])
      await expect(update(word)).rejects.toMatchObject({ code: 'job_setting_invalid' });
    await update('auto');
    await unit.pass(1);
    expect(unit.runtime.settings('dosing_automation').biomass_signal).toBe('normalized_od');
  });
});

describe('a dosing automation that sleeps', () => {
  it('stops its pumps at once, accounts for what was moved, and goes on with the exchange when it is woken', async () => {
    const { unit, meters } = await metered();
    await using _unit = unit;
    await turbidostat(unit, { exchange_volume_ml: 1 });
    meters.reads(0.6);
    await unit.pass(3);
    expect(pumpLevels(unit)).not.toEqual([0, 0, 0]);
    await unit.runtime.update({ jobName: 'dosing_automation' }, { $state: 'sleeping' }, 'http');
    expect(pumpLevels(unit)).toEqual([0, 0, 0]);
    const added = moved(unit, 'add_media');
    expect(added).toBeGreaterThan(0.1);
    expect(added).toBeLessThan(0.4);
    meters.reads(0.6);
    await unit.pass(120);
    expect(moved(unit, 'add_media')).toBe(added);
    expect(moved(unit, 'remove_waste')).toBe(0);
    await unit.runtime.update({ jobName: 'dosing_automation' }, { $state: 'ready' }, 'http');
    await unit.pass(60);
    expect(moved(unit, 'remove_waste')).toBeCloseTo(3, 6);
    expect(news(unit)).toContain('DilutionEvent');
  });

  it('leaves nothing on when it is stopped in the middle of a dose', async () => {
    const { unit, meters } = await metered();
    await using _unit = unit;
    await turbidostat(unit, { exchange_volume_ml: 1 });
    meters.reads(0.6);
    await unit.pass(3);
    await unit.stop('dosing_automation');
    expect(pumpLevels(unit)).toEqual([0, 0, 0]);
    const { volumeMl } = unit.plant.state(unit.clock.monotonic()).vial.state;
    expect(unit.liquids.ledger.values('exp1').current_volume_ml).toBeCloseTo(volumeMl, 3);
  });

  it('was put to sleep because the reference of the optical density is restless', async () => {
    const { unit, meters } = await metered();
    await using _unit = unit;
    await turbidostat(unit);
    meters.says('reference_unstable');
    await unit.pass(1);
    expect(stateOf(unit)).toBe('sleeping');
    expect(errors(unit).join()).toContain('reference of the optical density');
    meters.reads(0.6);
    await unit.pass(60);
    expect(actuations(unit)).toEqual([]);
  });

  it('was put to sleep at the limit of the vial, whoever has filled it', async () => {
    const { unit, meters } = await metered();
    await using _unit = unit;
    await turbidostat(unit);
    await unit.liquids.ledger.set('exp1', { current_volume_ml: 17.2 });
    await unit.pass(25);
    expect(unit.heard.logs.filter((line) => line.includes('close to its limit')).length).toBeGreaterThanOrEqual(2);
    meters.reads(0.6);
    await unit.pass(1);
    expect(stateOf(unit)).toBe('sleeping');
    expect(actuations(unit)).toEqual([]);
    await unit.liquids.ledger.set('exp1', { current_volume_ml: 18 });
    await unit.runtime.update({ jobName: 'dosing_automation' }, { $state: 'ready' }, 'http');
    await unit.pass(11);
    expect(stateOf(unit)).toBe('sleeping');
  });
});

describe('a chemostat', () => {
  const exchanges = (unit: TestUnit): number => news(unit).filter((name) => name === 'DilutionEvent').length;

  it('exchanges two seconds after its start, and then at its period', async () => {
    const { unit } = await metered();
    await using _unit = unit;
    await automation(unit, 'chemostat', { duration: 10, exchange_volume_ml: 0.2 });
    await unit.pass(1);
    expect(actuations(unit)).toEqual([]);
    await unit.pass(60);
    expect(exchanges(unit)).toBe(1);
    await unit.pass(3600);
    expect(exchanges(unit)).toBe(7);
    expect(moved(unit, 'add_media')).toBeCloseTo(1.4, 6);
  });

  it('waits for a whole period where that is wished', async () => {
    const { unit } = await metered();
    await using _unit = unit;
    await automation(unit, 'chemostat', { duration: 10, exchange_volume_ml: 0.2, skip_first_run: true });
    await unit.pass(590);
    expect(exchanges(unit)).toBe(0);
    await unit.pass(60);
    expect(exchanges(unit)).toBe(1);
  });

  it('takes over a new period, counted from its last exchange, and records every change of its settings', async () => {
    const { unit } = await metered();
    await using _unit = unit;
    await automation(unit, 'chemostat', { duration: 60, exchange_volume_ml: 0.2 });
    await unit.pass(300);
    const update = (duration: number) => unit.runtime.update({ jobName: 'dosing_automation' }, { duration }, 'http');
    await update(10);
    await unit.pass(290);
    expect(exchanges(unit)).toBe(1);
    await unit.pass(40);
    expect(exchanges(unit)).toBe(2);
    await unit.pass(300);
    await update(2);
    await unit.pass(30);
    expect(exchanges(unit)).toBe(3);
    const intervals = unit.heard.events.filter(({ name }) => name === 'automation_settings').map(({ data }) => data);
    expect(intervals.map(({ ended_at, settings }) => [ended_at === null, settings])).toEqual([
      [true, { duration: 60, exchange_volume_ml: 0.2 }],
      [false, { duration: 60, exchange_volume_ml: 0.2 }],
      [true, { duration: 10, exchange_volume_ml: 0.2 }],
      [false, { duration: 10, exchange_volume_ml: 0.2 }],
      [true, { duration: 2, exchange_volume_ml: 0.2 }],
    ]);
    await expect(update(0)).rejects.toMatchObject({ code: 'job_setting_invalid' });
  });

  it('does not start without the calibrations of its pumps, and says which', async () => {
    const { unit } = await metered({ pumpCalibrationOf: () => undefined });
    await using _unit = unit;
    await expect(automation(unit, 'chemostat')).rejects.toMatchObject({ code: 'job_failed' });
    expect(errors(unit).join()).toContain('The media pump is not calibrated');
    await unit.pass(5);
    await automation(unit, 'silent');
    expect(stateOf(unit)).toBe('ready');
  });

  it('goes on after a dose by hand with the same pumps', async () => {
    const { unit } = await metered();
    await using _unit = unit;
    await automation(unit, 'chemostat', { duration: 10, exchange_volume_ml: 0.2 });
    await unit.pass(120);
    for (const job of ['add_media', 'remove_waste']) await unit.run(job, { options: { ml: 0.3 }, env });
    await unit.pass(600);
    expect(exchanges(unit)).toBe(2);
    expect(errors(unit)).toEqual([]);
  });

  it('begins with what the start says about the vial', async () => {
    const { unit } = await metered();
    await using _unit = unit;
    await automation(unit, 'chemostat', { current_volume_ml: 12, alt_media_fraction: 0.25, skip_first_run: true });
    expect(unit.liquids.ledger.values('exp1')).toMatchObject({ current_volume_ml: 12, alt_media_fraction: 0.25 });
  });
});

it('a fed batch adds until the vial is full, and then sleeps', async () => {
  const { unit } = await metered();
  await using _unit = unit;
  await automation(unit, 'fed_batch', { duration: 5, dosing_volume_ml: 0.9 });
  await unit.pass(3600);
  expect(moved(unit, 'add_media')).toBeCloseTo(3.6, 6);
  expect(moved(unit, 'remove_waste')).toBe(0);
  expect(stateOf(unit)).toBe('sleeping');
  expect(errors(unit)).toHaveLength(1);
  expect(unit.heard.logs.join()).toContain('Nothing is removed');
});

describe('a morbidostat', () => {
  it('gives alternative medium to what grows too fast, and none to what grows at its target', async () => {
    const { unit, meters } = await metered();
    await using _unit = unit;
    const growing = (rate: number) => {
      meters.reads(1.5, 'od_filtered');
      meters.reads(rate, 'growth_rate');
    };
    growing(0.05);
    await automation(unit, 'pid_morbidostat', { target_growth_rate: 0.1 });
    await unit.pass(120);
    expect(moved(unit, 'add_alt_media')).toBe(0);
    expect(moved(unit, 'add_media')).toBeCloseTo(1.4, 3);
    for (let minute = 2; minute < 62; minute += 1) {
      growing(0.5);
      await unit.pass(60);
    }
    // Gain 1 and a tenth of it for the hour, of the volume of 1.4 mL.
    expect(moved(unit, 'add_alt_media')).toBeCloseTo(1.4 * 0.44, 2);
    expect(news(unit).filter((name) => name === 'AddAltMediaEvent')).toHaveLength(2);
    expect(unit.liquids.ledger.values('exp1').alt_media_fraction).toBeGreaterThan(0.03);
  });

  it('waits for its readings for ten seconds, then says what is missing and tries again at its period', async () => {
    const { unit, meters } = await metered();
    await using _unit = unit;
    await automation(unit, 'pid_morbidostat', { duration: 10 });
    await unit.pass(30);
    expect(errors(unit)).toHaveLength(1);
    expect(errors(unit)[0]).toContain('There is no reading of od_filtered yet. Start growth_rate_calculating');
    await unit.pass(500);
    meters.reads(1.5, 'od_filtered');
    meters.reads(0.1, 'growth_rate');
    await unit.pass(200);
    expect(news(unit)).toContain('AddAltMediaEvent');
  });
});

describe('after a power cut', () => {
  it('dosing waits for a fresh optical density, and its period goes on', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lcs-dosing-'));
    const memory = passingMemory();
    const more = { folder, devices: { memory } };
    try {
      {
        const { unit, meters } = await metered(more);
        await using _unit = unit;
        meters.reads(0.5);
        await automation(unit, 'chemostat', { duration: 60, exchange_volume_ml: 0.2 });
        await unit.pass(600);
        await unit.runtime.update({ jobName: 'dosing_automation' }, { exchange_volume_ml: 0.3 }, 'http');
        expect(moved(unit, 'add_media')).toBeCloseTo(0.2, 6);
      }
      const { unit, meters } = await metered(more);
      await using _unit = unit;
      const cut = unit.runtime.cut.find(({ jobName }) => jobName === 'dosing_automation');
      if (cut === undefined) throw new Error('The automation was not cut.');
      await unit.pass(1200);
      await unit.runtime.resume(cut);
      await unit.pass(1);
      expect(unit.runtime.settings('dosing_automation').exchange_volume_ml).toBe(0.3);
      // Not at once: it has dosed half an hour ago.
      await unit.pass(600);
      expect(actuations(unit)).toEqual([]);
      expect(unit.heard.logs.join()).not.toContain('waits for a fresh');
      await unit.pass(3600);
      expect(actuations(unit)).toEqual([]);
      expect(unit.heard.logs.filter((line) => line.includes('waits for a fresh optical density'))).toHaveLength(1);
      meters.reads(0.5, 'od', ['outlier']);
      await unit.pass(60);
      expect(actuations(unit)).toEqual([]);
      meters.reads(0.5);
      await unit.pass(60);
      expect(moved(unit, 'add_media')).toBeCloseTo(0.3, 6);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('with the simulated vial', () => {
  it('a turbidostat holds the optical density for hours', async () => {
    await using unit = await testUnit({
      vial: { evaporationMlPerHour: 0 },
      start: { volumeMl: 15, od: 0.6, reservoirMl: 1000 },
      oversampling: 'closed_form',
      config: { bioreactor: { initial_volume_ml: '15', efflux_tube_volume_ml: '15' } },
    });
    await unit.run('stirring', { env });
    await unit.run('od_reading', { env });
    await unit.pass(120);
    const begin = unit.heard.values('od').at(-1) ?? 0;
    const target = 1.1 * begin;
    await automation(unit, 'turbidostat', { target_biomass: target, biomass_signal: 'od', exchange_volume_ml: 0.5 });
    await unit.pass(4 * 3600);
    expect(news(unit)).toContain('DilutionEvent');
    const sinceMs = unit.clock.now();
    await unit.pass(3 * 3600);
    const held = unit.heard.of('od').filter(({ atMs }) => atMs >= sinceMs);
    const inBand = held.filter(({ value }) => Math.abs(value / target - 1) <= 0.05);
    expect(held.length).toBeGreaterThan(2_000);
    expect(inBand.length / held.length).toBeGreaterThan(0.98);
    const { volumeMl } = unit.plant.state(unit.clock.monotonic()).vial.state;
    expect(Math.abs(volumeMl - 15)).toBeLessThan(0.6);
    expect(errors(unit)).toEqual([]);
  }, 60_000);

  it('a turbidostat notices that its doses do not come', async () => {
    await using unit = await testUnit({
      vial: { evaporationMlPerHour: 0 },
      // The bottle has less than anybody has told.
      start: { volumeMl: 15, od: 0.6, reservoirMl: 2 },
      oversampling: 'closed_form',
      config: { bioreactor: { initial_volume_ml: '15', efflux_tube_volume_ml: '15' } },
    });
    await unit.run('stirring', { env });
    await unit.run('od_reading', { env });
    await unit.pass(120);
    const target = (unit.heard.values('od').at(-1) ?? 0) * 0.98;
    await automation(unit, 'turbidostat', { target_biomass: target, biomass_signal: 'od', exchange_volume_ml: 1 });
    await unit.pass(2.5 * 3600);
    expect(errors(unit).filter((line) => line.includes('did not fall with 3 doses in a row'))).toHaveLength(1);
    expect(news(unit)).toContain('ErrorOccurred');
  }, 60_000);

  it('a morbidostat slows growth with the alternative medium, and its ledger knows what is in the vial', async () => {
    await using unit = await testUnit({
      vial: { evaporationMlPerHour: 0, ambientC: 34, inhibition: { halfShare: 0.25, steepness: 2 } },
      start: { volumeMl: 15, od: 0.6, reservoirMl: 1000 },
      oversampling: 'closed_form',
      config: {
        bioreactor: { initial_volume_ml: '15', efflux_tube_volume_ml: '15' },
        'dosing_automation.pid_morbidostat': { Kp: '2' },
      },
    });
    for (const job of ['stirring', 'od_reading', 'growth_rate_calculating']) await unit.run(job, { env });
    await unit.pass(1800);
    const targets = { duration: 60, target_growth_rate: 0.1, target_normalized_od: 1 };
    await automation(unit, 'pid_morbidostat', targets);
    await unit.pass(10 * 3600);
    // It grows faster and faster, until there is enough of the alternative medium.
    const rates = unit.heard.values('growth_rate');
    expect(rates.at(-1) ?? 1).toBeLessThan(Math.max(...rates) - 0.04);
    const { volumeMl, altMediaShare } = unit.plant.state(unit.clock.monotonic()).vial.state;
    const known = unit.liquids.ledger.values('exp1');
    expect(altMediaShare).toBeGreaterThan(0.15);
    expect(Math.abs(known.alt_media_fraction - altMediaShare)).toBeLessThan(0.03);
    expect(Math.abs(known.current_volume_ml - volumeMl)).toBeLessThan(0.3);
    expect(errors(unit)).toEqual([]);
  }, 60_000);
});
