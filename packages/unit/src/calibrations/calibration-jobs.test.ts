import { builtInJobs, pumpingJobs } from '@lcs/domain';
import { describe, expect, it } from 'vitest';
import { calibratingUnit, KeptSessions } from '../testing/test-calibrations.ts';

type CalibratingUnit = Awaited<ReturnType<typeof calibratingUnit>>;

const allOff = { led: { A: 0, B: 0, C: 0, D: 0 }, pwm: expect.objectContaining({ 1: 0, 2: 0, 3: 0, 4: 0, 5: 0 }) };
const running = ({ unit }: CalibratingUnit) => unit.runtime.running().map(({ origin }) => origin.jobName);
/** Lets the time pass that a sweep takes. */
const sweepS = 80;

it('the jobs that run pumps are those that a stop of all pumps ends', async () => {
  await using unit = (await calibratingUnit()).unit;
  const isPumping = (name: string) => unit.runtime.definition(name).stopGroup === 'pumps';
  expect(builtInJobs.map(({ name }) => name).filter(isPumping)).toEqual(pumpingJobs);
});

describe('the calibration of the stirrer', () => {
  it('needs no person: it sweeps, fits, stores and activates the calibration', async () => {
    const calibrating = await calibratingUnit();
    const { unit, kept, logged } = calibrating;
    await using _ = unit;
    await unit.run('stirring_calibration');
    await unit.pass(30);
    const early = unit.recorded.setting('stirring_calibration/percent_progress');
    expect(early).toBeGreaterThan(0);
    expect(early).toBeLessThan(100);
    expect(unit.runtime.running()[0]?.origin.experiment).toBe('_testing_exp1');
    await unit.pass(sweepS - 30);
    expect(running(calibrating)).toEqual([]);
    expect(unit.recorded.states.at(-1)).toBe('stirring_calibration disconnected');
    const progress = unit.recorded.settings.filter(([name]) => name === 'stirring_calibration/percent_progress');
    expect(progress.map(([, value]) => value).slice(-2)).toEqual([100, null]);
    expect(kept).toMatchObject([
      {
        device: 'stirring',
        isActive: true,
        content: {
          calibration_type: 'simple_stirring',
          calibration_name: expect.stringMatching(/^stirring-calibration-/),
        },
      },
    ]);
    const { x, y } = Object(kept[0]?.content).recorded_data;
    expect([x.length, y.length]).toEqual([15, 15]);
    expect([Math.min(...x), Math.max(...x)]).toEqual([expect.closeTo(19.8, 6), expect.closeTo(39.9, 6)]);
    expect(logged).toEqual([expect.stringMatching(/^NOTICE The stirrer is calibrated: .*, in use/)]);
    expect(unit.board.levels).toEqual(allOff);
  });

  it('accepts other duties and a name, and activates the calibration only on request', async () => {
    const { unit, kept } = await calibratingUnit();
    await using _ = unit;
    const options = { min_dc: 30, max_dc: 60, calibration_name: 'my stirrer', activate: false };
    await unit.run('stirring_calibration', { options });
    await unit.pass(sweepS);
    expect(kept).toMatchObject([{ isActive: false, content: { calibration_name: 'my stirrer' } }]);
    const { x } = Object(kept[0]?.content).recorded_data;
    expect([Math.min(...x), Math.max(...x)]).toEqual([30, 60]);
  });

  it.each([
    [{ min_dc: 30 }, 'both are needed'],
    [{ min_dc: 60, max_dc: 30 }, 'must be below max_dc'],
    [{ min_dc: 30, max_dc: 130 }, 'at most 100'],
    [{ calibration_name: '../x' }, 'calibration_name'],
  ])('refuses %j', async (options, cause) => {
    const { unit } = await calibratingUnit();
    await using _ = unit;
    await expect(unit.run('stirring_calibration', { options })).rejects.toMatchObject({
      code: 'job_options_invalid',
      body: { cause: expect.stringContaining(cause) },
    });
  });

  it('is refused while the stirrer runs, and while another one does', async () => {
    const calibrating = await calibratingUnit();
    const { unit, kept } = calibrating;
    await using _ = unit;
    await unit.run('stirring');
    await expect(unit.run('stirring_calibration')).rejects.toMatchObject({ code: 'job_excluded' });
    await unit.stop('stirring');
    await unit.run('stirring_calibration');
    await expect(unit.run('stirring_calibration')).rejects.toMatchObject({ code: 'job_already_running' });
    expect(running(calibrating)).toEqual(['stirring_calibration']);
    await unit.pass(sweepS);
    expect(kept).toHaveLength(1);
  });

  it('stores nothing when it is stopped or paused, or measures no rotation, and logs the reason', async () => {
    const { unit, kept, logged, started } = await calibratingUnit();
    await using _ = unit;
    await unit.run('stirring_calibration');
    await unit.pass(20);
    await unit.runtime.stopJobs({ experiment: 'exp1' });
    expect(unit.board.levels).toEqual(allOff);
    expect(logged).toEqual([]);
    await unit.run('stirring_calibration');
    await unit.pass(20);
    await expect(
      unit.runtime.update({ jobName: 'stirring_calibration' }, { $state: 'sleeping' }, 'http'),
    ).rejects.toMatchObject({ code: 'job_cannot_pause' });
    expect(unit.board.levels).toEqual(allOff);
    // The bar stands still at such low duties.
    await unit.run('stirring_calibration', { options: { min_dc: 1, max_dc: 2 } });
    await unit.pass(sweepS);
    await expect(started.at(-1)?.done).rejects.toMatchObject({ code: 'calibration_unusable' });
    expect(logged.at(-1)).toMatch(/^ERROR The stirrer was not calibrated\. .*speed sensor/);
    unit.faults.set('gpio', { kind: 'absent' });
    await unit.run('stirring_calibration');
    await unit.pass(sweepS);
    expect(logged.at(-1)).toMatch(/^ERROR The stirrer was not calibrated\. gpio 21: .*no acknowledgement/);
    expect(kept).toEqual([]);
    expect(unit.recorded.states.at(-1)).toBe('stirring_calibration disconnected');
    expect(unit.board.levels).toEqual(allOff);
  });
});

const answer = ({ unit }: CalibratingUnit, job: string, value: string | number | boolean) =>
  unit.runtime.update({ jobName: job, experiment: 'exp1' }, { answer: value }, 'http');
const shown = ({ unit }: CalibratingUnit, job: string) => unit.runtime.settings(job);
/** Work goes on while this waits. */
async function answerAndPass(
  calibrating: CalibratingUnit,
  job: string,
  value: string | number | boolean,
  seconds = 1,
): Promise<void> {
  await answer(calibrating, job, value);
  await calibrating.unit.pass(seconds);
}

const pump = 'pump_calibration';
const known = { calibration_name: 'my pump', mls_to_calibrate_for: [1], hz: 250, dc: 100, prime_duration_s: 6 };

/** A pump's calibration that waits with its tubes placed. */
async function withTubesPlaced(calibrating: CalibratingUnit, device = 'media_pump'): Promise<void> {
  await calibrating.unit.run(pump, { options: { device, ...known } });
  for (let step = 0; step < 3; step += 1) await answerAndPass(calibrating, pump, 'next');
  expect(shown(calibrating, pump)).toMatchObject({ step_id: 'tubing_into_water' });
}

describe('the calibration of a pump as a job', () => {
  it('publishes instructions, answers known steps by itself, and ends with the calibration', async () => {
    const calibrating = await calibratingUnit();
    const { unit, kept } = calibrating;
    await using _ = unit;
    await withTubesPlaced(calibrating);
    expect(shown(calibrating, pump)).toMatchObject({
      $state: 'ready',
      session_id: 's1',
      instruction: expect.stringMatching(/^Place the tubes: Put the inlet/),
    });
    await answerAndPass(calibrating, pump, 'next');
    await unit.pass(2);
    // The tubes are being filled, as was logged beforehand.
    expect(unit.board.levels.pwm[2]).toBeGreaterThan(0);
    expect(Number(shown(calibrating, pump).percent_progress)).toBeGreaterThan(0);
    expect(unit.runtime.running()).toHaveLength(1);
    await unit.pass(6);
    expect(shown(calibrating, pump)).toMatchObject({ step_id: 'tracer_run' });
    await answerAndPass(calibrating, pump, 'next', 3);
    expect(shown(calibrating, pump)).toMatchObject({
      step_id: 'tracer_volume',
      fields: expect.stringContaining('volume_ml'),
    });
    await expect(answer(calibrating, pump, 'a lot')).rejects.toMatchObject({
      code: 'job_setting_invalid',
      body: { cause: 'volume_ml: It must be a number.' },
    });
    expect(shown(calibrating, pump)).toMatchObject({ step_id: 'tracer_volume' });
    await answerAndPass(calibrating, pump, 0.1);
    const durations: number[] = Object(calibrating.store.all.get('s1')?.data).durations;
    for (const seconds of durations) {
      expect(shown(calibrating, pump)).toMatchObject({ step_id: 'test_run' });
      await answerAndPass(calibrating, pump, 'next', seconds + 1);
      await answerAndPass(calibrating, pump, 0.1 * seconds);
    }
    expect(running(calibrating)).toEqual([]);
    expect(kept).toMatchObject([
      { device: 'media_pump', isActive: true, content: { calibration_name: 'my pump', dc: 100 } },
    ]);
    expect(unit.recorded.logs).toContain('NOTICE media_pump is calibrated.');
  });

  it('is refused while dosing runs, and says first what it does to the experiment', async () => {
    const calibrating = await calibratingUnit();
    const { unit } = calibrating;
    await using _ = unit;
    await unit.run('dosing_automation', { options: { automation_name: 'silent', duration: 30 } });
    await expect(unit.run(pump, { options: { device: 'media_pump' } })).rejects.toMatchObject({
      code: 'session_refused',
      body: { diagnostics: [{ job_name: 'dosing_automation' }] },
    });
    await unit.stop('dosing_automation');
    await unit.run('stirring');
    await unit.run(pump, { options: { device: 'media_pump' } });
    expect(shown(calibrating, pump)).toMatchObject({
      step_id: 'intro_confirm_1',
      instruction: expect.stringContaining('unit1 is in the experiment exp1, where stirring runs. The media pump'),
    });
  });

  it('ends its session when it is stopped, and stops the pump at once', async () => {
    const calibrating = await calibratingUnit();
    const { unit, store } = calibrating;
    await using _ = unit;
    await withTubesPlaced(calibrating);
    await answerAndPass(calibrating, pump, 'next', 2);
    expect(unit.board.levels.pwm[2]).toBeGreaterThan(0);
    await unit.stop(pump);
    expect(unit.board.levels).toEqual(allOff);
    expect(store.all.get('s1')).toMatchObject({ status: 'aborted', error: 'Cancelled on request' });
    expect(running(calibrating)).toEqual([]);
  });

  it('stops the work of a step only, when that is the answer, and lets it be done again', async () => {
    const calibrating = await calibratingUnit();
    const { unit } = calibrating;
    await using _ = unit;
    await withTubesPlaced(calibrating);
    await answerAndPass(calibrating, pump, 'next', 2);
    await expect(answer(calibrating, pump, 'next')).rejects.toMatchObject({
      body: { code: 'job_setting_invalid' },
    });
    await answerAndPass(calibrating, pump, 'stop');
    expect(unit.board.levels).toEqual(allOff);
    expect(shown(calibrating, pump)).toMatchObject({ step_id: 'prime_pump_duration', problem: 'It was stopped.' });
    await answerAndPass(calibrating, pump, 5, 2);
    expect(unit.board.levels.pwm[2]).toBeGreaterThan(0);
    expect(shown(calibrating, pump)).not.toHaveProperty('problem');
    await unit.pass(5);
    expect(shown(calibrating, pump)).toMatchObject({ step_id: 'tracer_run' });
  });

  it('has its pump off while it is paused, and takes no answers', async () => {
    const calibrating = await calibratingUnit();
    const { unit, sessions } = calibrating;
    await using _ = unit;
    await withTubesPlaced(calibrating);
    await answerAndPass(calibrating, pump, 'next', 2);
    await unit.runtime.update({ jobName: pump }, { $state: 'sleeping' }, 'http');
    expect(unit.board.levels).toEqual(allOff);
    await expect(answer(calibrating, pump, 5)).rejects.toMatchObject({
      code: 'job_setting_invalid',
      body: { field: 'answer' },
    });
    await expect(sessions.advance('s1', { prime_duration_s: 5 })).rejects.toMatchObject({
      code: 'session_action_failed',
    });
    await unit.runtime.update({ jobName: pump }, { $state: 'ready' }, 'http');
    await answerAndPass(calibrating, pump, 5, 2);
    expect(unit.board.levels.pwm[2]).toBeGreaterThan(0);
    await unit.stop(pump);
  });

  it('follows a person who continues its session with the routes, and ends when they cancel it', async () => {
    const calibrating = await calibratingUnit();
    const { unit, sessions } = calibrating;
    await using _ = unit;
    await unit.run(pump, { options: { device: 'waste_pump' } });
    await sessions.advance('s1', {});
    await unit.pass(1);
    expect(shown(calibrating, pump)).toMatchObject({ step_id: 'intro_confirm_2' });
    await sessions.abort('s1');
    await unit.pass(1);
    expect(running(calibrating)).toEqual([]);
    expect(unit.recorded.states.at(-1)).toBe(`${pump} disconnected`);
    expect(unit.recorded.logs).toContain('INFO The session has ended without a result. Cancelled on request');
  });

  it('waits for a person when an answer in the options is refused', async () => {
    const calibrating = await calibratingUnit();
    const { unit } = calibrating;
    await using _ = unit;
    await unit.run(pump, { options: { device: 'media_pump', calibration_name: '../x' } });
    for (let step = 0; step < 3; step += 1) await answerAndPass(calibrating, pump, 'next');
    expect(shown(calibrating, pump)).toMatchObject({
      step_id: 'name_input',
      problem: expect.stringContaining('calibration_name: '),
    });
    await answerAndPass(calibrating, pump, 'a better name');
    expect(shown(calibrating, pump)).toMatchObject({ step_id: 'volume_targets' });
  });

  it('is one at a time, and one session a device', async () => {
    const { unit, sessions } = await calibratingUnit();
    await using _ = unit;
    await expect(unit.run(pump)).rejects.toMatchObject({ code: 'job_options_invalid' });
    await sessions.begin('media_pump', 'duration_based');
    await expect(unit.run(pump, { options: { device: 'media_pump' } })).rejects.toMatchObject({
      code: 'session_exists',
    });
    await expect(unit.run(pump, { options: { session: 'none' } })).rejects.toMatchObject({ code: 'session_unknown' });
    await expect(unit.run(pump, { options: { session: 's1', device: 'waste_pump' } })).rejects.toMatchObject({
      code: 'job_options_invalid',
    });
    await sessions.abort('s1');
    await expect(unit.run(pump, { options: { session: 's1' } })).rejects.toMatchObject({
      body: { cause: 'The session s1 has ended.' },
    });
    await unit.run(pump, { options: { device: 'waste_pump' } });
    await expect(unit.run(pump, { options: { device: 'alt_media_pump' } })).rejects.toMatchObject({
      code: 'job_already_running',
    });
  });

  it('is the one that is answered, also while a session of another pump works', async () => {
    const calibrating = await calibratingUnit();
    const { unit, sessions, store } = calibrating;
    await using _ = unit;
    await unit.run(pump, { options: { device: 'waste_pump' } });
    await sessions.begin('media_pump', 'duration_based');
    const session = store.all.get('s2');
    if (session === undefined) throw new Error('It was not stored.');
    await store.save({ ...session, step_id: 'prime_pump_duration', data: { ...session.data, dc: 100, hz: 250 } });
    const priming = sessions.advance('s2', { prime_duration_s: 20 });
    await unit.pass(2);
    expect(unit.runtime.running({ jobName: pump })).toHaveLength(2);
    await answerAndPass(calibrating, pump, 'next');
    expect(unit.runtime.settings(pump, 'exp1')).toMatchObject({ session_id: 's1', step_id: 'intro_confirm_2' });
    const worker = { jobName: pump, experiment: '_testing_exp1' };
    await expect(unit.runtime.update(worker, { answer: 'next' }, 'http')).rejects.toMatchObject({
      code: 'job_setting_invalid',
      body: { field: 'answer' },
    });
    await unit.pass(20);
    expect((await priming).step?.step_id).toBe('tracer_run');
  });

  it('is not started again after the end of its node; the session stays, and another job continues it', async () => {
    const store = new KeptSessions();
    const first = await calibratingUnit({}, store);
    await withTubesPlaced(first);
    await answerAndPass(first, pump, 'next', 2);
    expect(first.unit.board.levels.pwm[2]).toBeGreaterThan(0);
    await first.unit[Symbol.asyncDispose]();
    expect(first.unit.board.levels).toEqual(allOff);
    expect(store.all.get('s1')).toMatchObject({ status: 'in_progress', step_id: 'prime_pump_duration' });
    const again = await calibratingUnit({}, store);
    await using _ = again.unit;
    expect(running(again)).toEqual([]);
    await expect(again.unit.run('od_calibration', { options: { session: 's1' } })).rejects.toMatchObject({
      code: 'job_options_invalid',
    });
    await again.unit.run(pump, { options: { session: 's1' } });
    expect(shown(again, pump)).toMatchObject({ instruction: expect.stringContaining('Filling the tubes') });
    await answerAndPass(again, pump, 5, 7);
    expect(shown(again, pump)).toMatchObject({ step_id: 'tracer_run' });
  });

  it('cannot be started in the name of a session', async () => {
    const { unit } = await calibratingUnit();
    await using _ = unit;
    const env = { JOB_SOURCE: 'calibration_session/s1' };
    await expect(unit.run(pump, { options: { device: 'media_pump' }, env })).rejects.toMatchObject({
      code: 'job_options_invalid',
    });
    await expect(unit.run('prime_pump', { options: { pump: 'media' }, env })).rejects.toMatchObject({
      code: 'job_options_invalid',
    });
  });
});

describe('the trim of the temperature as a job', () => {
  it('takes what the probe shows and ends with the trim', async () => {
    const calibrating = await calibratingUnit();
    const { unit, kept } = calibrating;
    await using _ = unit;
    const job = 'temperature_calibration';
    await expect(unit.run(job)).rejects.toMatchObject({ code: 'session_refused' });
    await unit.run('temperature_automation', { options: { automation_name: 'thermostat', target_temperature: 37 } });
    await unit.pass(3600);
    await unit.run(job, { options: { calibration_name: 'probe 1' } });
    await answerAndPass(calibrating, job, 'next');
    expect(shown(calibrating, job)).toMatchObject({ step_id: 'compare' });
    const estimatedC = Number(unit.recorded.values('temperature').at(-1));
    await answerAndPass(calibrating, job, estimatedC + 1);
    await answerAndPass(calibrating, job, 'no');
    expect(kept).toMatchObject([
      {
        device: 'temperature',
        content: {
          curve_data_: { coefficients: [1, expect.closeTo(1, 1)] },
          heater_duty: [expect.any(Number)],
          board_temperature: [expect.any(Number)],
        },
      },
    ]);
    expect(running(calibrating)).toEqual(['temperature_automation']);
  });
});

describe('a blank as a job', () => {
  it('is measured without questions when the answers are in its options, and otherwise waits for a person', async () => {
    const calibrating = await calibratingUnit();
    const { unit } = calibrating;
    await using _ = unit;
    const job = 'od_calibration';
    const options = { device: 'od', protocol: 'blank', holds_medium_only: true };
    await unit.run(job, { options: { ...options, keep_when_good: false } });
    await unit.pass(120);
    expect(shown(calibrating, job)).toMatchObject({ step_id: 'review' });
    await answerAndPass(calibrating, job, true);
    expect(running(calibrating)).toEqual([]);
    expect(unit.board.levels).toEqual(allOff);
    await unit.run(job, { options: { ...options, keep_when_good: true } });
    await unit.pass(120);
    expect(running(calibrating)).toEqual([]);
  });
});

describe('the calibration of the optical density as a job', () => {
  it('reads the standards that a person places', async () => {
    const calibrating = await calibratingUnit();
    const { unit, kept } = calibrating;
    await using _ = unit;
    const job = 'od_calibration';
    await unit.run(job, { options: { device: 'od90', calibration_name: 'od', rpm: 500 } });
    await answerAndPass(calibrating, job, 'next');
    expect(shown(calibrating, job)).toMatchObject({ step_id: 'place_standard' });
    await answerAndPass(calibrating, job, 'next');
    await answerAndPass(calibrating, job, 0.5, 90);
    expect(shown(calibrating, job)).toMatchObject({ step_id: 'another_standard' });
    await answerAndPass(calibrating, job, 'go on to the blank');
    await answerAndPass(calibrating, job, 'next');
    await answerAndPass(calibrating, job, 0, 5);
    expect(unit.board.levels.pwm[1]).toBeGreaterThan(0);
    expect(unit.runtime.running()).toHaveLength(1);
    await unit.pass(90);
    expect(running(calibrating)).toEqual([]);
    expect(kept).toMatchObject([{ device: 'od90', content: { calibration_type: 'od600', calibration_name: 'od' } }]);
    expect(unit.board.levels).toEqual(allOff);
  });
});
