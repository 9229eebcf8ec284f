import { imbalanceMl } from '@lcs/domain';
import { describe, expect, it } from 'vitest';
import { automation, automationEvents, env, errors, metered, moved, turbidostat } from '../../testing/test-dosing.ts';
import { testUnit } from '../../testing/test-unit.ts';

const hourMs = 3_600_000;
type TestUnit = Awaited<ReturnType<typeof testUnit>>;
const truth = (unit: TestUnit) => unit.plant.state(unit.clock.monotonic()).vial.state;

/** An hour on, or back, as somebody who sets the clock of the unit would. */
const jumps = [
  ['on', hourMs],
  ['back', -hourMs],
] as const;

describe.each(jumps)('a clock that jumps an hour %s', (_, jumpMs) => {
  it('does not change when a chemostat doses', async () => {
    const { unit } = await metered();
    await using _unit = unit;
    await automation(unit, 'chemostat', { duration: 10, exchange_volume_ml: 0.2 });
    const exchanges = () => automationEvents(unit).filter((name) => name === 'DilutionEvent').length;
    await unit.pass(300);
    unit.clock.stepWallClock(jumpMs);
    expect(exchanges()).toBe(1);
    await unit.pass(250);
    expect(exchanges()).toBe(1);
    await unit.pass(110);
    expect(exchanges()).toBe(2);
    await unit.pass(3600);
    expect(exchanges()).toBe(8);
    expect(errors(unit)).toEqual([]);
  });

  it('makes no reading of a turbidostat newer or older than it is', async () => {
    const { unit, meters } = await metered();
    await using _unit = unit;
    await turbidostat(unit, { exchange_volume_ml: 0.2 });
    meters.reads(0.49);
    await unit.pass(60);
    unit.clock.stepWallClock(jumpMs);
    // A minute old: nobody complains; above the target: it doses at once.
    await unit.pass(120);
    expect(errors(unit)).toEqual([]);
    meters.reads(0.53);
    await unit.pass(60);
    expect(automationEvents(unit)).toEqual(['DosingStarted', 'DosingStopped', 'DilutionEvent']);
    await unit.pass(400);
    expect(errors(unit).join()).toContain('minutes old');
    expect(moved(unit, 'add_media')).toBeCloseTo(0.2, 6);
  });

  it('does not let an automation begin with a reading of unknown age', async () => {
    const { unit, meters } = await metered();
    await using _unit = unit;
    const grown = () => {
      meters.reads(1.5, 'od_filtered');
      meters.reads(0.5, 'growth_rate');
    };
    grown();
    await unit.pass(1800);
    unit.clock.stepWallClock(jumpMs);
    await automation(unit, 'pid_morbidostat', { duration: 5 });
    await unit.pass(200);
    // It has decided nothing.
    expect(automationEvents(unit)).toEqual(['ErrorOccurred']);
    await unit.pass(60);
    grown();
    await unit.pass(100);
    expect(automationEvents(unit)).toEqual(['ErrorOccurred', 'DosingStarted', 'DosingStopped', 'AddAltMediaEvent']);
  });

  it('in the middle of a dose changes neither the dose nor the ledger', async () => {
    const { unit } = await metered();
    await using _unit = unit;
    await unit.run('add_media', { options: { ml: 2 }, env });
    await unit.pass(5.3);
    unit.clock.stepWallClock(jumpMs);
    await unit.pass(60);
    expect(moved(unit, 'add_media')).toBeCloseTo(2, 9);
    expect(truth(unit).volumeMl).toBeCloseTo(16, 3);
    expect(unit.liquids.ledger.values('exp1').current_volume_ml).toBeCloseTo(16, 9);
    expect(Math.abs(imbalanceMl(unit.liquids.ledger.stateOf('exp1').balance))).toBeLessThan(1e-9);
  });

  it('gives a pump neither more nor less than its hour', async () => {
    const { unit } = await metered();
    await using _unit = unit;
    await unit.run('remove_waste', { options: { duration: 1700 }, env });
    await unit.pass(1710);
    unit.clock.stepWallClock(jumpMs);
    const more = () => unit.run('remove_waste', { options: { duration: 300 }, env });
    await expect(more()).rejects.toMatchObject({ code: 'pumps_refused' });
    await unit.pass(3600);
    await expect(more()).resolves.toMatchObject({ state: 'ready' });
  });

  it('leaves out no optical density, and the growth rate continues', async () => {
    await using unit = await testUnit({
      vial: { evaporationMlPerHour: 0 },
      start: { volumeMl: 15, od: 0.3, reservoirMl: 1000 },
      oversampling: 'closed_form',
    });
    for (const job of ['stirring', 'od_reading', 'growth_rate_calculating']) await unit.run(job, { env });
    await unit.pass(2 * 3600);
    const before = { ods: unit.recorded.of('od').length, rates: unit.recorded.of('growth_rate').length };
    const rate = unit.recorded.values('growth_rate').at(-1) ?? Number.NaN;
    unit.clock.stepWallClock(jumpMs);
    await unit.pass(600);
    expect(unit.recorded.of('od').length - before.ods).toBe(120);
    expect(unit.recorded.of('growth_rate').length - before.rates).toBe(120);
    for (const value of unit.recorded.values('growth_rate').slice(before.rates))
      expect(Math.abs(value - rate)).toBeLessThan(0.03);
    expect(unit.recorded.of('growth_rate').at(-1)?.atMs).toBeCloseTo(unit.clock.now(), -4.5);
    expect(errors(unit)).toEqual([]);
  }, 60_000);

  it('does not change for how long a doubt about the signal lasts', async () => {
    await using unit = await testUnit({
      vial: { faults: [{ fault: 'vial_removed', fromS: 600, untilS: 1e9 }] },
      start: { volumeMl: 15, od: 0.3, reservoirMl: 1000 },
      oversampling: 'closed_form',
    });
    for (const job of ['stirring', 'od_reading']) await unit.run(job, { env });
    await unit.pass(900);
    const flags = () => unit.recorded.of('od').at(-1)?.flags;
    expect(flags()).toContain('vial_out');
    unit.clock.stepWallClock(jumpMs);
    // What stays for half an hour is the new normal.
    await unit.pass(1200);
    expect(flags()).toContain('vial_out');
    await unit.pass(600);
    expect(flags()).not.toContain('vial_out');
  });

  it('while the growth rate is not computed, does not make it silent', async () => {
    await using unit = await testUnit({
      vial: { evaporationMlPerHour: 0 },
      start: { volumeMl: 15, od: 0.3, reservoirMl: 1000 },
      oversampling: 'closed_form',
    });
    for (const job of ['stirring', 'od_reading', 'growth_rate_calculating']) await unit.run(job, { env });
    await unit.pass(3600);
    await unit.stop('growth_rate_calculating');
    unit.clock.stepWallClock(jumpMs);
    await unit.pass(60);
    await unit.run('growth_rate_calculating', { env });
    const before = unit.recorded.of('growth_rate').length;
    await unit.pass(600);
    expect(unit.recorded.of('growth_rate').length - before).toBe(120);
    expect(unit.recorded.values('growth_rate').at(-1)).toBeLessThan(1);
  }, 60_000);

  it('does not turn night into day', async () => {
    await using unit = await testUnit({});
    const options = { automation_name: 'light_dark_cycle', light_duration_minutes: 100, dark_duration_minutes: 50 };
    await unit.run('led_automation', { options: { ...options, light_intensity: 30 }, env });
    await unit.pass(300);
    unit.clock.stepWallClock(jumpMs);
    const light = () => Math.round(unit.board.levels.led.D);
    await unit.pass(5690);
    expect(light()).toBe(30);
    await unit.pass(20);
    expect(light()).toBe(0);
    await unit.pass(2980);
    expect(light()).toBe(0);
    await unit.pass(20);
    expect(light()).toBe(30);
  });
});
