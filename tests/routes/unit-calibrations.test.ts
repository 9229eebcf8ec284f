import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openZip } from '@lcs/node';
import { type StandInLeader, startStandInLeader, startUnit, type UnitUnderTest } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { observe } from '../observe.ts';
import { est1Yaml, odYaml, pumpYaml, stirringYaml } from './calibration-fixtures.ts';

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

type Operation = Parameters<UnitUnderTest['api']['call']>[0];
const call = (operation: Operation, options: Parameters<UnitUnderTest['api']['call']>[1] = {}) =>
  unit.api.call(operation, options);

const store = async (device: string, calibration_data: string, set_as_active?: boolean) =>
  (
    await call('createUnitCalibration', {
      params: { device },
      body: { calibration_data, ...(set_as_active === undefined ? {} : { set_as_active }) },
    })
  ).expect(201);

const media = { device: 'media_pump' };
const media2026 = { ...media, cal_name: 'media-2026' };
const shown = {
  calibration_type: 'simple_peristaltic_pump',
  calibration_name: 'media-2026',
  calibrated_on_reactor_unit: 'unit1',
  created_at: '2026-11-20T10:00:00.000Z',
  curve_data_: { type: 'poly', coefficients: [0.5, 0] },
  x: 'Duration',
  y: 'Volume',
  recorded_data: { x: [1, 2], y: [0.5, 1] },
  hz: 250,
  dc: 100,
  voltage: 12,
  is_active: true,
  reactor_unit: 'unit1',
};

describe('calibrations of a unit', () => {
  it('are none at first', async () => {
    for (const operation of [
      'listUnitCalibrations',
      'listUnitActiveCalibrations',
      'listUnitEstimators',
      'listUnitActiveEstimators',
    ] as const)
      expect((await call(operation)).expect(200)).toEqual({});
    (await call('listUnitDeviceCalibrations', { params: media })).expect(404, 'calibration_device_unknown');
    (await call('getUnitCalibration', { params: media2026 })).expect(404, 'calibration_unknown');
    expect((await call('listUnitDeviceEstimators', { params: { device: 'od_fused' } })).expect(200)).toEqual([]);
  });

  it('are stored byte for byte, shown with their fields, and replaced', async () => {
    const path = 'storage/calibrations/media_pump/media-2026.yaml';
    const msg = 'Stored media-2026 for media_pump';
    expect(await store('media_pump', pumpYaml(), true)).toEqual({ msg, path, replaced: false });
    expect(await readFile(join(unit.dataFolder, path), 'utf8')).toBe(pumpYaml());
    expect((await call('getUnitCalibration', { params: media2026 })).expect(200)).toEqual(shown);
    expect((await call('listUnitDeviceCalibrations', { params: media })).expect(200)).toEqual([shown]);
    expect((await call('listUnitCalibrations')).expect(200)).toEqual({ media_pump: [shown] });
    expect((await call('listUnitActiveCalibrations')).expect(200)).toEqual({ media_pump: shown });
    const faster = pumpYaml().replace('[0.5, 0.0]', '[0.6, 0.0]');
    expect(await store('media_pump', faster)).toEqual({ msg, path, replaced: true });
    expect((await call('getUnitCalibration', { params: media2026 })).expect(200)).toEqual({
      ...shown,
      curve_data_: { type: 'poly', coefficients: [0.6, 0] },
    });
  });

  it('answer 304 to a caller that has them', async () => {
    await store('media_pump', pumpYaml());
    const first = await call('listUnitCalibrations');
    expect(first.headers.get('cache-control')).toBe('no-cache');
    const etag = first.headers.get('etag') ?? '';
    const response = await fetch(`${unit.url}/unit_api/calibrations`, { headers: { 'if-none-match': etag } });
    expect(response.status).toBe(304);
    await store('media_pump', pumpYaml('other'));
    expect((await call('listUnitCalibrations')).headers.get('etag')).not.toBe(etag);
  });

  it('are refused with the position of their fault', async () => {
    const refused = async (device: string, body: object, code: 'calibration_invalid' | 'invalid_body') =>
      (await call('createUnitCalibration', { params: { device }, body })).expect(400, code);
    await refused('media_pump', { calibration_data: 'a: [' }, 'calibration_invalid');
    await refused('media_pump', { calibration_data: pumpYaml('../x') }, 'calibration_invalid');
    await refused('od90', { calibration_data: pumpYaml() }, 'calibration_invalid');
    const knots = odYaml.replace('[0.0, 1.0], coefficients', '[1], coefficients');
    expect(await refused('od90', { calibration_data: knots }, 'calibration_invalid')).toMatchObject({
      cause: expect.stringMatching(/^curve_data_\.knots: /),
    });
    await refused('media_pump', {}, 'invalid_body');
    await refused('media_pump', { calibration_data: pumpYaml(), set_as_active: 'yes' }, 'invalid_body');
    await refused('media_pump', { calibration_data: pumpYaml(), colour: 'red' }, 'invalid_body');
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    (await call('createUnitCalibration', { params: media, rawBody: 'a=b', headers: form })).expect(
      415,
      'unsupported_media_type',
    );
    expect((await call('listUnitCalibrations')).expect(200)).toEqual({});
  });

  it.each(['../x', '.x', 'a/b', 'a  b'])('refuse the device %j', async (device) => {
    const params = { device, cal_name: 'x', estimator_name: 'x' };
    const body = { calibration_data: pumpYaml() };
    const operations = [
      'listUnitDeviceCalibrations',
      'getUnitCalibration',
      'deleteUnitCalibration',
      'setUnitActiveCalibration',
      'clearUnitActiveCalibration',
      'listUnitDeviceEstimators',
      'getUnitEstimator',
      'deleteUnitEstimator',
      'setUnitActiveEstimator',
      'clearUnitActiveEstimator',
    ] as const;
    for (const operation of operations) {
      (await call(operation, { params })).expect(400, 'artefact_name_invalid');
    }
    (await call('createUnitCalibration', { params, body })).expect(400, 'artefact_name_invalid');
  });

  it('are activated, one of each device, and deactivated', async () => {
    await store('media_pump', pumpYaml());
    await store('media_pump', pumpYaml('second'));
    const done = { status: 'success' };
    expect((await call('setUnitActiveCalibration', { params: media2026 })).expect(200)).toEqual(done);
    const second = { ...media, cal_name: 'second' };
    expect((await call('setUnitActiveCalibration', { params: second })).expect(200)).toEqual(done);
    expect(await unit.client.getUnitCalibration({ params: media2026 })).toMatchObject({ is_active: false });
    expect(await unit.client.getUnitCalibration({ params: second })).toMatchObject({ is_active: true });
    (await call('setUnitActiveCalibration', { params: { ...media, cal_name: 'third' } })).expect(
      404,
      'calibration_unknown',
    );
    for (let time = 0; time < 2; time += 1)
      expect((await call('clearUnitActiveCalibration', { params: media })).expect(200)).toEqual(done);
    expect((await call('listUnitActiveCalibrations')).expect(200)).toEqual({});
  });

  it('whose points show no relation are stored, and cannot be activated', async () => {
    const flat = pumpYaml().replace('[0.5, 0.0]', '[0.0, 1.0]');
    const body = { calibration_data: flat, set_as_active: true };
    (await call('createUnitCalibration', { params: media, body })).expect(400, 'calibration_unusable');
    expect((await call('listUnitCalibrations')).expect(200)).toEqual({});
    await store('media_pump', flat);
    (await call('setUnitActiveCalibration', { params: media2026 })).expect(400, 'calibration_unusable');
    expect((await call('listUnitActiveCalibrations')).expect(200)).toEqual({});
    // The active one is not replaced by what cannot be used either.
    await store('media_pump', pumpYaml(), true);
    const replacing = { calibration_data: flat };
    (await call('createUnitCalibration', { params: media, body: replacing })).expect(400, 'calibration_unusable');
    expect((await call('listUnitActiveCalibrations')).expect(200)).toEqual({ media_pump: shown });
  });

  it('are deleted with their pointer', async () => {
    await store('media_pump', pumpYaml(), true);
    const gone = (await call('deleteUnitCalibration', { params: media2026 })).expect(200);
    expect(gone).toEqual({ msg: 'Removed media-2026 from media_pump' });
    (await call('deleteUnitCalibration', { params: media2026 })).expect(404, 'calibration_unknown');
    expect((await call('listUnitActiveCalibrations')).expect(200)).toEqual({});
  });

  it('whose file is invalid are omitted from lists, an error when read, and cannot be activated', async () => {
    await store('media_pump', pumpYaml(), true);
    const folder = join(unit.dataFolder, 'storage/calibrations/media_pump');
    await writeFile(join(folder, 'broken.yaml'), 'calibration_type: wheel\n');
    await writeFile(join(folder, 'empty.yaml'), '');
    const broken = { ...media, cal_name: 'broken' };
    expect(await unit.client.listUnitDeviceCalibrations({ params: media })).toHaveLength(1);
    (await call('getUnitCalibration', { params: broken })).expect(500, 'artefact_unreadable');
    (await call('getUnitCalibration', { params: { ...media, cal_name: 'empty' } })).expect(500, 'artefact_unreadable');
    (await call('setUnitActiveCalibration', { params: broken })).expect(400, 'calibration_invalid');
    await writeFile(join(folder, 'media-2026.yaml'), ': :');
    expect((await call('listUnitActiveCalibrations')).expect(200)).toEqual({});
    (await call('deleteUnitCalibration', { params: broken })).expect(200);
  });

  it('are served as a zip archive of the unchanged files', async () => {
    const empty = await fetch(`${unit.url}/unit_api/zipped_calibrations`);
    expect((await unzipped(new Uint8Array(await empty.arrayBuffer()))).size).toBe(0);
    await store('stirring', stirringYaml, true);
    await store('media_pump', pumpYaml());
    (await call('zipUnitCalibrations')).expect(200);
    const response = await fetch(`${unit.url}/unit_api/zipped_calibrations`);
    expect(response.headers.get('content-type')).toBe('application/zip');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="unit1_calibrations.zip"');
    const files = await unzipped(new Uint8Array(await response.arrayBuffer()));
    expect([...files]).toEqual([
      ['media_pump/media-2026.yaml', pumpYaml()],
      ['stirring/st-1.yaml', stirringYaml],
    ]);
  });

  it('report every change to the leader', async () => {
    await store('media_pump', pumpYaml(), true);
    await unit.client.deleteUnitCalibration({ params: media2026 });
    await vi.waitFor(async () => {
      const { records } = await leader.read(unit.url);
      const changes = records.flatMap((record) =>
        record.kind === 'event' && record.name === 'calibration' ? [record.data.change] : [],
      );
      expect(changes).toEqual(['created', 'activated', 'deactivated', 'deleted']);
    }, 20_000);
  });
});

async function unzipped(archive: Uint8Array): Promise<ReadonlyMap<string, string>> {
  const zip = await openZip(archive, { entries: 100, totalBytes: 1e6, ratio: 100 });
  try {
    const files = new Map<string, string>();
    for (const member of zip.members) files.set(member.name, await text(await member.open()));
    return files;
  } finally {
    zip.close();
  }
}

describe('estimators of a unit', () => {
  const params = { device: 'od_fused', estimator_name: 'est1' };
  const curves = Object.fromEntries(
    ['45', '90', '135'].map((angle) => [angle, { type: 'akima', knots: [0, 1], coefficients: [[0.1, 1, 0, 0]] }]),
  );
  const est1 = {
    estimator_type: 'od_fused_estimator',
    estimator_name: 'est1',
    calibrated_on_reactor_unit: 'unit1',
    created_at: '2026-01-02T03:04:05.000Z',
    ir_led_intensity: 80,
    angles: ['45', '90', '135'],
    mu_splines: curves,
    sigma_splines_log: curves,
    min_logc: 0,
    max_logc: 1,
    sigma_floor: 0.04,
    recorded_data: {},
    low_conc_scales: {},
    y: 'log(Voltage)',
    is_active: false,
    reactor_unit: 'unit1',
    device: 'od_fused',
  };
  beforeEach(async () => {
    const folder = join(unit.dataFolder, 'storage/estimators/od_fused');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'est1.yaml'), est1Yaml);
  });

  it('are shown with their device', async () => {
    expect((await call('listUnitEstimators')).expect(200)).toEqual({ od_fused: [est1] });
    expect((await call('listUnitDeviceEstimators', { params })).expect(200)).toEqual([est1]);
    expect((await call('getUnitEstimator', { params })).expect(200)).toEqual(est1);
    (await call('getUnitEstimator', { params: { ...params, estimator_name: 'x' } })).expect(404, 'estimator_unknown');
  });

  it('are stored verbatim, and refused with the position of their fault', async () => {
    const post = (device: string, body: object) => call('createUnitEstimator', { params: { device }, body });
    const renamed = est1Yaml.replace('est1', 'est2');
    const stored = (await post('od_fused', { estimator_data: renamed, set_as_active: true })).expect(201);
    expect(stored).toEqual({
      msg: 'Stored est2 for od_fused',
      path: 'storage/estimators/od_fused/est2.yaml',
      replaced: false,
    });
    expect(await unit.client.listUnitActiveEstimators()).toMatchObject({ od_fused: { estimator_name: 'est2' } });
    const refused = (await post('od_fused', { estimator_data: 'a: 1' })).expect(400, 'estimator_invalid');
    expect(refused).toMatchObject({ cause: expect.stringContaining('estimator_type') });
    (await post('../x', { estimator_data: renamed })).expect(400, 'artefact_name_invalid');
    (await post('od_fused', {})).expect(400, 'invalid_body');
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    (await call('createUnitEstimator', { params: { device: 'od_fused' }, rawBody: 'a=b', headers })).expect(
      415,
      'unsupported_media_type',
    );
  });

  it('are activated, deactivated and deleted', async () => {
    const done = { status: 'success' };
    expect((await call('setUnitActiveEstimator', { params })).expect(200)).toEqual(done);
    const active = { ...est1, is_active: true };
    expect((await call('listUnitActiveEstimators')).expect(200)).toEqual({ od_fused: active });
    expect((await call('clearUnitActiveEstimator', { params })).expect(200)).toEqual(done);
    await writeFile(join(unit.dataFolder, 'storage/estimators/od_fused/broken.yaml'), 'a: 1');
    const broken = { ...params, estimator_name: 'broken' };
    (await call('getUnitEstimator', { params: broken })).expect(500, 'artefact_unreadable');
    (await call('setUnitActiveEstimator', { params: broken })).expect(400, 'estimator_invalid');
    (await call('setUnitActiveEstimator', { params: { ...params, estimator_name: 'x' } })).expect(
      404,
      'estimator_unknown',
    );
    const gone = (await call('deleteUnitEstimator', { params })).expect(200);
    expect(gone).toEqual({ msg: 'Removed est1 from od_fused' });
    (await call('deleteUnitEstimator', { params })).expect(404, 'estimator_unknown');
  });
});

it('keeps what is active over a restart', async () => {
  await store('media_pump', pumpYaml(), true);
  await unit.node.stop();
  await using again = await startUnit({ leaderUrl: leader.url, dataFolder: unit.dataFolder });
  expect(await again.client.listUnitActiveCalibrations()).toEqual({ media_pump: shown });
});

it('uses a calibration in the jobs of its device, and keeps the initial one while they run', async () => {
  await store('stirring', stirringYaml, true);
  const accepted = await unit.client.runJob({ params: { job: 'stirring' }, body: { options: { target_rpm: 500 } } });
  expect(await unit.finished(accepted)).toMatchObject({ status: 'succeeded' });
  await unit.clock.advance(1_000);
  const { settings } = await unit.client.getJobSettings({ params: { job_name: 'stirring' } });
  expect(Number(settings.duty_cycle)).toBeCloseTo(53.025, 3);
});

it('logs that an active pump calibration was made at another frequency', async () => {
  const warnings = async () => {
    const { records } = await leader.read(unit.url);
    return records.flatMap((record) =>
      record.kind === 'log' && record.task === 'calibrations' ? [[record.level, record.message]] : [],
    );
  };
  await store('media_pump', pumpYaml(), true);
  await store('media_pump', pumpYaml('slow').replace('hz: 250', 'hz: 100'));
  expect(await warnings()).toEqual([]);
  (await call('setUnitActiveCalibration', { params: { device: 'media_pump', cal_name: 'slow' } })).expect(200);
  const made = /slow of media_pump was made at 100 Hz.*at 250 Hz/;
  await vi.waitFor(async () => expect(await warnings()).toEqual([['WARNING', expect.stringMatching(made)]]), 10_000);
  await store('waste_pump', pumpYaml('old').replace('media_pump', 'waste_pump').replace('hz: 250', 'hz: 100'), true);
  await vi.waitFor(async () => expect(await warnings()).toHaveLength(2), 10_000);
});
