import { text } from 'node:stream/consumers';
import { openZip } from '@lcs/node';
import {
  addToyUnit,
  type LeaderUnderTest,
  startLeader,
  startUnit,
  type ToyUnit,
  type UnitAnswer,
  type UnitRequest,
  type UnitUnderTest,
} from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { observe } from '../observe.ts';
import { est1Yaml, odYaml, pumpYaml, whileTimePasses } from './calibration-fixtures.ts';

let leader: LeaderUnderTest;
let unit: UnitUnderTest;
beforeEach(async () => {
  leader = await startLeader({ observe });
  unit = await startUnit({ leaderUrl: leader.url, clock: leader.clock });
  const model = { model_name: 'reactor_40ml', model_version: '1.5' };
  await leader.client.registerWorker({ body: { reactor_unit: 'unit1', ...model } });
  await vi.waitFor(
    async () => expect((await unit.client.getDesired()).parts).toMatchObject({ model: { state: 'applied' } }),
    10_000,
  );
});
afterEach(async () => {
  await unit[Symbol.asyncDispose]();
  await leader[Symbol.asyncDispose]();
});

type Operation = Parameters<LeaderUnderTest['api']['call']>[0];
type Options = NonNullable<Parameters<LeaderUnderTest['api']['call']>[1]>;

/** The outcomes of a call that is a task. */
async function outcomes(
  operation: Operation,
  params: Options['params'],
  body?: object,
): Promise<Record<string, unknown>> {
  const options = { params: params ?? {}, ...(body === undefined ? {} : { body }) };
  const task = await leader.finished((await leader.api.call(operation, options)).expect(202));
  if (task.status !== 'succeeded' || !(task.result instanceof Object)) throw new Error(`The task is ${task.status}.`);
  return { ...task.result };
}

const bodyOf = (operation: string) => (operation.startsWith('get') ? {} : { body: {} });

const one = { reactor_unit: 'unit1' };
const all = { reactor_unit: '$broadcast' };
const media = { ...one, device: 'media_pump' };
const media2026 = { ...media, cal_name: 'media-2026' };
const est1 = { ...one, device: 'od_fused', estimator_name: 'est1' };
const ok = (value: unknown) => ({ unit1: { ok: true, unit: 'unit1', value } });
const stored = {
  msg: 'Stored media-2026 for media_pump',
  path: 'storage/calibrations/media_pump/media-2026.yaml',
  replaced: false,
};

describe('calibrations through the leader', () => {
  it('are stored, listed at once, activated, and deleted', async () => {
    expect(await outcomes('listCalibrations', one)).toEqual(ok({}));
    expect(await outcomes('createCalibration', media, { calibration_data: pumpYaml() })).toEqual(ok(stored));
    const shown = expect.objectContaining({ calibration_name: 'media-2026', is_active: false, reactor_unit: 'unit1' });
    expect(await outcomes('listCalibrations', one)).toEqual(ok({ media_pump: [shown] }));
    expect(await outcomes('listDeviceCalibrations', media)).toEqual(ok([shown]));
    expect(await outcomes('getCalibration', media2026)).toEqual(ok(shown));
    expect(await outcomes('listActiveCalibrations', one)).toEqual(ok({}));
    expect(await outcomes('setActiveCalibration', media2026)).toEqual(ok({}));
    const active = expect.objectContaining({ calibration_name: 'media-2026', is_active: true });
    expect(await outcomes('listActiveCalibrations', one)).toEqual(ok({ media_pump: active }));
    const summary = { reactor_unit: 'unit1', device: 'media_pump', calibration_name: 'media-2026', is_active: true };
    await vi.waitFor(
      async () =>
        expect((await leader.api.call('listAllCalibrations')).expect(200)).toMatchObject([{ ...summary, points: 2 }]),
      10_000,
    );
    const curves = (device: string) => leader.api.call('listActiveCurves', { params: { device } });
    expect((await curves('media_pump')).expect(200)).toEqual([active]);
    expect((await curves('waste_pump')).expect(200)).toEqual([]);
    expect(await outcomes('clearActiveCalibration', media)).toEqual(ok({}));
    expect(await outcomes('listActiveCalibrations', one)).toEqual(ok({}));
    await vi.waitFor(async () => expect((await curves('media_pump')).expect(200)).toEqual([]), 10_000);
    expect(await outcomes('deleteCalibration', media2026)).toEqual(ok({ msg: 'Removed media-2026 from media_pump' }));
    expect(await outcomes('listCalibrations', one)).toEqual(ok({}));
    expect(await outcomes('deleteCalibration', media2026)).toMatchObject({
      unit1: { ok: false, error: { kind: 'http_error' }, status_code: 404, retryable: false },
    });
  });

  it('are refused by the leader before it sends them to a unit', async () => {
    const post = (params: object, body: object) =>
      leader.api.call('createCalibration', { params: { ...media, ...params }, body });
    (await post({}, { calibration_data: 'a: [' })).expect(400, 'calibration_invalid');
    (await post({ device: 'od45' }, { calibration_data: odYaml })).expect(400, 'calibration_invalid');
    (await post({ device: '../x' }, { calibration_data: odYaml })).expect(400, 'artefact_name_invalid');
    (await post({}, { set_as_active: true })).expect(400, 'invalid_body');
    (await post({}, { calibration_data: pumpYaml(), colour: 'red' })).expect(400, 'invalid_body');
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    (await leader.api.call('createCalibration', { params: media, rawBody: 'a=b', headers })).expect(
      415,
      'unsupported_media_type',
    );
    (await post({ reactor_unit: 'nobody' }, { calibration_data: pumpYaml() })).expect(400, 'unit_unknown');
    expect(await unit.client.listUnitCalibrations()).toEqual({});
  });

  it('accepts workers and valid names only', async () => {
    const operations = [
      'listCalibrations',
      'listDeviceCalibrations',
      'getCalibration',
      'deleteCalibration',
      'listActiveCalibrations',
      'setActiveCalibration',
      'clearActiveCalibration',
      'zipCalibrations',
      'listEstimators',
      'listDeviceEstimators',
      'getEstimator',
      'deleteEstimator',
      'listActiveEstimators',
      'setActiveEstimator',
      'clearActiveEstimator',
      'listCalibrationProtocols',
    ] as const;
    const params = { ...media2026, estimator_name: 'x' };
    for (const operation of operations) {
      for (const reactor_unit of ['nobody', 'lead'])
        (await leader.api.call(operation, { params: { ...params, reactor_unit } })).expect(400, 'unit_unknown');
      const hasDevice = !/^(list(?!Device)|zip)/.test(operation);
      if (hasDevice)
        (await leader.api.call(operation, { params: { ...params, device: '.x' } })).expect(
          400,
          'artefact_name_invalid',
        );
    }
  });

  it('serves the estimators and protocols of a worker', async () => {
    expect(await outcomes('listEstimators', one)).toEqual(ok({}));
    expect(await outcomes('listActiveEstimators', one)).toEqual(ok({}));
    expect(await outcomes('listDeviceEstimators', est1)).toEqual(ok([]));
    const missing = { unit1: { ok: false, status_code: 404, error: { kind: 'http_error' } } };
    for (const operation of ['getEstimator', 'deleteEstimator', 'setActiveEstimator'] as const)
      expect(await outcomes(operation, est1)).toMatchObject(missing);
    expect(await outcomes('clearActiveEstimator', est1)).toEqual(ok({}));
    const post = (params: object, body: object) =>
      leader.api.call('createEstimator', { params: { ...est1, ...params }, body });
    (await post({}, { estimator_data: 'a: 1' })).expect(400, 'estimator_invalid');
    (await post({ device: '.x' }, { estimator_data: est1Yaml })).expect(400, 'artefact_name_invalid');
    (await post({ reactor_unit: 'nobody' }, { estimator_data: est1Yaml })).expect(400, 'unit_unknown');
    (await post({}, {})).expect(400, 'invalid_body');
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    (await leader.api.call('createEstimator', { params: est1, rawBody: 'a=b', headers })).expect(
      415,
      'unsupported_media_type',
    );
    expect(await outcomes('createEstimator', est1, { estimator_data: est1Yaml })).toMatchObject(
      ok({ msg: 'Stored est1 for od_fused' }),
    );
    expect(await outcomes('setActiveEstimator', est1)).toEqual(ok({}));
    const est = expect.objectContaining({ estimator_name: 'est1', is_active: true, device: 'od_fused' });
    expect(await outcomes('listActiveEstimators', one)).toEqual(ok({ od_fused: est }));
    expect(await outcomes('getEstimator', est1)).toEqual(ok(est));
    expect(await outcomes('deleteEstimator', est1)).toEqual(ok({ msg: 'Removed est1 from od_fused' }));
    expect(await outcomes('listCalibrationProtocols', one)).toMatchObject(
      ok(expect.arrayContaining([expect.objectContaining({ id: 'stirring_dc_based', priority: 99 })])),
    );
  });

  it('reads from all workers, and lists those that did not answer', async () => {
    await leader.client.registerWorker({ body: { reactor_unit: 'dead' } });
    const dead = { ok: false, unit: 'dead', error: { kind: 'connection_error' }, status_code: null, retryable: true };
    const written = await outcomes(
      'createCalibration',
      { ...all, device: 'media_pump' },
      { calibration_data: pumpYaml() },
    );
    expect(written).toMatchObject({ dead, ...ok(stored) });
    const read = await outcomes('listCalibrations', all);
    expect(Object.keys(read)).toEqual(['dead', 'unit1']);
    expect(read).toMatchObject({ dead, unit1: { ok: true, value: { media_pump: [{}] } } });
  });

  it('are exported as one archive with a list of missing units', async () => {
    await unit.client.createUnitCalibration({
      params: { device: 'media_pump' },
      body: { calibration_data: pumpYaml() },
    });
    await leader.client.registerWorker({ body: { reactor_unit: 'dead' } });
    const path = (name: string) => `${leader.url}/api/workers/${name}/zipped_calibrations`;
    (await leader.api.call('zipCalibrations', { params: all })).expect(200);
    const response = await fetch(path('%24broadcast'));
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="calibration_yamls.zip"');
    const zip = await openZip(new Uint8Array(await response.arrayBuffer()), { entries: 9, totalBytes: 1e6, ratio: 99 });
    const texts = new Map<string, string>();
    for (const member of zip.members) texts.set(member.name, await text(await member.open()));
    zip.close();
    expect([...texts.keys()]).toEqual(['unit1/media_pump/media-2026.yaml', 'metadata.json']);
    expect(texts.get('unit1/media_pump/media-2026.yaml')).toBe(pumpYaml());
    expect(JSON.parse(texts.get('metadata.json') ?? '')).toEqual({
      metadata_version: 1,
      downloaded_at_utc: expect.stringMatching(/Z$/),
      included: ['unit1'],
      omitted_units: ['dead'],
      omitted_causes: { dead: expect.any(String) },
    });
    (await leader.api.call('zipCalibrations', { params: { reactor_unit: 'dead' } })).expect(502, 'unit_gave_no_answer');
  });

  it('are copied into the store of the leader when they change', async () => {
    await unit.client.createUnitCalibration({
      params: { device: 'media_pump' },
      body: { calibration_data: pumpYaml(), set_as_active: true },
    });
    await vi.waitFor(() => expect(leader.storedRows('calibrations')).toHaveLength(1), 10_000);
    await vi.waitFor(() => expect(leader.storedRows('calibrations_due')).toEqual([]), 10_000);
    const [row] = leader.storedRows('calibrations');
    expect(row).toMatchObject({
      reactor_unit: 'unit1',
      device: 'media_pump',
      type: 'simple_peristaltic_pump',
      name: 'media-2026',
      created_at: Date.UTC(2026, 10, 20, 10),
      is_current: 1,
      set_to_current_at: expect.any(Number),
      copied_at: expect.any(Number),
    });
    const preview = await leader.client.previewExportableDataset({ params: { target_dataset: 'calibrations' } });
    expect(preview).toMatchObject([
      {
        reactor_unit: 'unit1',
        created_at: '2026-11-20T10:00:00.000Z',
        type: 'simple_peristaltic_pump',
        name: 'media-2026',
        is_current: 1,
        data: row?.data,
        set_to_current_at: expect.stringMatching(/Z$/),
        copied_at: expect.stringMatching(/Z$/),
      },
    ]);
    expect(JSON.parse(String(row?.data))).toMatchObject({ hz: 250, calibrated_on_reactor_unit: 'unit1' });
    await unit.client.deleteUnitCalibration({ params: { device: 'media_pump', cal_name: 'media-2026' } });
    await vi.waitFor(() => expect(leader.storedRows('calibrations')).toEqual([]), 10_000);
  });
});

describe('sessions through the leader', () => {
  it('end by themselves after an hour without an answer, with an entry of the event log', async () => {
    const body = { target_device: 'stirring', protocol_name: 'dc_based' };
    const { session } = await leader.client.startCalibrationSession({ params: one, body });
    const { session_id } = session;
    await unit.clock.advance(3_600_000 + 60_000);
    await vi.waitFor(async () => {
      const now = await leader.client.getCalibrationSession({ params: { ...one, session_id } });
      expect(now.session.status).toBe('aborted');
      expect(
        leader
          .storedRows('logs')
          .map(({ message }) => String(message))
          .join(),
      ).toContain(session_id);
    }, 10_000);
    (await leader.api.call('startCalibrationSession', { params: one, body })).expect(201);
  });

  it('are forwarded to the worker, and their results are listed at once', async () => {
    expect(await outcomes('listCalibrations', one)).toEqual(ok({}));
    const open = async () => JSON.stringify(await outcomes('listCalibrationProtocols', one)).includes('open_session');
    expect(await open()).toBe(false);
    const body = { target_device: 'stirring', protocol_name: 'dc_based' };
    (await leader.api.call('startCalibrationSession', { params: one, body })).expect(201);
    expect(await open()).toBe(true);
    const refused = await leader.api.call('startCalibrationSession', { params: one, body });
    refused.expect(409, 'session_exists');
    const [open409] = Object(refused.json).diagnostics;
    expect(open409).toMatchObject({ protocol_name: 'dc_based', target_device: 'stirring' });
    // Both ways on lead through the node that has answered.
    const shown = await fetch(leader.url + open409.resume_path);
    expect(await shown.json()).toMatchObject({ session: { session_id: open409.session_id, status: 'in_progress' } });
    const ended = await fetch(leader.url + open409.abort_path, { method: 'POST' });
    expect(await ended.json()).toMatchObject({ session: { status: 'aborted' } });
    (await leader.api.call('startCalibrationSession', { params: one, body })).expect(201);
    const { session } = await unit.client.startUnitCalibrationSession({
      body: { target_device: 'media_pump', protocol_name: 'duration_based' },
    });
    const pump = { ...one, session_id: session.session_id };
    (await leader.api.call('getCalibrationSession', { params: pump })).expect(200);
    const inputs = { inputs: {} };
    (await leader.api.call('advanceCalibrationSession', { params: pump, body: inputs })).expect(200);
    (await leader.api.call('abortCalibrationSession', { params: pump })).expect(200);
    (await leader.api.call('abortCalibrationSession', { params: { ...pump, session_id: 'x' } })).expect(
      404,
      'session_unknown',
    );
  });

  it('run the hardware as long as it takes', async () => {
    const { session } = await leader.client.startCalibrationSession({
      params: one,
      body: { target_device: 'stirring', protocol_name: 'dc_based' },
    });
    const params = { ...one, session_id: session.session_id };
    const step = async () => {
      const call = leader.api.call('advanceCalibrationSession', { params, body: {} });
      return (await whileTimePasses(leader, call)).expect(200);
    };
    await step();
    const running = leader.api.call('advanceCalibrationSession', { params, body: {} });
    for (;;) {
      await leader.clock.advance(200);
      const look = await leader.client.getCalibrationSession({ params });
      if (look.step?.metadata.progress !== undefined) break;
    }
    (await leader.api.call('advanceCalibrationSession', { params, body: {} })).expect(409, 'session_busy');
    const ended = (await whileTimePasses(leader, running)).expect(200);
    expect(ended).toMatchObject({ session: { status: 'complete' } });
    expect(await outcomes('listActiveCalibrations', one)).toMatchObject(
      ok({ stirring: { calibration_type: 'simple_stirring', is_active: true } }),
    );
  });

  it('are refused as the worker refuses them', async () => {
    const start = (params: { reactor_unit: string }, body: object) =>
      leader.api.call('startCalibrationSession', { params, body });
    const body = { target_device: 'moon', protocol_name: 'dc_based' };
    (await start(one, body)).expect(400, 'session_refused');
    (await start(one, { ...body, colour: 'red' })).expect(400, 'invalid_body');
    (await start(all, body)).expect(400, 'one_unit_only');
    (await start({ reactor_unit: 'nobody' }, body)).expect(400, 'unit_unknown');
    const form = { rawBody: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    (await leader.api.call('startCalibrationSession', { params: one, ...form })).expect(415, 'unsupported_media_type');
    const { session } = await leader.client.startCalibrationSession({
      params: one,
      body: { target_device: 'media_pump', protocol_name: 'duration_based' },
    });
    const params = { ...one, session_id: session.session_id };
    (await leader.api.call('advanceCalibrationSession', { params, ...form })).expect(415, 'unsupported_media_type');
    for (let step = 0; step < 3; step += 1) await leader.client.advanceCalibrationSession({ params, body: {} });
    const inputs = { inputs: { calibration_name: '../x' } };
    (await leader.api.call('advanceCalibrationSession', { params, body: inputs })).expect(400, 'session_input_invalid');
    (await leader.api.call('advanceCalibrationSession', { params, body: { inputs: 5 } })).expect(400, 'invalid_body');
    for (const operation of [
      'getCalibrationSession',
      'advanceCalibrationSession',
      'abortCalibrationSession',
    ] as const) {
      const unknown = { ...one, session_id: '00000000-0000-4000-8000-000000000000' };
      (await leader.api.call(operation, { params: unknown, ...bodyOf(operation) })).expect(404, 'session_unknown');
      const everywhere = { ...unknown, ...all };
      (await leader.api.call(operation, { params: everywhere, ...bodyOf(operation) })).expect(400, 'one_unit_only');
    }
  });
});

describe('a worker', () => {
  it('that does not answer, or answers something undeclared, causes 502', async () => {
    await leader.client.registerWorker({ body: { reactor_unit: 'dead' } });
    await using odd = await addToyUnit(leader, 'odd', { answer: () => ({ status: 200, body: { session: 'none' } }) });
    for (const reactor_unit of ['dead', odd.name]) {
      const params = { reactor_unit, session_id: 'x' };
      const body = { target_device: 'stirring', protocol_name: 'dc_based' };
      (await leader.api.call('startCalibrationSession', { params, body })).expect(502, 'unit_gave_no_answer');
      for (const operation of [
        'getCalibrationSession',
        'advanceCalibrationSession',
        'abortCalibrationSession',
      ] as const)
        (await leader.api.call(operation, { params, ...bodyOf(operation) })).expect(502, 'unit_gave_no_answer');
    }
  });

  it('receives one request for several reads in a row, and another after a change', async () => {
    const asked = (toy: ToyUnit) => toy.requests.filter(({ path }) => path === '/unit_api/calibrations');
    const answer = ({ method, path }: UnitRequest): UnitAnswer | undefined => {
      if (!path.startsWith('/unit_api/')) return undefined;
      if (method === 'GET' && /calibration|estimator/.test(path)) return { status: 200, body: {} };
      return { status: 200, body: { status: 'success' } };
    };
    await using toy = await addToyUnit(leader, 'toy', { answer });
    const params = { reactor_unit: toy.name, device: 'stirring', cal_name: 'x' };
    await outcomes('listCalibrations', params);
    await outcomes('listCalibrations', params);
    expect(asked(toy)).toHaveLength(1);
    await outcomes('setActiveCalibration', params);
    await outcomes('listCalibrations', params);
    expect(asked(toy)).toHaveLength(2);
    expect(toy.requests.find(({ method }) => method === 'PATCH')?.path).toBe(
      '/unit_api/active_calibrations/stirring/x',
    );
  });
});
