import type { Capability } from '@lcs/contract';
import { FaultyBuses } from '@lcs/hardware';
import { type StandInLeader, startStandInLeader, startUnit, temporaryFolder, type UnitUnderTest } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';

let leader: StandInLeader;
let unit: UnitUnderTest;

beforeEach(async () => {
  leader = await startStandInLeader();
});
afterEach(async () => {
  await unit[Symbol.asyncDispose]();
  await leader[Symbol.asyncDispose]();
});

const both = ['runJob', 'runJobByPatch'] as const;
const missing = 'Missing: the driver of the LEDs (i2c 0x2c: no acknowledgement).';

const listed = async (job: string, automation?: string): Promise<Capability | undefined> => {
  (await unit.api.call('getCapabilities', {})).expect(200);
  const capabilities = await unit.client.getCapabilities({});
  return capabilities.find(({ job_name, automation_name }) => job_name === job && automation_name === automation);
};

describe('a unit whose LED driver does not answer', () => {
  let faults: FaultyBuses;

  beforeEach(async () => {
    const between = (board: ConstructorParameters<typeof FaultyBuses>[0]) => {
      faults = new FaultyBuses(board);
      faults.set('i2c 0x2c', { kind: 'absent' });
      return faults;
    };
    unit = await startUnit({
      leaderUrl: leader.url,
      observe,
      configure: { board: { kind: 'here', seed: 1, between } },
    });
    await leader.put(unit.url);
  });

  it.each(both)('starts, and refuses by %s only the jobs that need it, until it answers', async (run) => {
    const refused = (await unit.api.call(run, { params: { job: 'od_reading' }, body: {} })).expect(
      409,
      'job_hardware_missing',
    );
    expect(refused).toMatchObject({ error: 'od_reading cannot run on this unit now.', cause: missing, status: 409 });
    const accepted = (await unit.api.call(run, { params: { job: 'stirring' }, body: {} })).expect(202);
    expect(await unit.finished(accepted)).toMatchObject({ status: 'succeeded' });
    faults.clear('i2c 0x2c');
    const now = (await unit.api.call(run, { params: { job: 'od_reading' }, body: {} })).expect(202);
    expect(await unit.finished(now)).toMatchObject({ status: 'succeeded' });
  });

  it('refuses a run of the pump that is missing, and no other', async () => {
    faults.set('pwm 2', { kind: 'absent' });
    const start = (job: string, body: object) => unit.api.call('runJob', { params: { job }, body });
    const refused = await Promise.all([
      start('prime_pump', { options: { pump: 'media' } }),
      start('pumps', { args: ['waste', '1', 'media', '1'] }),
      start('pump_calibration', { options: { device: 'media_pump' } }),
    ]);
    for (const answer of refused)
      expect(answer.expect(409, 'job_hardware_missing')).toMatchObject({ cause: expect.stringContaining('pwm 2') });
    for (const job of ['prime_pump', 'pump_calibration', 'od_calibration', 'stirring_calibration'])
      expect(await listed(job)).toMatchObject({ job_name: job, available: job !== 'od_calibration' });
    (await start('pump_calibration', { options: { device: 'waste_pump' } })).expect(202);
  });

  it('lists missing parts in its capabilities', async () => {
    expect(await listed('od_reading')).toMatchObject({ available: false, reason: missing });
    expect(await listed('stirring')).toMatchObject({ available: true });
    expect(await listed('stirring')).not.toHaveProperty('reason');
    expect(await listed('temperature_automation', 'thermostat')).toMatchObject({ available: true });
    faults.clear('i2c 0x2c');
    await unit.clock.advance(600_000);
    expect(await listed('od_reading')).toMatchObject({ available: true });
  });

  it.each(['checkHardware', 'checkHardwareByPatch'] as const)('reports it by %s', async (check) => {
    const body = { model_name: 'reactor_40ml', model_version: '1.5' };
    const accepted = (await unit.api.call(check, { body })).expect(202);
    expect(await unit.finished(accepted)).toMatchObject({
      result: { status: 'warning', reason: 'No response from i2c 0x2c.' },
    });
    faults.clear('i2c 0x2c');
    const again = (await unit.api.call(check, { body })).expect(202);
    expect(await unit.finished(again)).toMatchObject({ result: { status: 'ok' } });
  });
});

describe('a unit on a computer that has neither buses nor tools', () => {
  it('starts, logs all missing parts, and runs jobs that need none of them', async () => {
    await using nothing = await temporaryFolder('sysfs');
    const places = { sysfs: nothing.path, i2cBinding: 'no-such-package-of-i2c', toolPath: nothing.path };
    unit = await startUnit({
      leaderUrl: leader.url,
      observe,
      configure: { board: { kind: 'linux', version: '1.2', places } },
    });
    await leader.put(unit.url);
    expect(unit.node.board.isSimulated).toBe(false);
    for (const [job, automation, reason] of [
      ['od_reading', undefined, 'the package i2c-bus is not installed'],
      ['stirring', undefined, 'dtoverlay=pwm-gpio,gpio=17'],
      ['stirring', undefined, 'install the package gpiod'],
      ['temperature_automation', 'thermostat', 'i2c 0x4f'],
      ['temperature_automation', 'only_record_temperature', 'i2c 0x4f'],
    ] as const) {
      const capability = await listed(job, automation);
      expect(capability).toMatchObject({ available: false, reason: expect.stringContaining(reason) });
    }
    (await unit.api.call('runJob', { params: { job: 'stirring' }, body: {} })).expect(409, 'job_hardware_missing');
    const accepted = (await unit.api.call('runJob', { params: { job: 'growth_rate_calculating' }, body: {} })).expect(
      202,
    );
    expect(await unit.finished(accepted)).toMatchObject({ status: 'succeeded' });
  });

  it('does not check the converters of an undescribed model', async () => {
    await using nothing = await temporaryFolder('sysfs');
    const places = { sysfs: nothing.path, i2cBinding: 'no-such-package-of-i2c', toolPath: nothing.path };
    unit = await startUnit({
      leaderUrl: leader.url,
      observe,
      configure: { board: { kind: 'linux', version: '1.2', places } },
    });
    const own = {
      model_name: 'my_own',
      model_version: '1',
      display_name: 'My own',
      reactor_capacity_ml: 20,
      reactor_max_fill_volume_ml: 18,
      reactor_diameter_mm: 27,
      max_temp_to_reduce_heating: 60,
      max_temp_to_disable_heating: 62,
      max_temp_to_shutdown: 65,
      is_legacy: false,
      is_contrib: true,
    };
    await leader.put(unit.url, { model: own });
    const body = { model_name: 'my_own', model_version: '1' };
    const accepted = (await unit.api.call('checkHardware', { body })).expect(202);
    expect(await unit.finished(accepted)).toMatchObject({
      result: { status: 'skipped' },
    });
  });
});
