import { type StandInLeader, startStandInLeader, startUnit, type UnitUnderTest } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { observe } from '../observe.ts';
import { Person, placeVial, plantOf } from './calibration-fixtures.ts';

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

const run = async (job: string, options: Record<string, string | number> = {}) =>
  unit.finished(await unit.client.runJob({ params: { job }, body: { options } }));

const liquidC = (): number => {
  plantOf(unit).state(unit.clock.monotonic());
  return plantOf(unit).vial.state.thermal.liquidC;
};

async function toldC(): Promise<number> {
  const { settings } = await unit.client.getJobSettings({ params: { job_name: 'temperature_automation' } });
  return Number(Reflect.get(Object(JSON.parse(String(settings.temperature))), 'temperature'));
}

describe('the temperature', () => {
  const thermostat = { automation_name: 'thermostat', target_temperature: 37 };

  it('is trimmed by a probe, and then equals that of the probe', async () => {
    const refused = await unit.api.call('startUnitCalibrationSession', {
      body: { target_device: 'temperature', protocol_name: 'probe_trim' },
    });
    refused.expect(400, 'session_refused');
    await run('stirring');
    expect(await run('temperature_automation', thermostat)).toMatchObject({ status: 'succeeded' });
    await unit.clock.advance(3 * 3_600_000);
    const person = await Person.start(unit, 'temperature', 'probe_trim');
    await person.submits();
    await person.submits({ calibration_name: 'probe' });
    // A probe that shows more than there is, so that the trim cannot be missed.
    const probeC = Math.round(10 * (liquidC() + 1)) / 10;
    expect(await person.submits({ probe_c: probeC })).toBe('more');
    expect(await person.submits({ another: false })).toBe('complete');
    expect(person.session.result).toMatchObject({
      calibrations: [{ device: 'temperature', calibration_name: 'probe' }],
    });
    const { temperature } = await unit.client.listUnitActiveCalibrations();
    expect(temperature).toMatchObject({ calibration_type: 'temperature', x: 'Estimated', y: 'Probe' });
    await unit.client.stopJobs({ body: { job_name: 'temperature_automation' } }).then((task) => unit.finished(task));
    // A job may be requested once in a second of real time.
    await vi.waitFor(() => run('temperature_automation', thermostat), { timeout: 10_000, interval: 200 });
    await unit.clock.advance(2 * 3_600_000);
    expect(Math.abs((await toldC()) - 37)).toBeLessThan(0.3);
    expect(Math.abs(liquidC() - 36)).toBeLessThan(0.6);
  });
});

describe('the self-test', () => {
  it('is run like a job, and ends by itself', async () => {
    placeVial(unit, 0);
    expect(await run('self_test', { k: 'heating' })).toMatchObject({ status: 'succeeded' });
    await unit.clock.advance(60_000);
    expect(await unit.client.listRunningJobsByName({ params: { job: 'self_test' } })).toEqual([]);
  });
});
