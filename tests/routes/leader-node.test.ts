import { readFileSync } from 'node:fs';
import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';

let leader: LeaderUnderTest;
beforeAll(async () => {
  leader = await startLeader({ observe });
});
afterAll(() => leader[Symbol.asyncDispose]());

const specified = readFileSync(new URL('./specification-routes.tsv', import.meta.url), 'utf8')
  .split('\n')
  .map((line) => line.split('\t'))
  .filter(([, path]) => path?.startsWith('/unit_api/'))
  .map(([method = '', path = '']) => ({ method, path, name: `${method} ${path}` }));

describe('a leader without a board has every specified route of /unit_api', () => {
  it('finds them in the specification', () => expect(specified.length).toBeGreaterThan(40));

  it.each(specified)('$name', async ({ method, path }) => {
    // A body that is not JSON keeps commands with a body from being carried out; the others concern nothing that exists.
    const isCommand = method === 'POST' || method === 'PATCH';
    const sent = isCommand ? { body: 'no JSON', headers: { 'content-type': 'application/json' } } : {};
    const answer = await fetch(leader.url + path.replaceAll(/\{\w+\}/g, 'x'), { method, ...sent });
    const text = await answer.text();
    expect(answer.status).not.toBe(405);
    expect(text).not.toContain('route_not_found');
  });
});

describe('a leader without a board has', () => {
  it('no calibrations and no estimators', async () => {
    const { api } = leader;
    const none = ['listUnitCalibrations', 'listUnitActiveCalibrations', 'listUnitEstimators'] as const;
    for (const route of none) expect((await api.call(route, {})).expect(200)).toEqual({});
    expect((await api.call('listUnitActiveEstimators', {})).expect(200)).toEqual({});
    expect((await api.call('listUnitDeviceEstimators', { params: { device: 'od90' } })).expect(200)).toEqual([]);
    expect((await api.call('listUnitCalibrationProtocols', {})).expect(200)).toEqual([]);
    const zip = await api.call('zipUnitCalibrations', {});
    zip.expect(200);
    expect(Buffer.from(zip.bytes).readUInt32LE(0)).toBe(0x06054b50);
  });

  it('no calibration, estimator or session of any name', async () => {
    const { api } = leader;
    const device = { params: { device: 'stirring' } };
    const calibration = { params: { device: 'stirring', cal_name: 'any' } };
    const estimator = { params: { device: 'od90', estimator_name: 'any' } };
    const session = { params: { session_id: 'any' } };
    (await api.call('listUnitDeviceCalibrations', device)).expect(404, 'calibration_device_unknown');
    for (const route of ['getUnitCalibration', 'deleteUnitCalibration', 'setUnitActiveCalibration'] as const)
      (await api.call(route, calibration)).expect(404, 'calibration_unknown');
    (await api.call('clearUnitActiveCalibration', device)).expect(200);
    for (const route of ['getUnitEstimator', 'deleteUnitEstimator', 'setUnitActiveEstimator'] as const)
      (await api.call(route, estimator)).expect(404, 'estimator_unknown');
    (await api.call('clearUnitActiveEstimator', { params: { device: 'od90' } })).expect(200);
    for (const route of ['getUnitCalibrationSession', 'abortUnitCalibrationSession'] as const)
      (await api.call(route, session)).expect(404, 'session_unknown');
    (await api.call('advanceUnitCalibrationSession', { ...session, body: {} })).expect(404, 'session_unknown');
    const invalid = { params: { device: 'stirring', cal_name: 'a/b' } };
    (await api.call('getUnitCalibration', invalid)).expect(400, 'artefact_name_invalid');
  });

  it('no pictures', async () => {
    const { api } = leader;
    const ofExperiment = { params: { experiment: 'exp' } };
    expect((await api.call('getUnitCameraStatus', ofExperiment)).expect(200)).toMatchObject({
      unit: 'lead',
      runtime_available: false,
      latest_still: null,
      auto_capture_enabled: false,
    });
    expect((await api.call('listUnitStills', ofExperiment)).expect(200)).toMatchObject({ unit: 'lead', stills: [] });
    expect((await api.call('deleteUnitStills', ofExperiment)).expect(200)).toMatchObject({ deleted_image_ids: [] });
    const still = { params: { experiment: 'exp', image: 'a.jpg' } };
    (await api.call('getUnitStill', still)).expect(404, 'still_unknown');
    (await api.call('deleteUnitStill', still)).expect(404, 'still_unknown');
    (await api.call('renameUnitStill', { ...still, body: { new_image_id: 'b' } })).expect(404, 'still_unknown');
    (await api.call('zipUnitStills', ofExperiment)).expect(200);
  });

  it('no biomass signals', async () => {
    expect((await leader.api.call('getBiomassSignals', {})).expect(200)).toMatchObject({ signals: [] });
  });

  it('the configured values of a vial', async () => {
    const values = (await leader.api.call('getBioreactor', { params: { experiment: 'exp' } })).expect(200);
    expect(values).toMatchObject({ values: { current_volume_ml: expect.any(Number), alt_media_fraction: 0 } });
  });

  it('no routes that store, change or drive something', async () => {
    const { api } = leader;
    const ofExperiment = { params: { experiment: 'exp' } };
    const body = { model_name: 'reactor_20ml', model_version: '1.5' };
    const code = 'unit_without_board';
    (await api.call('checkHardware', { body })).expect(409, code);
    (await api.call('checkHardwareByPatch', { body })).expect(409, code);
    (await api.call('blink', {})).expect(409, code);
    const values = { current_volume_ml: 10 };
    (await api.call('setBioreactor', { ...ofExperiment, body: { values } })).expect(409, code);
    (await api.call('takeUnitStill', ofExperiment)).expect(409, code);
    (await api.call('changeUnitCameraSettings', { body: { auto_capture_enabled: true } })).expect(409, code);
    const calibration = { params: { device: 'stirring' }, body: { calibration_data: 'a: 1' } };
    (await api.call('createUnitCalibration', calibration)).expect(409, code);
    const estimator = { params: { device: 'od90' }, body: { estimator_data: 'a: 1' } };
    (await api.call('createUnitEstimator', estimator)).expect(409, code);
    const session = { body: { target_device: 'stirring', protocol_name: 'any' } };
    (await api.call('startUnitCalibrationSession', session)).expect(409, code);
  });
});

describe('jobs of the leader that always run', () => {
  const running = async () => (await leader.client.listRunningLongJobs()).map(({ job_name }) => job_name).sort();
  const always = ['monitor', 'mqtt_to_db_streaming'];

  it('are listed', async () => {
    expect(await running()).toEqual(always);
    expect(await leader.client.listRunningLongJobs()).toMatchObject(
      always.map(() => ({ unit: 'lead', experiment: '$experiment', is_long_running_job: 1, state: 'ready' })),
    );
  });

  it.each(always)('%s starts again when it is stopped', async (job_name) => {
    const idOf = async () =>
      (await leader.client.listRunningLongJobs()).find((job) => job.job_name === job_name)?.job_id ?? null;
    const before = await idOf();
    await leader.finished(await leader.client.stopJobsByPatch({ body: { job_name } }));
    expect(await idOf()).toBeNull();
    await leader.clock.advance(1_500);
    await expect.poll(idOf).toBeGreaterThan(before ?? 0);
  });

  it('keep running when all jobs are stopped', async () => {
    await leader.finished(await leader.client.stopAllJobs({}));
    expect(await running()).toEqual(always);
  });

  it('publish the identity and the state of the node', async () => {
    await leader.clock.advance(1_500);
    const { settings } = await leader.client.getJobSettings({ params: { job_name: 'monitor' }, query: {} });
    expect(JSON.parse(String(settings.versions))).toEqual({
      app: expect.any(String),
      node: expect.any(String),
      timestamp: expect.any(String),
      rpi_machine: expect.toSatisfy((model) => model === null || typeof model === 'string'),
    });
    expect(JSON.parse(String(settings.computer_statistics))).toMatchObject({
      memory_usage_percent: expect.any(Number),
    });
  });
});
