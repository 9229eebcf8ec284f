import { setTimeout as sleep } from 'node:timers/promises';
import { type LeaderUnderTest, startLeader, startUnit, type UnitUnderTest } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { observe } from '../observe.ts';
import { plantOf, whileTimePasses } from './calibration-fixtures.ts';

const [reactor_unit, experiment] = ['unit1', 'ramp'];
const limitMs = 10_000;

let leader: LeaderUnderTest;
let unit: UnitUnderTest;
beforeEach(async () => {
  leader = await startLeader({ observe });
  unit = await startUnit({ leaderUrl: leader.url, clock: leader.clock, observe });
  const { client } = leader;
  await client.createExperiment({ body: { experiment } });
  await client.registerWorker({ body: { reactor_unit, model_name: 'reactor_40ml', model_version: '1.5' } });
  await client.assignWorker({ params: { experiment }, body: { reactor_unit } });
  await vi.waitFor(
    async () => expect((await unit.client.getDesired()).parts).toMatchObject({ experiment: { state: 'applied' } }),
    limitMs,
  );
});
afterEach(async () => {
  await unit[Symbol.asyncDispose]();
  await leader[Symbol.asyncDispose]();
});

type Options = NonNullable<Parameters<LeaderUnderTest['client']['runWorkerJob']>[0]>['body'];

/** The unit's outcome of a command through the leader's routes. */
async function outcome(
  call: ReturnType<LeaderUnderTest['client']['runWorkerJob']>,
  pause?: () => Promise<void>,
): Promise<unknown> {
  const task = await whileTimePasses(unit, call.then(leader.finished), pause);
  if (task.status !== 'succeeded' || !(task.result instanceof Object)) throw new Error(`The task is ${task.status}.`);
  return Reflect.get(task.result, reactor_unit);
}

const run = (job: string, body: Options = {}) =>
  outcome(leader.client.runWorkerJob({ params: { reactor_unit, job, experiment }, body }));
const stop = (job_name: string) =>
  outcome(leader.client.stopWorkerJob({ params: { reactor_unit, job_name, experiment } }));
const answer = (job: string, value: string | number | boolean) =>
  outcome(
    leader.client.updateWorkerJob({ params: { reactor_unit, job, experiment }, body: { settings: { answer: value } } }),
    // The run that an answer begins shall not be over before the answer has come back, however busy the machine is.
    () => sleep(4),
  );
const settings = async (job: string) => {
  const params = { reactor_unit, job_name: job, experiment };
  const answer = await outcome(leader.client.getWorkerJobSettings({ params }));
  return Object(answer).value?.settings ?? answer;
};
/** The step of a session, asked of the unit itself: a request through the leader is a task, and too slow to be repeated often. */
const stepOf = async (job: string) =>
  (await unit.client.getJobSettings({ params: { job_name: job } })).settings.step_id;
const runningNames = async () => (await unit.client.listRunningJobs()).map(({ job_name }) => job_name);
const rpm = (): number => {
  const plant = plantOf(unit);
  plant.state(unit.clock.monotonic());
  return plant.vial.state.stirrer.rpm;
};
const pumped = (): number => {
  const plant = plantOf(unit);
  plant.state(unit.clock.monotonic());
  return plant.vial.state.ledger.media;
};

/** Lets time pass until it is so. */
async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  for (let tenth = 0; tenth < 2_000; tenth += 1) {
    if (await isSo()) return;
    await unit.clock.advance(100);
  }
  throw new Error('It did not come to that.');
}

const succeeded = expect.objectContaining({ ok: true });
const refused = (cause: string) => ({ ok: false, error: expect.objectContaining({ cause }) });

describe('the calibration of the stirrer by the usual routes', () => {
  it('needs no person: it runs, is active when it has ended, and is logged', async () => {
    expect(await run('stirring_calibration', { options: { calibration_name: 'st' } })).toEqual(succeeded);
    const [row] = await unit.client.listRunningJobsByName({ params: { job: 'stirring_calibration' } });
    expect(row).toMatchObject({ state: 'ready', experiment: '_testing_ramp', job_source: 'user' });
    await until(async () => Number((await settings('stirring_calibration')).percent_progress) > 30);
    await until(async () => !(await runningNames()).includes('stirring_calibration'));
    const { stirring } = await unit.client.listUnitActiveCalibrations();
    expect(stirring).toMatchObject({ calibration_name: 'st', calibration_type: 'simple_stirring', is_active: true });
    await vi.waitFor(async () => {
      const logs = await leader.client.listExperimentLogs({ params: { experiment }, query: {} });
      expect(logs.map(({ message }) => message)).toContain(
        'The stirrer is calibrated: st, in use from its next start.',
      );
    }, limitMs);
  });

  it('is stopped with the jobs of its experiment, and leaves nothing', async () => {
    await run('stirring_calibration');
    await until(() => rpm() > 100);
    await outcome(leader.client.stopWorkerJobsOfExperiment({ params: { reactor_unit, experiment } }));
    expect(await runningNames()).not.toContain('stirring_calibration');
    await unit.clock.advance(20_000);
    expect(rpm()).toBe(0);
    expect(await unit.client.listUnitActiveCalibrations()).toEqual({});
  });

  it('is refused while stirring runs', async () => {
    await run('stirring');
    expect(await run('stirring_calibration')).toMatchObject({ ok: false, error: { code: 'job_excluded' } });
  });
});

describe('the calibration of a pump by the usual routes', () => {
  const job = 'pump_calibration';
  const options = {
    device: 'media_pump',
    calibration_name: 'tube 7',
    mls_to_calibrate_for: [1],
    hz: 250,
    dc: 100,
    prime_duration_s: 120,
  };
  const longPriming = { ...options, prime_duration_s: 120 };

  it('asks, receives answers, and ends with the true calibration of the pump', async () => {
    expect(await run(job, { options })).toEqual(succeeded);
    for (const step of ['intro_confirm_1', 'intro_confirm_2', 'intro_confirm_3', 'tubing_into_water']) {
      await until(async () => (await stepOf(job)) === step);
      expect(await answer(job, 'next')).toEqual(succeeded);
    }
    await until(async () => (await stepOf(job)) === 'tracer_run');
    const { session_id, instruction } = await settings(job);
    expect(instruction).toContain('tare the scale');
    // The page shows the same session.
    const protocols = await unit.client.listUnitCalibrationProtocols({});
    expect(protocols).toContainEqual(
      expect.objectContaining({ id: 'media_pump_duration_based', open_session: session_id }),
    );
    for (let weighed = 0; weighed < 11; weighed += 1) {
      const before = pumped();
      await answer(job, 'next');
      await until(async () => /_volume$/.test(String(await stepOf(job))));
      if (weighed === 0) expect(await answer(job, 'much')).toMatchObject(refused('volume_ml: It must be a number.'));
      await answer(job, Math.round(1000 * (pumped() - before)) / 1000);
      if (weighed < 10) await until(async () => (await stepOf(job)) === 'test_run');
    }
    await until(async () => !(await runningNames()).includes(job));
    const { media_pump: made } = await unit.client.listUnitActiveCalibrations();
    if (made?.calibration_type !== 'simple_peristaltic_pump') throw new Error('There is no pump calibration.');
    expect(made.calibration_name).toBe('tube 7');
    const flow = plantOf(unit).vial.parameters.pumpFlow.media;
    expect(Math.abs((made.curve_data_.coefficients[0] as number) / flow - 1)).toBeLessThan(0.03);
  });

  it('is one at a time; stopped in the middle of a run it stops the pump and cancels its session', async () => {
    await run(job, { options: longPriming });
    expect(await run(job, { options: { ...options, device: 'waste_pump' } })).toMatchObject({ ok: false });
    const { session_id } = await settings(job);
    for (let step = 0; step < 4; step += 1) await answer(job, 'next');
    await until(() => pumped() > 0);
    expect(await stop(job)).toEqual(succeeded);
    const after = pumped();
    await unit.clock.advance(30_000);
    expect(pumped()).toBe(after);
    expect(await unit.client.getUnitCalibrationSession({ params: { session_id } })).toMatchObject({
      session: { status: 'aborted' },
    });
    expect(await settings(job)).toMatchObject({ ok: false });
  });

  it('is not started again when the node ends during a run; its session continues', async () => {
    await run(job, { options: longPriming });
    const { session_id } = await settings(job);
    for (let step = 0; step < 4; step += 1) await answer(job, 'next');
    await until(() => pumped() > 0);
    await unit.node.stop();
    const { dataFolder, clock } = unit;
    await using again = await startUnit({ leaderUrl: leader.url, dataFolder, clock });
    const { session } = await again.client.getUnitCalibrationSession({ params: { session_id } });
    expect(session).toMatchObject({ status: 'in_progress', step_id: 'prime_pump_duration' });
    const before = plantOf(again).vial.state.ledger.media;
    await clock.advance(90_000);
    plantOf(again).state(clock.monotonic());
    const names = (await again.client.listRunningJobs()).map(({ job_name }) => job_name);
    expect(names).not.toContain(job);
    expect(plantOf(again).vial.state.ledger.media).toBe(before);
  });
});
