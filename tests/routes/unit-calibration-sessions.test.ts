import { type StandInLeader, startStandInLeader, startUnit, type UnitUnderTest } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { observe } from '../observe.ts';
import { Person, plantOf, whileTimePasses } from './calibration-fixtures.ts';

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

const unknown = { session_id: '00000000-0000-4000-8000-000000000000' };
const start = (target_device: string, protocol_name: string) =>
  unit.api.call('startUnitCalibrationSession', { body: { target_device, protocol_name } });
const post = (params: { readonly session_id: string }, inputs: object = {}) =>
  unit.api.call('advanceUnitCalibrationSession', { params, body: { inputs } });
const pumped = (): number => plantOf(unit).vial.state.ledger.media;

/** Goes through the steps until the pump's tubes are filled, and answers what the first second gave. */
async function toTracer(person: Person, mls: readonly number[] = [1]): Promise<void> {
  for (let step = 0; step < 3; step += 1) await person.submits();
  await person.submits();
  await person.submits({ mls_to_calibrate_for: mls });
  await person.submits({ hz: 250, dc: 100 });
  await person.submits();
  expect(await person.submits({ prime_duration_s: 15 })).toBe('tracer_run');
}

it('lists the protocols of connected devices, in order', async () => {
  const offered = (await unit.api.call('listUnitCalibrationProtocols')).expect(200);
  expect(offered).toMatchObject([
    { id: 'alt_media_pump_priming', priority: 50 },
    { id: 'alt_media_pump_duration_based', priority: 99 },
    { id: 'media_pump_priming' },
    { id: 'media_pump_duration_based', target_device: 'media_pump', protocol_name: 'duration_based' },
    { id: 'od_blank', target_device: 'od', protocol_name: 'blank' },
    { id: 'od90_standards' },
    { id: 'stirring_dc_based' },
    { id: 'temperature_probe_trim', target_device: 'temperature', protocol_name: 'probe_trim' },
    { id: 'unit_self_test', target_device: 'unit', protocol_name: 'self_test' },
    { id: 'waste_pump_priming' },
    { id: 'waste_pump_duration_based' },
  ]);
});

describe('a session', () => {
  it('starts with all that a client needs to show its first step', async () => {
    expect((await start('stirring', 'dc_based')).expect(201)).toMatchObject({
      session: {
        protocol_name: 'dc_based',
        target_device: 'stirring',
        status: 'in_progress',
        step_id: 'intro',
        data: { min_dc: null, max_dc: null },
        result: null,
        error: null,
      },
      step: { step_id: 'intro', step_type: 'info', fields: [], metadata: {} },
    });
  });

  it('is refused for devices that cannot be calibrated', async () => {
    (await start('stirring', 'duration_based')).expect(400, 'session_refused');
    (await start('moon', 'dc_based')).expect(400, 'session_refused');
    (await unit.api.call('startUnitCalibrationSession', { body: { target_device: 'stirring' } })).expect(
      400,
      'invalid_body',
    );
    const rawBody = 'a=b';
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    (await unit.api.call('startUnitCalibrationSession', { rawBody, headers })).expect(415, 'unsupported_media_type');
    const accepted = await unit.client.runJob({ params: { job: 'stirring' }, body: {} });
    expect(await unit.finished(accepted)).toMatchObject({ status: 'succeeded' });
    expect((await start('stirring', 'dc_based')).expect(400, 'session_refused')).toMatchObject({
      cause: 'stirring is running: stop it first.',
    });
  });

  it('is the only one of its device until it ends or an hour has passed, and is kept afterwards', async () => {
    const person = await Person.start(unit, 'stirring', 'dc_based');
    (await start('stirring', 'dc_based')).expect(409, 'session_exists');
    const open = async () => (await unit.client.listUnitCalibrationProtocols()).filter((one) => one.open_session);
    expect(await open()).toMatchObject([{ id: 'stirring_dc_based', open_session: person.params.session_id }]);
    (await start('media_pump', 'duration_based')).expect(201);
    const hourMs = 3_600_000;
    await unit.clock.advance(hourMs + 60_000);
    await vi.waitFor(async () => {
      const shown = (await unit.api.call('getUnitCalibrationSession', { params: person.params })).expect(200);
      expect(shown).toMatchObject({ session: { status: 'aborted' } });
    }, 20_000);
    await vi.waitFor(async () => expect(await open()).toEqual([]), 20_000);
    (await start('stirring', 'dc_based')).expect(201);
  }, 60_000);

  it('is unknown for another ID', async () => {
    (await unit.api.call('getUnitCalibrationSession', { params: unknown })).expect(404, 'session_unknown');
    (await post(unknown)).expect(404, 'session_unknown');
    (await unit.api.call('abortUnitCalibrationSession', { params: unknown })).expect(404, 'session_unknown');
  });

  it('stays at its step when an input is invalid', async () => {
    const person = await Person.start(unit, 'media_pump', 'duration_based');
    for (let step = 0; step < 3; step += 1) await person.submits();
    expect(person.step.fields).toEqual([
      {
        name: 'calibration_name',
        label: 'Name',
        field_type: 'string',
        required: true,
        default: expect.stringMatching(/^media_pump-\d{4}-\d{2}-\d{2}$/),
        options: null,
        minimum: null,
        maximum: null,
        min_error_msg: null,
        max_error_msg: null,
        help_text: null,
      },
    ]);
    (await post(person.params, { calibration_name: '../x' })).expect(400, 'session_input_invalid');
    await person.submits({ calibration_name: 'new one' });
    const noNumbers = await post(person.params, { mls_to_calibrate_for: 'a,b' });
    expect(noNumbers.expect(400, 'session_input_invalid')).toMatchObject({ field: 'mls_to_calibrate_for' });
    await person.submits({ mls_to_calibrate_for: '0.5, 1.0' });
    expect(person.session.data).toMatchObject({
      channel_pump_is_configured_for: '2',
      calibration_name: 'new one',
      mls_to_calibrate_for: [0.5, 1],
    });
    expect(person.step).toEqual({
      step_id: 'pwm_settings',
      step_type: 'form',
      title: expect.any(String),
      body: expect.any(String),
      metadata: {},
      fields: [
        {
          name: 'hz',
          label: 'Drive frequency, Hz',
          field_type: 'float',
          required: true,
          default: 250,
          options: null,
          minimum: 0.1,
          maximum: 10_000,
          min_error_msg: null,
          max_error_msg: null,
          help_text: null,
        },
        expect.objectContaining({ name: 'dc', default: 100, minimum: 0, maximum: 100 }),
      ],
    });
    const bad: readonly object[] = [
      {},
      { hz: 250 },
      { hz: 20_000, dc: 100 },
      { hz: 'nan', dc: 1 },
      { hz: 100, dc: 100 },
    ];
    for (const inputs of bad) (await post(person.params, inputs)).expect(400, 'session_input_invalid');
    (await unit.api.call('advanceUnitCalibrationSession', { params: person.params, body: { inputs: 5 } })).expect(
      400,
      'invalid_body',
    );
    const form = { rawBody: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    (await unit.api.call('advanceUnitCalibrationSession', { params: person.params, ...form })).expect(
      415,
      'unsupported_media_type',
    );
    await person.reload();
    expect(person.step.step_id).toBe('pwm_settings');
  });

  it('asks before it replaces a file', async () => {
    const { placed } = await pumpCalibrated('first');
    expect(placed).toBe('complete');
    const person = await Person.start(unit, 'media_pump', 'duration_based');
    for (let step = 0; step < 3; step += 1) await person.submits();
    expect(await person.submits({ calibration_name: 'first' })).toBe('name_overwrite_confirm');
    expect(await person.submits({ overwrite: 'no' })).toBe('name_input');
    await person.submits({ calibration_name: 'first' });
    expect(await person.submits({ overwrite: true })).toBe('volume_targets');
  });
});

/** The whole way, with a scale that shows what came out. */
async function pumpCalibrated(name: string) {
  const person = await Person.start(unit, 'media_pump', 'duration_based');
  for (let step = 0; step < 3; step += 1) await person.submits();
  await person.submits({ calibration_name: name });
  await person.submits({ mls_to_calibrate_for: [1] });
  await person.submits({ hz: 250, dc: 100 });
  await person.submits();
  await person.submits({ prime_duration_s: 15 });
  let before = pumped();
  await person.submits();
  await person.submits({ volume_ml: pumped() - before });
  let posts = 9;
  while (person.step.step_id === 'test_run') {
    before = pumped();
    await person.submits();
    await person.submits({ volume_ml: Math.round(1000 * (pumped() - before)) / 1000 });
    posts += 2;
  }
  return { person, placed: person.step.step_id, posts };
}

describe('a pump', () => {
  it('is calibrated to its true volume', async () => {
    const { person, posts } = await pumpCalibrated('tube 7');
    const flow = plantOf(unit).vial.parameters.pumpFlow.media;
    expect(posts).toBe(9 + 20);
    expect(person.session).toMatchObject({
      status: 'complete',
      step_id: 'complete',
      error: null,
      result: {
        calibration: { device: 'media_pump', calibration_name: 'tube 7', calibration_type: 'simple_peristaltic_pump' },
        calibration_link: {
          device: 'media_pump',
          calibration_name: 'tube 7',
          path: 'storage/calibrations/media_pump/tube 7.yaml',
        },
        // Each start loses 0.01 mL of the simulated pump; two percent of scatter can hide it.
        stats: { bias: expect.any(Number), std_bias: 0 },
        recommended_volume_range_ml: [expect.any(Number), expect.any(Number)],
      },
    });
    const { bias = Number.NaN } = person.session.result?.stats ?? {};
    expect(bias).toBeLessThanOrEqual(0);
    expect(bias).toBeGreaterThan(-0.04);
    // The tracer run differs by two percent like the others.
    const [least = 0, most = 0] = person.session.result?.recommended_volume_range_ml ?? [];
    expect(Math.abs(least / 0.8 - 1)).toBeLessThan(0.12);
    expect(Math.abs(most / 1.1 - 1)).toBeLessThan(0.12);
    expect(person.step).toMatchObject({ step_type: 'result', metadata: { result: person.session.result } });
    const active = await unit.client.listUnitActiveCalibrations();
    const calibration = active.media_pump;
    if (calibration?.calibration_type !== 'simple_peristaltic_pump') throw new Error('There is no pump calibration.');
    expect(calibration).toMatchObject({ hz: 250, dc: 100, voltage: expect.closeTo(5, 0), is_active: true });
    // Ten runs, each of which differs by two percent: five of the mean's standard deviations.
    expect(Math.abs((calibration.curve_data_.coefficients[0] as number) / flow - 1)).toBeLessThan(0.03);
    expect(calibration.recorded_data.x).toHaveLength(10);
    // Posting to a session that has ended changes nothing.
    expect((await post(person.params)).expect(200)).toMatchObject({ session: { status: 'complete' } });
    const seen = await unit.api.call('getUnitCalibrationSession', { params: person.params });
    expect(seen.expect(200)).toMatchObject({ session: { session_id: person.params.session_id } });
    const aborted = await unit.api.call('abortUnitCalibrationSession', { params: person.params });
    expect(aborted.expect(200)).toMatchObject({ session: { status: 'complete', error: null } });
  });

  it('runs again on request, and refuses runs that the guard would not allow', async () => {
    const person = await Person.start(unit, 'media_pump', 'duration_based');
    await toTracer(person);
    await person.submits();
    (await post(person.params, { volume_ml: 0.001 })).expect(400, 'session_input_invalid');
    await person.submits({ volume_ml: 0.09 });
    expect(person.session.data).toMatchObject({
      min_duration: expect.closeTo(8.889, 3),
      max_duration: expect.closeTo(12.222, 3),
    });
    await person.submits();
    expect(await person.submits({ volume_ml: 0.5 })).toBe('test_run');
    expect(person.step.metadata.actions).toMatchObject([{ inputs: { action: 'redo_last' } }]);
    const before = pumped();
    expect(await person.submits({ action: 'redo_last' })).toBe('test_volume');
    // Runs of the simulated pump differ by a few percent.
    const expectedMl = 8.889 * plantOf(unit).vial.parameters.pumpFlow.media;
    expect((pumped() - before) / expectedMl).toBeGreaterThan(0.9);
    expect((pumped() - before) / expectedMl).toBeLessThan(1.1);
    expect(person.session.data.results).toEqual([]);
    await person.submits({ volume_ml: 0.8 });
    const [again] = person.step.metadata.actions ?? [];
    const beforeAsking = pumped();
    expect(await person.submits(again?.inputs)).toBe('test_run');
    expect(person.step).toMatchObject({ step_type: 'action', metadata: { primary_action_label: 'Start the pump' } });
    expect(pumped()).toBe(beforeAsking);
  });

  it('is reviewed, and refused, when the runs do not determine a line', async () => {
    const person = await Person.start(unit, 'media_pump', 'duration_based');
    await toTracer(person);
    await person.submits();
    await person.submits({ volume_ml: 0.09 });
    for (let run = 0; run < 9; run += 1) {
      await person.submits();
      await person.submits({ volume_ml: 1 + (run % 2) });
    }
    await person.submits();
    // A person looks at the runs first; without a change they still give no line.
    expect(await person.submits({ volume_ml: 0.1 })).toBe('review');
    const refused = await whileTimePasses(unit, post(person.params, {}));
    refused.expect(400, 'session_input_invalid');
    expect(await unit.client.listUnitActiveCalibrations()).toEqual({});
  });

  it('stops when the session is aborted during a run, with one request at a time', async () => {
    const person = await Person.start(unit, 'media_pump', 'duration_based');
    for (let step = 0; step < 3; step += 1) await person.submits();
    await person.submits();
    await person.submits();
    await person.submits({ hz: 250, dc: 100 });
    await person.submits();
    const running = post(person.params, { prime_duration_s: 20 });
    await untilPumping();
    await unit.clock.advance(3_000);
    (await post(person.params, {})).expect(409, 'session_busy');
    await person.reload();
    expect(person.step.metadata.progress).toMatchObject({ fraction: expect.closeTo(0.15, 1) });
    const aborted = await unit.api.call('abortUnitCalibrationSession', { params: person.params });
    expect(aborted.expect(200)).toMatchObject({
      session: { status: 'aborted', error: 'Cancelled on request', step_id: 'prime_pump_duration' },
      step: { step_id: 'ended', step_type: 'info' },
    });
    (await running).expect(400, 'session_action_failed');
    const after = pumped();
    await unit.clock.advance(30_000);
    expect(pumped()).toBe(after);
    expect(after).toBeLessThan(10 * plantOf(unit).vial.parameters.pumpFlow.media);
    expect((await start('media_pump', 'duration_based')).expect(201)).toMatchObject({
      step: { step_id: 'intro_confirm_1' },
    });
  });

  it('stops with all other jobs, and the session stays at its step', async () => {
    const person = await Person.start(unit, 'media_pump', 'duration_based');
    for (let step = 0; step < 5; step += 1) await person.submits();
    await person.submits({ hz: 250, dc: 100 });
    await person.submits();
    const running = post(person.params, { prime_duration_s: 20 });
    await untilPumping();
    expect(await unit.finished(await unit.client.stopAllJobs())).toMatchObject({
      result: { stopped: expect.arrayContaining([expect.objectContaining({ job_name: 'pump_calibration' })]) },
    });
    (await running).expect(400, 'session_action_failed');
    const after = pumped();
    await unit.clock.advance(30_000);
    expect(pumped()).toBe(after);
    await person.reload();
    expect(person.session).toMatchObject({ status: 'in_progress', step_id: 'prime_pump_duration' });
  });

  it('is off after a restart during a run, and the session continues at its step', async () => {
    const person = await Person.start(unit, 'media_pump', 'duration_based');
    for (let step = 0; step < 4; step += 1) await person.submits();
    await person.submits();
    await person.submits({ hz: 250, dc: 100 });
    await person.submits();
    const running = post(person.params, { prime_duration_s: 60 }).catch((error: unknown) => error);
    await untilPumping();
    await unit.clock.advance(2_000);
    await unit.node.stop();
    await running;
    const { dataFolder, clock } = unit;
    await using again = await startUnit({ leaderUrl: leader.url, dataFolder, clock });
    await leader.put(again.url);
    const { session, step } = await again.client.getUnitCalibrationSession({ params: person.params });
    expect(session).toMatchObject({ status: 'in_progress', step_id: 'prime_pump_duration' });
    expect(step?.metadata).toEqual({
      primary_action_label: 'Start the pump',
      notice: expect.stringContaining('Filling the tubes'),
    });
    const plant = plantOf(again);
    const before = plant.vial.state.ledger.media;
    await clock.advance(10_000);
    plant.state(clock.monotonic());
    expect(plant.vial.state.ledger.media).toBe(before);
    const body = { inputs: { prime_duration_s: 5 } };
    const next = await whileTimePasses(
      again,
      again.client.advanceUnitCalibrationSession({ params: person.params, body }),
    );
    expect(next.step?.step_id).toBe('tracer_run');
    expect(next.step?.metadata.notice).toBeUndefined();
  });

  it('does not start for a false session', async () => {
    const accepted = await unit.api.call('runJob', {
      params: { job: 'pump_calibration' },
      body: { options: { device: 'media_pump' }, env: { JOB_SOURCE: 'calibration_session/x' } },
    });
    accepted.expect(400, 'job_options_invalid');
  });
});

/** Lets time pass until the pump turns. */
async function untilPumping(): Promise<void> {
  const before = pumped();
  while (pumped() <= before) {
    await unit.clock.advance(10);
    plantOf(unit).state(unit.clock.monotonic());
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
