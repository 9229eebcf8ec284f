import { SeededStream } from '@lcs/domain';
import { describe, expect, it } from 'vitest';
import {
  actuations,
  automationEvents,
  env,
  errors,
  metered,
  moved,
  pumpLevels,
  stateOf,
  type TestUnit,
  turbidostat,
} from '../../testing/test-dosing.ts';

/** So many equal readings that the density itself must have changed, and that the noise is known. */
async function measured(
  unit: TestUnit,
  { reads }: Awaited<ReturnType<typeof metered>>['meters'],
  od: number,
  source?: string,
) {
  for (let reading = 0; reading < 25; reading += 1) {
    reads(od, source);
    await unit.pass(1);
  }
}

describe('a turbidostat', () => {
  it('exchanges when the biomass reaches its target, settles for 30 s, and records the reason', async () => {
    const { unit, meters } = await metered();
    await using _unit = unit;
    await turbidostat(unit, { exchange_volume_ml: 0.5 });
    await measured(unit, meters, 0.4);
    await unit.pass(60);
    expect(automationEvents(unit)).toEqual([]);
    await measured(unit, meters, 0.52);
    await unit.pass(60);
    expect(automationEvents(unit)).toEqual(['DosingStarted', 'DosingStopped', 'DilutionEvent']);
    // The log is read by people: no class names.
    expect(unit.recorded.logs).toEqual(expect.arrayContaining([expect.stringContaining('0.5 mL of medium in')]));
    expect(unit.recorded.logs.join('\n')).not.toMatch(/[a-z][A-Z][a-z]+: /);
    expect(moved(unit, 'add_media')).toBeCloseTo(0.5, 9);
    // The waste, and twice as much again.
    expect(moved(unit, 'remove_waste')).toBeCloseTo(1.5, 9);
    expect(unit.recorded.setting('dosing_automation/latest_event')).toMatchObject({
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
    expect(automationEvents(unit).filter((name) => name === 'DilutionEvent')).toHaveLength(1);
    await unit.pass(30);
    meters.reads(0.6);
    await unit.pass(30);
    expect(automationEvents(unit).filter((name) => name === 'DilutionEvent')).toHaveLength(2);
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

  it('reports a pump in use by another job, and doses afterwards', async () => {
    const { unit, meters } = await metered();
    await using _unit = unit;
    await turbidostat(unit, { exchange_volume_ml: 0.2 });
    await unit.run('add_media', { options: { ml: 1 }, env });
    meters.reads(0.6);
    await unit.pass(5);
    expect(unit.recorded.logCount('ERROR')).toBeGreaterThan(0);
    expect(stateOf(unit)).toBe('ready');
    await unit.pass(40);
    meters.reads(0.6);
    await unit.pass(60);
    expect(automationEvents(unit)).toContain('DilutionEvent');
  });

  it('does nothing by a reading that is known to be wrong', async () => {
    const { unit, meters } = await metered();
    await using _unit = unit;
    await turbidostat(unit);
    meters.reads(5, 'od', ['outlier']);
    await unit.pass(30);
    expect(automationEvents(unit)).toEqual([]);
    // As high as it goes, and at least that.
    meters.reads(5, 'od', ['saturated']);
    await unit.pass(60);
    expect(automationEvents(unit)).toContain('DilutionEvent');
  });

  it('continues by a filtered density for which a dose was not seen: the evidence of the doses decides', async () => {
    const { unit, meters } = await metered();
    await using _unit = unit;
    await turbidostat(unit, { biomass_signal: 'normalized_od' });
    meters.reads(5, 'od_filtered', ['dose_unseen']);
    await unit.pass(60);
    expect(automationEvents(unit)).toContain('DilutionEvent');
  });

  it.each([
    ['od', 'od', ['vial_out']],
    ['normalized_od', 'od_filtered', ['vial_out']],
    ['od_fused', 'od_fused', ['bubbles', 'saturated']],
    ['od', 'od', ['out_of_range']],
  ])('does nothing by a flagged %s, and names its fault', async (biomass_signal, source, flags) => {
    const { unit, meters } = await metered();
    await using _unit = unit;
    await turbidostat(unit, { biomass_signal });
    await measured(unit, meters, 0.1, source);
    for (let minute = 0; minute < 7; minute += 1) {
      await unit.pass(60);
      meters.reads(5, source, flags);
    }
    await unit.pass(10);
    expect(automationEvents(unit)).toEqual(['ErrorOccurred']);
    expect(errors(unit)).toEqual([expect.stringContaining(String(flags[0]))]);
    expect(errors(unit)[0]).not.toContain('saturated');
    await measured(unit, meters, 5, source);
    await unit.pass(60);
    expect(automationEvents(unit)).toContain('DilutionEvent');
  });

  it('does not dilute by single readings of a noisy series', async () => {
    const { unit, meters } = await metered();
    await using _unit = unit;
    await turbidostat(unit);
    const noise = new SeededStream('noise of the readings');
    for (let reading = 0; reading < 120; reading += 1) {
      meters.reads(0.47 * (1 + 0.02 * noise.normal()) + (reading % 40 === 39 ? 0.05 : 0));
      await unit.pass(5);
    }
    expect(automationEvents(unit)).toEqual([]);
  });

  it('reports that also without any earlier reading', async () => {
    const { unit, meters } = await metered();
    await using _unit = unit;
    meters.reads(5, 'od', ['led_failing']);
    await turbidostat(unit);
    for (let minute = 0; minute < 7; minute += 1) {
      await unit.pass(60);
      meters.reads(5, 'od', ['led_failing']);
    }
    await unit.pass(10);
    expect(errors(unit).at(-1)).toContain('led_failing');
    expect(automationEvents(unit)).not.toContain('DilutionEvent');
  });

  it('dilutes a culture that is denser than its calibration covers', async () => {
    const { unit, meters } = await metered();
    await using _unit = unit;
    await turbidostat(unit);
    meters.reads(2, 'od', ['out_of_range'], true);
    await unit.pass(60);
    expect(automationEvents(unit)).toContain('DilutionEvent');
  });

  it.each([
    [['saturated'], false],
    [['out_of_range'], true],
  ])('of a culture beyond what is measured (%j) continues, although no dose shows', async (flags, isLeast) => {
    const { unit, meters } = await metered();
    await using _unit = unit;
    await turbidostat(unit);
    for (let reading = 0; reading < 60; reading += 1) {
      meters.reads(2, 'od', flags, isLeast);
      await unit.pass(60);
    }
    expect(stateOf(unit)).toBe('ready');
    expect(unit.recorded.events.filter(({ name }) => name === 'dose_implausible')).toEqual([]);
    expect(unit.recorded.events.filter(({ data }) => data.correction !== undefined)).toEqual([]);
    expect(automationEvents(unit).filter((name) => name === 'DilutionEvent').length).toBeGreaterThan(20);
  });

  it('reports repeatedly that no reading comes', async () => {
    const { unit, meters } = await metered();
    await using _unit = unit;
    await turbidostat(unit);
    meters.reads(0.1);
    await unit.pass(299);
    expect(errors(unit)).toEqual([]);
    await unit.pass(120);
    expect(errors(unit)).toHaveLength(1);
    expect(automationEvents(unit)).toEqual(['ErrorOccurred']);
    await unit.pass(500);
    expect(errors(unit)).toHaveLength(1);
    expect(stateOf(unit)).toBe('ready');
  });

  it.each([
    ['normalized_od', 'od_filtered'],
    ['od_fused', 'od_fused'],
    ['fused_od', 'od_fused'],
  ])('follows the signal %s', async (signal, source) => {
    const { unit, meters } = await metered();
    await using _unit = unit;
    await turbidostat(unit, { biomass_signal: signal });
    meters.reads(0.6, source);
    await unit.pass(60);
    expect(automationEvents(unit)).toContain('DilutionEvent');
    expect(unit.runtime.settings('dosing_automation').biomass_signal).toBe(signal === 'fused_od' ? 'od_fused' : signal);
  });

  it('follows any setting of another job, a number or a part of it', async () => {
    const { unit, meters } = await metered();
    await using _unit = unit;
    await turbidostat(unit, { biomass_signal: 'meter/level' });
    meters.publishes(0.7);
    await unit.pass(100);
    expect(automationEvents(unit).filter((name) => name === 'DilutionEvent')).toHaveLength(1);
    expect(actuations(unit)[0]?.reading).toMatchObject({ source: 'meter/level', value: 0.7 });
    await unit.runtime.update({ jobName: 'dosing_automation' }, { biomass_signal: 'meter/level.deep' }, 'http');
    meters.publishes({ deep: 0.8, other: 3, timestamp: 'now' });
    await unit.pass(100);
    expect(automationEvents(unit).filter((name) => name === 'DilutionEvent')).toHaveLength(2);
    meters.publishes({ shallow: 9, other: 3 });
    await unit.pass(60);
    expect(automationEvents(unit).filter((name) => name === 'DilutionEvent')).toHaveLength(2);
  });

  it('resolves "auto", and refuses an unknown name, at the start and live', async () => {
    const { unit } = await metered();
    await using _unit = unit;
    await expect(turbidostat(unit, { biomass_signal: 'the colour' })).rejects.toMatchObject({
      code: 'job_setting_invalid',
    });
    await unit.pass(10);
    await turbidostat(unit, { biomass_signal: 'auto' });
    expect(unit.runtime.settings('dosing_automation').biomass_signal).toBe('normalized_od');
    const update = (biomass_signal: string) =>
      unit.runtime.update({ jobName: 'dosing_automation' }, { biomass_signal }, 'http');
    for (const signal of ['', 'od2', 'dosing_automation/target_biomass', 'Meter/level'])
      await expect(update(signal)).rejects.toMatchObject({ code: 'job_setting_invalid' });
    await update('auto');
    await unit.pass(1);
    expect(unit.runtime.settings('dosing_automation').biomass_signal).toBe('normalized_od');
  });
});

describe('a dosing automation that sleeps', () => {
  it('stops its pumps at once, accounts for the moved volume, and continues the exchange after a resume', async () => {
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
    expect(automationEvents(unit)).toContain('DilutionEvent');
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

  it('pauses when the reference of the optical density is unstable', async () => {
    const { unit, meters } = await metered();
    await using _unit = unit;
    await turbidostat(unit);
    meters.emits('reference_unstable');
    await unit.pass(1);
    expect(stateOf(unit)).toBe('sleeping');
    expect(unit.recorded.logCount('ERROR')).toBeGreaterThan(0);
    meters.reads(0.6);
    await unit.pass(60);
    expect(actuations(unit)).toEqual([]);
  });

  it('pauses at the limit of the vial', async () => {
    const { unit, meters } = await metered();
    await using _unit = unit;
    await turbidostat(unit);
    await unit.liquids.ledger.set('exp1', { current_volume_ml: 17.2 });
    await unit.pass(25);
    expect(unit.recorded.logCount('WARNING')).toBeGreaterThanOrEqual(2);
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
