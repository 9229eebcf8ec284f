import { describe, expect, it } from 'vitest';
import { automation, automationEvents, env, errors } from '../../testing/test-dosing.ts';
import { testUnit } from '../../testing/test-unit.ts';

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
    const begin = unit.recorded.values('od').at(-1) ?? 0;
    const target = 1.1 * begin;
    await automation(unit, 'turbidostat', { target_biomass: target, biomass_signal: 'od', exchange_volume_ml: 0.5 });
    await unit.pass(2 * 3600);
    expect(automationEvents(unit)).toContain('DilutionEvent');
    const sinceMs = unit.clock.now();
    await unit.pass(3600);
    const held = unit.recorded.of('od').filter(({ atMs }) => atMs >= sinceMs);
    const inBand = held.filter(({ value }) => Math.abs(value / target - 1) <= 0.05);
    expect(held.length).toBeGreaterThan(700);
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
    const target = (unit.recorded.values('od').at(-1) ?? 0) * 0.98;
    await automation(unit, 'turbidostat', { target_biomass: target, biomass_signal: 'od', exchange_volume_ml: 1 });
    await unit.pass(2.5 * 3600);
    expect(unit.recorded.events.filter(({ name }) => name === 'dose_implausible')).toHaveLength(1);
    const implausible = unit.recorded.events.filter(({ name }) => name === 'dose_implausible');
    expect(implausible).toHaveLength(1);
    expect(implausible[0]?.data).toMatchObject({ pump: 'media_pump' });
    expect(Number(implausible[0]?.data.odds)).toBeGreaterThanOrEqual(10);
    expect(automationEvents(unit)).toContain('ErrorOccurred');
  }, 60_000);

  it('a morbidostat slows growth with the alternative medium, and its ledger knows what is in the vial', async () => {
    await using unit = await testUnit({
      vial: { evaporationMlPerHour: 0, ambientC: 34, inhibition: { halfShare: 0.25, steepness: 2 } },
      start: { volumeMl: 15, od: 0.6, reservoirMl: 1000 },
      oversampling: 'closed_form',
      config: {
        bioreactor: { initial_volume_ml: '15', efflux_tube_volume_ml: '15' },
        'od_reading.config': { samples_per_second: '0.1' },
      },
    });
    for (const job of ['stirring', 'od_reading', 'growth_rate_calculating']) await unit.run(job, { env });
    await unit.pass(1800);
    const targets = { duration: 60, target_growth_rate: 0.1, target_normalized_od: 1 };
    await automation(unit, 'pid_morbidostat', targets);
    await unit.pass(10 * 3600);
    // It grows faster and faster, until there is enough of the alternative medium.
    const rates = unit.recorded.values('growth_rate');
    expect(rates.at(-1) ?? 1).toBeLessThan(Math.max(...rates) - 0.04);
    const { volumeMl, altMediaShare } = unit.plant.state(unit.clock.monotonic()).vial.state;
    const known = unit.liquids.ledger.values('exp1');
    expect(altMediaShare).toBeGreaterThan(0.15);
    expect(Math.abs(known.alt_media_fraction - altMediaShare)).toBeLessThan(0.03);
    expect(Math.abs(known.current_volume_ml - volumeMl)).toBeLessThan(0.3);
    expect(errors(unit)).toEqual([]);
  }, 120_000);
});
