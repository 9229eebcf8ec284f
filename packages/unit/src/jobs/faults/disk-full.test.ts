import { imbalanceMl } from '@lcs/domain';
import { describe, expect, it } from 'vitest';
import {
  automation,
  automationEvents,
  chemostatDoseMl,
  env,
  errors,
  metered,
  moved,
  pumpLevels,
  stateOf,
} from '../../testing/test-dosing.ts';
import { quietVial, testUnit } from '../../testing/test-unit.ts';

describe('while the disk is full', () => {
  it('a unit measures, stirs and heats as before', async () => {
    let isFull = false;
    await using unit = await testUnit({ vial: quietVial, oversampling: 'closed_form', isDiskFull: () => isFull });
    const thermostat = { automation_name: 'thermostat', target_temperature: 37 };
    for (const job of ['stirring', 'od_reading', 'growth_rate_calculating']) await unit.run(job, { env });
    await unit.run('temperature_automation', { options: thermostat, env });
    await unit.pass(3600);
    const readings = () =>
      ['od', 'growth_rate', 'temperature', 'stirring_rpm'].map((one) => unit.recorded.of(one).length);
    const before = readings();
    await unit.pass(1800);
    const usual = readings().map((count, index) => count - (before[index] ?? 0));
    isFull = true;
    const full = readings();
    await unit.pass(1800);
    readings().forEach((count, index) => {
      expect(Math.abs(count - (full[index] ?? 0) - (usual[index] ?? 0))).toBeLessThanOrEqual(1);
    });
    expect(unit.runtime.running().map(({ state }) => state.kind)).toEqual(['ready', 'ready', 'ready', 'ready']);
    expect(Math.abs(unit.plant.vial.state.thermal.liquidC - 37)).toBeLessThan(1.5);
    expect(errors(unit)).toEqual([]);
    isFull = false;
  }, 60_000);

  it('no pump runs, and dosing continues by itself when the disk has space again', async () => {
    let isFull = false;
    const { unit } = await metered({ isDiskFull: () => isFull });
    await using _unit = unit;
    await automation(unit, 'chemostat', { duration: 10, exchange_volume_ml: 0.2 });
    await unit.pass(300);
    const before = moved(unit, 'add_media');
    isFull = true;
    await unit.pass(600);
    expect(pumpLevels(unit)).toEqual([0, 0, 0]);
    expect(moved(unit, 'add_media')).toBeCloseTo(before, 9);
    expect(errors(unit)).toHaveLength(1);
    expect(stateOf(unit)).toBe('ready');
    isFull = false;
    await unit.pass(600);
    expect(automationEvents(unit).at(-1)).toBe('DilutionEvent');
    expect(moved(unit, 'add_media')).toBeCloseTo(before + chemostatDoseMl(0.2, 10), 6);
    const { balance } = unit.liquids.ledger.stateOf('exp1');
    expect(Math.abs(imbalanceMl(balance))).toBeLessThan(1e-9);
    expect(balance.totals.addedMl).toBeCloseTo(unit.plant.vial.state.ledger.media, 2);
  });

  it('dosing sleeps after three attempts in a row', async () => {
    let isFull = false;
    const { unit } = await metered({ isDiskFull: () => isFull });
    await using _unit = unit;
    await automation(unit, 'chemostat', { duration: 10, exchange_volume_ml: 0.2 });
    await unit.pass(300);
    isFull = true;
    await unit.pass(2000);
    expect(stateOf(unit)).toBe('sleeping');
    expect(errors(unit)).toHaveLength(3);
    isFull = false;
  });

  it('a dose under way ends within half a second, and its ledger is right', async () => {
    let isFull = false;
    const { unit } = await metered({ isDiskFull: () => isFull });
    await using _unit = unit;
    await unit.run('add_media', { options: { ml: 2 }, env });
    await unit.pass(5.2);
    isFull = true;
    await unit.pass(0.5);
    expect(pumpLevels(unit)).toEqual([0, 0, 0]);
    expect(unit.recorded.logCount('ERROR')).toBeGreaterThan(0);
    await unit.pass(60);
    isFull = false;
    await unit.run('add_media', { options: { ml: 0.1 }, env });
    await unit.pass(30);
    const { volumeMl } = unit.plant.vial.state;
    expect(unit.liquids.ledger.values('exp1').current_volume_ml).toBeCloseTo(volumeMl, 6);
    expect(moved(unit, 'add_media')).toBeCloseTo(volumeMl - 14, 6);
    // What waited was written with what came next.
    const entries = await unit.liquids.ledger.entries('exp1');
    const written = entries.reduce((sum, entry) => sum + (entry.kind === 'dose' ? entry.volumeMl : 0), 0);
    expect(written).toBeCloseTo(volumeMl - 14, 6);
  });
});
