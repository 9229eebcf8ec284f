import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openZip } from '@lcs/node';
import {
  type StandInLeader,
  startStandInLeader,
  startUnit,
  temporaryFolder,
  testExperiment,
  type UnitUnderTest,
} from '@lcs/testkit';
import { CaptureFailed } from '@lcs/unit';
import { decode } from 'jpeg-js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { observe } from '../observe.ts';
import { placeVial, whileTimePasses } from './calibration-fixtures.ts';
import { cameraConfig, takenStill, testCamera, tinyJpeg } from './camera-fixtures.ts';

let leader: StandInLeader;
let unit: UnitUnderTest;
let camera: ReturnType<typeof testCamera>;
/** What the camera does while it takes a picture. */
let onCapture: (signal: AbortSignal) => Promise<Uint8Array>;

const experiment = testExperiment.name;
const here = { experiment };
const minuteMs = 60_000;

async function start(options: Parameters<typeof startUnit>[0] = {}): Promise<void> {
  unit = await startUnit({ leaderUrl: leader.url, observe, configure: { camera: camera.camera }, ...options });
}

beforeEach(async () => {
  leader = await startStandInLeader();
  onCapture = async () => tinyJpeg;
  camera = testCamera((_config, _atMs, signal) => onCapture(signal));
  await start();
});
afterEach(async () => {
  await unit[Symbol.asyncDispose]();
  await leader[Symbol.asyncDispose]();
});

type Operation = Parameters<UnitUnderTest['api']['call']>[0];
const call = (operation: Operation, options: Parameters<UnitUnderTest['api']['call']>[1] = {}) =>
  unit.api.call(operation, { params: here, ...options });
const put = (section: Readonly<Record<string, string>> = { snapshot_interval_minutes: '0' }) =>
  leader.put(unit.url, cameraConfig(section));

/** A still that was taken by hand. */
async function taken() {
  const task = await takenStill(unit, experiment);
  if (task.status !== 'succeeded') throw new Error(JSON.stringify(task));
  return task.result as { readonly image_id: string; readonly captured_at: string };
}

const listed = async (name = experiment) => {
  const body = (await call('listUnitStills', { params: { experiment: name } })).expect(200);
  return (
    body as {
      readonly stills: readonly {
        readonly image_id: string;
        readonly captured_at: string;
        readonly capture_reason: string;
      }[];
    }
  ).stills;
};
const files = () => readdir(join(unit.dataFolder, 'storage', 'camera_stills'));
const image = (imageId: string) => ({ params: { ...here, image: `${imageId}.jpg` } });

const status = {
  unit: 'unit1',
  detection_status: 'detected',
  runtime_available: true,
  capture_command: 'rpicam-still',
  mock: false,
  latest_still: null,
  auto_capture_enabled: true,
  snapshot_interval_minutes: 5,
};

describe('the status of a camera', () => {
  it('has eight fields, also without a camera', async () => {
    await leader.put(unit.url);
    expect((await call('getUnitCameraStatus')).expect(200)).toEqual({
      ...status,
      detection_status: 'unknown',
      runtime_available: false,
      capture_command: null,
    });
  });

  it('contains the detected camera and the newest still of the experiment', async () => {
    // Longer than a still takes: it shall remain the newest.
    await put({ snapshot_interval_minutes: '1440' });
    const daily = { ...status, snapshot_interval_minutes: 1440 };
    const still = await taken();
    const answer = await call('getUnitCameraStatus');
    expect(answer.headers.get('cache-control')).toBe('private, max-age=0');
    const newest = { experiment, captured_at: still.captured_at, image_id: still.image_id, capture_reason: 'manual' };
    expect(answer.expect(200)).toEqual({ ...daily, latest_still: newest });
    expect((await call('getUnitCameraStatus', { params: { experiment: 'another' } })).expect(200)).toEqual(daily);
    camera.facts.detection = 'configured_camera_not_detected';
    expect((await call('getUnitCameraStatus')).expect(200)).toMatchObject({
      detection_status: 'configured_camera_not_detected',
    });
  });

  it('is not served without an experiment', async () => {
    for (const path of ['status', 'latest', 'stills'])
      expect((await fetch(`${unit.url}/unit_api/camera/${path}`)).status).toBe(404);
  });
});

describe('stills', () => {
  it('are taken, listed oldest first, downloaded, and reported in the feed', async () => {
    await put();
    const first = await taken();
    await unit.clock.advance(minuteMs);
    const second = await taken();
    expect(first.image_id).toMatch(/^\d{8}T\d{6}\.\d{3}000Z-[0-9a-f]{8}$/);
    expect(first.image_id.slice(0, 15)).toBe(first.captured_at.replaceAll(/[-:]/g, '').slice(0, 15));
    const answer = await call('listUnitStills');
    const record = { experiment, capture_reason: 'manual' };
    const stills = [first, second].map(({ image_id, captured_at }) => ({ ...record, image_id, captured_at }));
    expect(answer.expect(200)).toEqual({ unit: 'unit1', experiment, stills });
    const picture = await call('getUnitStill', image(first.image_id));
    picture.expect(200);
    expect(picture.bytes).toEqual(tinyJpeg);
    expect(picture.headers.get('content-type')).toBe('image/jpeg');
    expect(picture.headers.get('content-length')).toBe(String(tinyJpeg.length));
    // It has no preview: the whole one is served.
    const small = { query: { size: 'small' } };
    expect((await call('getUnitStill', { ...image(first.image_id), ...small })).bytes).toEqual(tinyJpeg);
    const other = { query: { size: 'large' } };
    (await call('getUnitStill', { ...image(first.image_id), ...other })).expect(400, 'invalid_query');
    const known = { headers: { 'if-none-match': picture.headers.get('etag') ?? '' } };
    expect((await call('getUnitStill', { ...image(first.image_id), ...known })).status).toBe(304);
    await vi.waitFor(async () => {
      await unit.clock.advance(300);
      const { records } = await leader.read(unit.url);
      const events = records.flatMap((one) => (one.kind === 'event' && one.name === 'still' ? [one] : []));
      expect(events.map(({ data }) => data)).toEqual(stills);
      expect(events[0]).toMatchObject({ experiment_uid: testExperiment.uid, source: 'camera' });
    }, 20_000);
  });

  it('belong to the experiment of the unit', async () => {
    await put();
    (await call('takeUnitStill', { params: { experiment: 'another' } })).expect(409, 'unit_outside_experiment');
    const body = (await call('takeUnitStill', { params: { experiment: 'another' } })).json;
    expect(body).toMatchObject({ error: 'unit1 is outside experiment another.', status: 409 });
    const still = await taken();
    const elsewhere = { params: { experiment: 'another', image: `${still.image_id}.jpg` } };
    (await call('getUnitStill', elsewhere)).expect(404, 'still_unknown');
    (await call('deleteUnitStill', elsewhere)).expect(404, 'still_unknown');
    expect(await listed('another')).toEqual([]);
  });

  it.each(['..%2f..%2fidentity.json', 'no-such.jpg', '..jpg', 'x', `${'a'.repeat(300)}.jpg`])(
    'are not found by %s',
    async (name) => {
      await put();
      const params = { ...here, image: decodeURIComponent(name) };
      (await call('getUnitStill', { params })).expect(404, 'still_unknown');
      (await call('deleteUnitStill', { params })).expect(404, 'still_unknown');
      (await call('renameUnitStill', { params, body: { new_image_id: 'a' } })).expect(404, 'still_unknown');
    },
  );

  it('are renamed to valid and unused names', async () => {
    await put();
    const { image_id: id, captured_at } = await taken();
    const { image_id: other } = await taken();
    const rename = (name: unknown, from = id) =>
      call('renameUnitStill', { ...image(from), body: { new_image_id: name } });
    for (const name of ['', '.x', '.jpg', 'a/b', '../a', 'a b', 'ä', 'a'.repeat(201)])
      (await rename(name)).expect(400, 'still_name_invalid');
    (await rename(7)).expect(400, 'invalid_body');
    (await call('renameUnitStill', { ...image(id), body: { new_image_id: 'a', more: 1 } })).expect(400, 'invalid_body');
    const form = { rawBody: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    (await call('renameUnitStill', { ...image(id), ...form })).expect(415, 'unsupported_media_type');
    (await rename(other)).expect(409, 'still_exists');
    const renamed = { experiment, captured_at, image_id: 'foam.at-noon', capture_reason: 'manual' };
    expect((await rename('foam.at-noon')).expect(200)).toEqual(renamed);
    expect((await rename('foam.at-noon', 'foam.at-noon')).expect(200)).toEqual(renamed);
    // As people call the file.
    expect((await rename('foam.at-noon.jpg', 'foam.at-noon')).expect(200)).toEqual(renamed);
    (await call('getUnitStill', image(id))).expect(404, 'still_unknown');
    (await call('getUnitStill', image('foam.at-noon'))).expect(200);
    expect((await files()).toSorted()).toEqual([`${other}.jpg`, 'foam.at-noon.jpg'].toSorted());
    expect((await listed())[0]).toEqual(renamed);
  });

  it('are deleted one by one or all; a missing one is not an error', async () => {
    await put();
    const [one, two, three] = [await taken(), await taken(), await taken()];
    expect((await call('deleteUnitStill', image(two.image_id))).expect(200)).toEqual({
      experiment,
      captured_at: two.captured_at,
      image_id: two.image_id,
      capture_reason: 'manual',
    });
    (await call('deleteUnitStill', image(two.image_id))).expect(404, 'still_unknown');
    const answer = { unit: 'unit1', experiment };
    expect((await call('deleteUnitStills', { params: { experiment: 'another' } })).expect(200)).toEqual({
      ...answer,
      experiment: 'another',
      deleted_image_ids: [],
    });
    const both = [one, three].map(({ image_id }) => image_id);
    expect((await call('deleteUnitStills')).expect(200)).toEqual({ ...answer, deleted_image_ids: both.toSorted() });
    expect((await call('deleteUnitStills')).expect(200)).toEqual({ ...answer, deleted_image_ids: [] });
    expect(await files()).toEqual([]);
  });

  it('of a deleted experiment are deleted, and those of a new one of the same name stay', async () => {
    await put();
    const uid = { query: { experiment_uid: testExperiment.uid } };
    const old = await taken();
    (await call('deleteUnitStills', uid)).expect(409, 'unit_still_in_experiment');
    (await call('deleteUnitStills', { query: { experiment_uid: '' } })).expect(400, 'invalid_query');
    const heir = { ...testExperiment, uid: '11111111-3c39-4a55-8f41-0a7f0d8b9d10' };
    await leader.put(unit.url, { ...cameraConfig({ snapshot_interval_minutes: '0' }), experiment: heir });
    expect(await listed()).toEqual([]);
    const young = await taken();
    expect((await call('deleteUnitStills', uid)).expect(200)).toMatchObject({ deleted_image_ids: [old.image_id] });
    expect((await listed()).map(({ image_id }) => image_id)).toEqual([young.image_id]);
  });

  it('without a file are not listed', async () => {
    await put();
    const [one, two] = [await taken(), await taken()];
    await rm(join(unit.dataFolder, 'storage', 'camera_stills', `${two.image_id}.jpg`));
    expect((await listed()).map(({ image_id }) => image_id)).toEqual([one.image_id]);
    (await call('getUnitStill', image(two.image_id))).expect(404, 'still_unknown');
    expect((await call('getUnitCameraStatus')).expect(200)).toMatchObject({ latest_still: { image_id: one.image_id } });
  });

  it('are served as an uncompressed zip archive with a manifest', async () => {
    await put();
    const stills = [await taken(), await taken()];
    const answer = await call('zipUnitStills');
    answer.expect(200);
    expect(answer.headers.get('content-type')).toBe('application/zip');
    const name = `unit1_${experiment}_camera_stills.zip`;
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${name}"; filename*=UTF-8''${name}`);
    const zip = await openZip(answer.bytes, { entries: 10, totalBytes: 1e6, ratio: 100 });
    const content = await Promise.all(
      zip.members.map(async (member) => [member.name, Buffer.concat(await (await member.open()).toArray())] as const),
    );
    zip.close();
    const { 'camera_stills_manifest.json': manifest, ...pictures } = Object.fromEntries(content);
    const record = { experiment, capture_reason: 'manual' };
    expect(JSON.parse(String(manifest))).toEqual({
      unit: 'unit1',
      experiment,
      stills: stills.map((still) => ({ ...record, ...still })),
    });
    expect(Object.keys(pictures)).toEqual(stills.map(({ image_id }) => `${image_id}.jpg`));
    for (const picture of Object.values(pictures)) expect(new Uint8Array(picture)).toEqual(tinyJpeg);
    // Stored, not packed again: the picture stands in the archive as it is.
    expect(Buffer.from(answer.bytes).includes(Buffer.from(tinyJpeg))).toBe(true);
    const empty = await call('zipUnitStills', { params: { experiment: 'Versuch "ä"' } });
    expect(empty.headers.get('content-disposition')).toContain("filename*=UTF-8''unit1_Versuch%20%22%C3%A4%22_camera");
  });

  it('are taken one after the other', async () => {
    await put();
    let atOnce = 0;
    let most = 0;
    onCapture = async () => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await new Promise<void>((resolve) => setImmediate(resolve));
      atOnce -= 1;
      return tinyJpeg;
    };
    const tasks = await Promise.all([takenStillTask(), takenStillTask(), takenStillTask()]);
    const ended = await whileTimePasses(unit, Promise.all(tasks.map((task) => unit.finished(task))));
    expect(ended.map(({ status: end }) => end)).toEqual(['succeeded', 'succeeded', 'succeeded']);
    expect(most).toBe(1);
    expect(await listed()).toHaveLength(3);
  });

  it('fail with a reason when the camera is off or returns nothing', async () => {
    await leader.put(unit.url);
    expect(await takenStill(unit, experiment)).toMatchObject({ status: 'failed', code: 'capture_failed' });
    await put();
    onCapture = async () => {
      throw new CaptureFailed('no light');
    };
    const task = await takenStill(unit, experiment);
    expect(task).toMatchObject({ status: 'failed', code: 'capture_failed', cause: 'no light' });
    expect(await files()).toEqual([]);
    onCapture = async () => tinyJpeg;
    await taken();
  });
});

const takenStillTask = async () => (await call('takeUnitStill')).expect(202);

describe('the switch of a camera', () => {
  it('accepts a boolean only, and survives a restart', async () => {
    const folder = await temporaryFolder('camera');
    await unit[Symbol.asyncDispose]();
    await start({ dataFolder: folder.path });
    const change = (body: unknown) => call('changeUnitCameraSettings', { params: {}, body });
    for (const body of [{}, { auto_capture_enabled: 1 }, { auto_capture_enabled: 'no' }, { a: 1 }])
      (await change(body)).expect(400, 'invalid_body');
    const form = { rawBody: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    (await call('changeUnitCameraSettings', { params: {}, ...form })).expect(415, 'unsupported_media_type');
    expect((await change({ auto_capture_enabled: false })).expect(200)).toEqual({
      unit: 'unit1',
      auto_capture_enabled: false,
    });
    await unit[Symbol.asyncDispose]();
    await start({ dataFolder: folder.path });
    expect((await call('getUnitCameraStatus')).expect(200)).toMatchObject({ auto_capture_enabled: false });
    await folder[Symbol.asyncDispose]();
    // Of its own folder again, for the end of the test.
    await unit[Symbol.asyncDispose]();
    await start();
  });
});

it('draws the simulated vial: the denser the culture, the brighter the still', async () => {
  await unit[Symbol.asyncDispose]();
  await start({ configure: {} });
  await put();
  expect((await call('getUnitCameraStatus')).expect(200)).toMatchObject({ mock: true, capture_command: null });
  const liquid = async (od: number) => {
    placeVial(unit, od);
    const { image_id: id } = await taken();
    const picture = await call('getUnitStill', image(id));
    const { width, data } = decode(picture.bytes, { useTArray: true });
    const small = await call('getUnitStill', { ...image(id), query: { size: 'small' } });
    small.expect(200);
    expect(decode(small.bytes, { useTArray: true }).width).toBe(width / 2);
    expect(small.headers.get('content-length')).toBe(String(small.bytes.length));
    expect(small.headers.get('etag')).not.toBe(picture.headers.get('etag'));
    return data[(330 * width + 160) * 4] ?? Number.NaN;
  };
  const levels = [await liquid(0.05), await liquid(0.5), await liquid(3)];
  expect(levels[1]).toBeGreaterThan((levels[0] ?? 0) + 20);
  expect(levels[2]).toBeGreaterThan((levels[1] ?? 0) + 20);
});
