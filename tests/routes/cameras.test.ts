import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  addToyUnit,
  type LeaderUnderTest,
  startLeader,
  startUnit,
  temporaryFolder,
  type UnitUnderTest,
} from '@lcs/testkit';
import mqtt from 'mqtt';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { observe } from '../observe.ts';
import { whileTimePasses } from './calibration-fixtures.ts';
import { testCamera, tinyJpeg } from './camera-fixtures.ts';
import { unzipped } from './unzipped.ts';

let leader: LeaderUnderTest;
let unit: UnitUnderTest;
/** Of the unit; outlives it. */
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
const experiment = 'demo';
const model = { model_name: 'reactor_40ml', model_version: '1.5' };
const here = { reactor_unit: 'unit1', experiment };

const startUnit1 = (further: { readonly usesBroker?: true } = {}) =>
  startUnit({
    ...further,
    leaderUrl: leader.url,
    clock: leader.clock,
    dataFolder: folder.path,
    configure: { camera: testCamera().camera },
  });

/** Waits until the unit has applied the leader's document. */
const applied = () =>
  vi.waitFor(async () => {
    const [status] = (await leader.client.listUnits()).filter(({ reactor_unit }) => reactor_unit === 'unit1');
    expect(status?.liveness).toBe('online');
    expect(status?.applied_version).toBe(status?.desired_version);
    const { parts, version } = await unit.client.getDesired();
    expect(version).toBe(status?.desired_version);
    expect(parts.experiment.state).not.toBe('pending');
  }, 10_000);

const assign = (name: string, reactor_unit = 'unit1') =>
  leader.client.assignWorker({ params: { experiment: name }, body: { reactor_unit } });

beforeEach(async () => {
  leader = await startLeader({ observe });
  folder = await temporaryFolder('unit');
  unit = await startUnit1();
  await leader.client.registerWorker({ body: { reactor_unit: 'unit1', ...model } });
  const config = await leader.client.getSharedConfig();
  await leader.client.saveSharedConfig({
    body: { code: `${config}\n[camera]\nenabled=1\nsnapshot_interval_minutes=0\n` },
  });
  await leader.client.createExperiment({ body: { experiment } });
  await assign(experiment);
  await applied();
});
afterEach(async () => {
  await unit[Symbol.asyncDispose]();
  await leader[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

type Operation = Parameters<LeaderUnderTest['api']['call']>[0];
type Options = NonNullable<Parameters<LeaderUnderTest['api']['call']>[1]>;
const call = (operation: Operation, params: Options['params'] = {}, further: Options = {}) =>
  leader.api.call(operation, { params: { ...here, ...params }, ...further });

interface Record {
  readonly experiment: string;
  readonly captured_at: string;
  readonly image_id: string;
  readonly capture_reason: string;
}

/** Takes a still through the leader, and follows its task through the leader. */
async function taken(name = experiment): Promise<Record> {
  // A restarted unit enrols with its new address a moment later.
  const accepted = await vi.waitFor(async () => (await call('takeStill', { experiment: name })).expect(202), 10_000);
  const { task_id: id } = accepted as { readonly task_id: string };
  expect(accepted).toEqual({
    unit: 'lead',
    task_id: id,
    result_url_path: `/unit_api/task_results/${id}`,
    status: 'accepted',
  });
  const task = await whileTimePasses(unit, leader.finished(accepted));
  if (task.status !== 'succeeded') throw new Error(JSON.stringify(task));
  return task.result as unknown as Record;
}

const status = {
  unit: 'unit1',
  detection_status: 'detected',
  runtime_available: true,
  capture_command: 'rpicam-still',
  mock: false,
  latest_still: null as Record | null,
  auto_capture_enabled: true,
  snapshot_interval_minutes: 0,
};
const cameras = async (name: string) => (await call('listCameras', { experiment: name })).expect(200);
const of = (latest_still: Record | null) => ({ ok: true, unit: 'unit1', value: { ...status, latest_still } });

describe('the cameras of an experiment', () => {
  it('are those of its present and past units only', async () => {
    expect(await cameras(experiment)).toEqual({ cameras: { unit1: of(null) } });
    const still = await taken();
    expect(still).toEqual({ ...still, experiment, capture_reason: 'manual' });
    expect(await cameras(experiment)).toEqual({ cameras: { unit1: of(still) } });
    await leader.client.createExperiment({ body: { experiment: 'next' } });
    expect(await cameras('next')).toEqual({ cameras: {} });
    await leader.client.unassignWorker({ params: { experiment, reactor_unit: 'unit1' } });
    await assign('next');
    expect(await cameras('next')).toEqual({ cameras: { unit1: of(null) } });
    expect(await cameras(experiment)).toEqual({ cameras: { unit1: of(still) } });
    const answer = await call('listCameras', { experiment: 'unknown' });
    expect(answer.expect(200)).toEqual({ cameras: {} });
    expect(answer.headers.get('cache-control')).toBe('private, max-age=0');
  });

  it('are those of all workers for the cluster itself, each with its own outcome', async () => {
    await using broken = await addToyUnit(leader, 'broken');
    await leader.client.registerWorker({ body: { reactor_unit: 'absent' } });
    const answer = await cameras('$experiment');
    // Beside the first poll of its feed.
    const asked = broken.requests.map(({ path }) => path).filter((path) => path.startsWith('/unit_api/camera'));
    expect(asked).toEqual(['/unit_api/camera/experiments/%24experiment/status']);
    expect(answer).toEqual({
      cameras: {
        absent: expect.objectContaining({ ok: false, unit: 'absent', status_code: null, retryable: true }),
        broken: expect.objectContaining({ ok: false, unit: 'broken', status_code: 404 }),
        unit1: of(null),
      },
    });
  });

  it('cannot be listed when the store fails', async () => {
    await leader.breakStore();
    (await call('listCameras')).expect(500, 'internal_error');
  });
});

describe('the camera of a worker, through the leader', () => {
  it('answers as the worker does', async () => {
    expect((await call('getCameraStatus')).expect(200)).toEqual(status);
    const first = await taken();
    const second = await taken();
    const list = { unit: 'unit1', experiment, stills: [first, second] };
    expect((await call('listStills')).expect(200)).toEqual(list);
    const image = `${first.image_id}.jpg`;
    const picture = await call('getStill', { image });
    picture.expect(200);
    expect(picture.bytes).toEqual(tinyJpeg);
    expect(picture.headers.get('content-type')).toBe('image/jpeg');
    expect(picture.headers.get('content-length')).toBe(String(tinyJpeg.length));
    const etag = picture.headers.get('etag') ?? '';
    const again = await call('getStill', { image }, { headers: { 'if-none-match': etag } });
    expect([again.status, again.bytes.length, again.headers.get('etag')]).toEqual([304, 0, etag]);
    (await call('getStill', { image }, { query: { size: 'small' } })).expect(200);
    (await call('getStill', { image }, { query: { size: 'large' } })).expect(400, 'invalid_query');
    const archive = await call('zipStills');
    archive.expect(200);
    expect(archive.headers.get('content-type')).toBe('application/zip');
    expect(archive.headers.get('content-disposition')).toContain('filename="unit1_demo_camera_stills.zip"');
    const { 'camera_stills_manifest.json': manifest, ...pictures } = await unzipped(archive.bytes);
    expect(JSON.parse(manifest ?? '')).toEqual(list);
    expect(Object.keys(pictures)).toEqual([image, `${second.image_id}.jpg`]);
    const renamed = { ...first, image_id: 'foam' };
    expect((await call('renameStill', { image }, { body: { new_image_id: 'foam' } })).expect(200)).toEqual(renamed);
    expect((await call('deleteStill', { image: 'foam.jpg' })).expect(200)).toEqual(renamed);
    expect((await call('listStills')).expect(200)).toEqual({ ...list, stills: [second] });
    const off = { unit: 'unit1', auto_capture_enabled: false };
    expect((await call('changeCameraSettings', {}, { body: { auto_capture_enabled: false } })).expect(200)).toEqual(
      off,
    );
    expect((await call('getCameraStatus')).expect(200)).toMatchObject({ auto_capture_enabled: false });
  });

  it('forwards a refusal of the worker', async () => {
    const [one, two] = [await taken(), await taken()];
    const image = `${one.image_id}.jpg`;
    (await call('takeStill', { experiment: 'another' })).expect(409, 'unit_outside_experiment');
    (await call('getStill', { image: 'none.jpg' })).expect(404, 'still_unknown');
    (await call('getStill', { image: '../../identity.json' })).expect(404, 'still_unknown');
    (await call('deleteStill', { image: 'none.jpg' })).expect(404, 'still_unknown');
    const rename = (name: unknown, from = image) =>
      call('renameStill', { image: from }, { body: { new_image_id: name } });
    (await rename('a', 'none.jpg')).expect(404, 'still_unknown');
    (await rename('a/b')).expect(400, 'still_name_invalid');
    (await rename(two.image_id)).expect(409, 'still_exists');
    (await rename(1)).expect(400, 'invalid_body');
    (await call('changeCameraSettings', {}, { body: {} })).expect(400, 'invalid_body');
    const form = { rawBody: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    (await call('changeCameraSettings', {}, form)).expect(415, 'unsupported_media_type');
    (await call('renameStill', { image }, form)).expect(415, 'unsupported_media_type');
  });

  it('requires one known worker that answers', async () => {
    await leader.client.registerWorker({ body: { reactor_unit: 'absent' } });
    await using strange = await addToyUnit(leader, 'strange', { answer: () => ({ status: 200, body: { unit: 7 } }) });
    const routes: readonly [Operation, Options?][] = [
      ['getCameraStatus'],
      ['changeCameraSettings', { body: { auto_capture_enabled: true } }],
      ['listStills'],
      ['takeStill'],
      ['getStill'],
      ['renameStill', { body: { new_image_id: 'a' } }],
      ['deleteStill'],
      ['zipStills'],
    ];
    for (const [operation, further] of routes) {
      const ask = (reactor_unit: string) => call(operation, { reactor_unit, image: 'a.jpg' }, further);
      (await ask('nobody')).expect(400, 'unit_unknown');
      (await ask('lead')).expect(400, 'unit_unknown');
      (await ask('$broadcast')).expect(400, 'one_unit_only');
      (await ask('absent')).expect(502, 'unit_gave_no_answer');
      // A file is passed on as it comes; everything else is looked at.
      if (!['getStill', 'zipStills'].includes(operation)) (await ask('strange')).expect(502, 'unit_gave_no_answer');
    }
    expect(strange.requests.length).toBeGreaterThan(0);
    await unit[Symbol.asyncDispose]();
    (await call('getStill', { image: 'a.jpg' })).expect(502, 'unit_gave_no_answer');
    (await call('zipStills')).expect(502, 'unit_gave_no_answer');
    unit = await startUnit1();
  });
});

it('shows the newest still as a retained message, and that there is none', async () => {
  await unit[Symbol.asyncDispose]();
  unit = await startUnit1({ usesBroker: true });
  const client = await mqtt.connectAsync(leader.node.mqttUrl ?? '', { protocolVersion: 4, reconnectPeriod: 0 });
  try {
    const payloads: string[] = [];
    client.on('message', (_topic, payload) => payloads.push(payload.toString()));
    await client.subscribeAsync('reactor/unit1/demo/camera/latest_still', { qos: 1 });
    const first = await taken();
    const second = await taken();
    await vi.waitFor(() => expect(payloads.at(-1)).toBe(JSON.stringify(second)), 10_000);
    (await call('deleteStill', { image: `${second.image_id}.jpg` })).expect(200);
    await vi.waitFor(() => expect(payloads.at(-1)).toBe(JSON.stringify(first)), 10_000);
    await client.unsubscribeAsync('reactor/unit1/demo/camera/latest_still');
    const before = payloads.length;
    await client.subscribeAsync('reactor/unit1/demo/camera/latest_still', { qos: 1 });
    await vi.waitFor(() => expect(payloads.slice(before)).toEqual([JSON.stringify(first)]), 10_000);
    (await call('deleteStill', { image: `${first.image_id}.jpg` })).expect(200);
    await vi.waitFor(() => expect(payloads.at(-1)).toBe(''), 10_000);
  } finally {
    await client.endAsync();
  }
});

describe('the stills of a deleted experiment', () => {
  const files = (place: string) => readdir(join(place, 'storage', 'camera_stills'));
  const due = () => leader.storedRows('stills_to_remove');
  const remove = async () =>
    leader.finished((await leader.api.call('deleteExperiment', { params: { experiment } })).expect(202));

  it('are removed from the unit with it, and those of others stay', async () => {
    await taken();
    await leader.client.createExperiment({ body: { experiment: 'next' } });
    await leader.client.unassignWorker({ params: { experiment, reactor_unit: 'unit1' } });
    await assign('next');
    await applied();
    const other = await taken('next');
    await remove();
    await vi.waitFor(async () => expect(await files(folder.path)).toEqual([`${other.image_id}.jpg`]), 10_000);
    await vi.waitFor(() => expect(due()).toEqual([]), 10_000);
  });

  it('are removed by a unit when it returns, also if another experiment has their name by then', async () => {
    await taken();
    expect(await files(folder.path)).toHaveLength(1);
    await unit[Symbol.asyncDispose]();
    expect(await remove()).toMatchObject({ status: 'succeeded' });
    expect(due()).toMatchObject([{ reactor_unit: 'unit1', experiment }]);
    await leader.client.createExperiment({ body: { experiment } });
    await assign(experiment);
    unit = await startUnit1();
    await applied();
    const young = await taken();
    await vi.waitFor(() => expect(due()).toEqual([]), 15_000);
    expect(await files(folder.path)).toEqual([`${young.image_id}.jpg`]);
  });
});
