import { type StandInLeader, startStandInLeader, startUnit, type UnitUnderTest } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';
import { Person, placeVial, plantOf, whileTimePasses } from './calibration-fixtures.ts';

let leader: StandInLeader;
let unit: UnitUnderTest;
beforeEach(async () => {
  leader = await startStandInLeader();
  unit = await startUnit({ leaderUrl: leader.url, observe });
  await leader.put(unit.url);
});
afterEach(async () => {
  await unit[Symbol.asyncDispose]();
  await leader[Symbol.asyncDispose]();
});

const post = (params: { readonly session_id: string }) =>
  unit.api.call('advanceUnitCalibrationSession', { params, body: { inputs: {} } });

describe('the stirrer', () => {
  it('is calibrated to its true speed, and then starts at the right speed', async () => {
    const person = await Person.start(unit, 'stirring', 'dc_based');
    await person.submits();
    expect(person.step.step_type).toBe('action');
    expect(await person.submits()).toBe('complete');
    expect(person.session.result).toMatchObject({ calibrations: [{ device: 'stirring', path: expect.any(String) }] });
    const { stirring } = await unit.client.listUnitActiveCalibrations();
    if (stirring?.calibration_type !== 'simple_stirring') throw new Error('There is no stirring calibration.');
    expect(stirring.recorded_data.x).toHaveLength(15);
    expect(stirring).toMatchObject({ x: 'DC %', y: 'RPM', pwm_hz: 200 });
    const { parameters } = plantOf(unit).vial;
    for (const [index, duty] of stirring.recorded_data.x.entries()) {
      const truth = parameters.stirrer.rpmPerPercent * (duty - parameters.stirrer.deadZonePercent);
      expect(Math.abs((stirring.recorded_data.y[index] ?? 0) / truth - 1)).toBeLessThan(0.1);
    }
    const options = { target_rpm: 500 };
    expect(
      await unit.finished(await unit.client.runJob({ params: { job: 'stirring' }, body: { options } })),
    ).toMatchObject({
      status: 'succeeded',
    });
    await unit.clock.advance(5_000);
    plantOf(unit).state(unit.clock.monotonic());
    expect(Math.abs(plantOf(unit).vial.state.stirrer.rpm - 500)).toBeLessThan(60);
  });

  it('cannot be measured while another job uses it, and the session reports that', async () => {
    const person = await Person.start(unit, 'stirring', 'dc_based');
    await person.submits();
    const accepted = await unit.client.runJob({ params: { job: 'stirring' }, body: {} });
    expect(await unit.finished(accepted)).toMatchObject({ status: 'succeeded' });
    (await whileTimePasses(unit, post(person.params))).expect(400, 'session_action_failed');
    await person.reload();
    expect(person.session).toMatchObject({ status: 'in_progress', step_id: 'run_calibration' });
  });
});

describe('optical density', () => {
  it('is calibrated by standards, and then measured correctly', async () => {
    const person = await Person.start(unit, 'od90', 'standards');
    await person.submits();
    await person.submits();
    expect(await person.submits({ rpm: 500 })).toBe('place_standard');
    for (const od of [0.1, 0.3, 0.6, 1, 1.5]) {
      if (person.step.step_id === 'another_standard') await person.submits({ next_action: 'another standard' });
      placeVial(unit, od);
      await person.submits();
      expect(await person.submits({ od600_value: od })).toBe('another_standard');
    }
    await person.submits({ action: 'redo_last' });
    expect(person.session.data.od600_values).toEqual([0.1, 0.3, 0.6, 1]);
    await person.submits();
    expect(await person.submits({ od600_value: 1.5 })).toBe('another_standard');
    await person.submits({ next_action: 'go on to the blank' });
    placeVial(unit, 0);
    await person.submits();
    expect(await person.submits({ od600_blank: 0 })).toBe('complete');
    const { od90 } = await unit.client.listUnitActiveCalibrations();
    expect(od90).toMatchObject({ calibration_type: 'od600', angle: '90', pd_channel: '2', ir_led_intensity: 80 });
    placeVial(unit, 0.8);
    const params = { job: 'od_reading' };
    expect(await unit.finished(await unit.client.runJob({ params: { job: 'stirring' }, body: {} }))).toMatchObject({
      status: 'succeeded',
    });
    expect(await unit.finished(await unit.client.runJob({ params, body: {} }))).toMatchObject({ status: 'succeeded' });
    await unit.clock.advance(60_000);
    const { settings } = await unit.client.getJobSettings({ params: { job_name: 'od_reading' } });
    const reading: unknown = JSON.parse(String(settings.od2));
    expect(reading).toMatchObject({ calibrated: 1, calibration_name: od90?.calibration_name, angle: '90' });
    expect(Number(Reflect.get(Object(reading), 'od'))).toBeCloseTo(0.8, 1);
    expect(settings).toMatchObject({ raw_od2: expect.any(String), calibrated_od2: expect.any(String) });
  });

  it('is not calibrated by indistinguishable standards: nothing is stored, and the session stays at its step', async () => {
    const person = await Person.start(unit, 'od90', 'standards');
    await person.submits();
    await person.submits();
    await person.submits({ rpm: 500 });
    placeVial(unit, 0.3);
    for (const od of [0.5, 1]) {
      if (person.step.step_id === 'another_standard') await person.submits({ next_action: 'another standard' });
      await person.submits();
      await person.submits({ od600_value: od });
    }
    await person.submits({ next_action: 'go on to the blank' });
    await person.submits();
    const inputs = { od600_blank: 0 };
    const asked = unit.api.call('advanceUnitCalibrationSession', { params: person.params, body: { inputs } });
    (await whileTimePasses(unit, asked)).expect(400, 'calibration_unusable');
    expect(await unit.client.listUnitCalibrations()).toEqual({});
    expect(await unit.client.listUnitActiveCalibrations()).toEqual({});
    await person.reload();
    expect(person.session).toMatchObject({ status: 'in_progress', step_id: 'measure_blank' });
  });
});
