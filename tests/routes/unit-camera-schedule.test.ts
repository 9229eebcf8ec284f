import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  type StandInLeader,
  startStandInLeader,
  startUnit,
  temporaryFolder,
  testExperiment,
  type UnitUnderTest,
} from '@lcs/testkit';
import { CaptureFailed } from '@lcs/unit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { observe } from '../observe.ts';
import { whileTimePasses } from './calibration-fixtures.ts';
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

const takenStillTask = async () => (await call('takeUnitStill')).expect(202);

describe('the schedule', () => {
  const scheduled = async () => (await listed()).filter(({ capture_reason }) => capture_reason === 'scheduled').length;
  const pass = (minutes: number) => unit.clock.advance(minutes * minuteMs);
  /** A still that is due is taken some turns of the event loop after its minute. */
  async function passMinutes(minutes: number): Promise<void> {
    for (let minute = 0; minute < minutes; minute += 1) {
      await pass(1);
      await settled();
    }
  }
  async function settled(): Promise<void> {
    const database = new DatabaseSync(join(unit.dataFolder, 'storage', 'unit.sqlite'), { readOnly: true });
    const unfinished = database.prepare(
      "select count(*) as n from tasks where kind = 'camera.still' and finished_at_ms is null",
    );
    while (unfinished.get()?.n !== 0) await unit.clock.advance(200);
    database.close();
  }

  it('takes a still at the interval, and not more', async () => {
    await put({ snapshot_interval_minutes: '5' });
    await passMinutes(31);
    const atMs = (await listed()).map(({ captured_at }) => Date.parse(captured_at));
    const gaps = atMs.slice(1).map((moment, index) => Math.round((moment - (atMs[index] ?? 0)) / 10_000));
    expect(gaps.length).toBeGreaterThanOrEqual(6);
    expect(gaps).toEqual(gaps.map(() => 30));
    const { records } = await leader.read(unit.url);
    const entries = records.flatMap((one) =>
      one.kind === 'log' && one.task === 'camera_snapshot' ? [one.message] : [],
    );
    expect(entries).toEqual(atMs.map(() => 'Done.'));
  });

  it('counts stills that people take, and pauses while it is switched off or the unit is inactive', async () => {
    // The schedule begins after the still: virtual time passes while the task of the still is awaited.
    await put({ snapshot_interval_minutes: '0' });
    const capturedAtMs = Date.parse((await taken()).captured_at);
    await put({ snapshot_interval_minutes: '10' });
    while (unit.clock.now() < capturedAtMs + 8 * minuteMs) await passMinutes(1);
    expect(await scheduled()).toBe(0);
    await passMinutes(3);
    expect(await scheduled()).toBe(1);
    (await call('changeUnitCameraSettings', { params: {}, body: { auto_capture_enabled: false } })).expect(200);
    await passMinutes(20);
    expect(await scheduled()).toBe(1);
    (await call('changeUnitCameraSettings', { params: {}, body: { auto_capture_enabled: true } })).expect(200);
    await leader.put(unit.url, { ...cameraConfig({ snapshot_interval_minutes: '10' }), active: false });
    await passMinutes(20);
    expect(await scheduled()).toBe(1);
    await put({ snapshot_interval_minutes: '10' });
    camera.facts.detection = 'configured_camera_not_detected';
    await passMinutes(20);
    expect(await scheduled()).toBe(1);
    camera.facts.detection = 'detected';
    await passMinutes(2);
    expect(await scheduled()).toBe(2);
  });

  it.each([
    ['an interval of 0', { snapshot_interval_minutes: '0' }],
    ['a camera that is off', { enabled: '0', snapshot_interval_minutes: '1' }],
  ])('takes none with %s', async (_, section) => {
    await put(section);
    await passMinutes(10);
    expect(await scheduled()).toBe(0);
  });

  it('retries a failing camera after the interval, not each minute', async () => {
    await put({ snapshot_interval_minutes: '5' });
    let attempts = 0;
    onCapture = async () => {
      attempts += 1;
      throw new CaptureFailed('no light');
    };
    await passMinutes(16);
    expect(attempts).toBe(4);
  });

  it('continues after a restart, with the stored stills and without partial files of a crash', async () => {
    const folder = await temporaryFolder('camera');
    await unit[Symbol.asyncDispose]();
    await start({ dataFolder: folder.path });
    await put({ snapshot_interval_minutes: '10' });
    await passMinutes(1);
    expect(await scheduled()).toBe(1);
    const before = await listed();
    const stills = join(folder.path, 'storage', 'camera_stills');
    const { clock } = unit;
    await unit[Symbol.asyncDispose]();
    await writeFile(join(stills, '20260101T000000.000000Z-0123abcd.jpg'), tinyJpeg);
    await writeFile(join(stills, 'of-a-person.jpg'), tinyJpeg);
    await start({ dataFolder: folder.path, clock });
    expect(await listed()).toEqual(before);
    expect((await files()).toSorted()).toEqual([`${before[0]?.image_id}.jpg`, 'of-a-person.jpg'].toSorted());
    await passMinutes(8);
    expect(await scheduled()).toBe(1);
    await passMinutes(3);
    expect(await scheduled()).toBe(2);
    await unit[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
    await start();
  });

  it('keeps the allowed number of stills, always the newest and those of people', async () => {
    await put({ snapshot_interval_minutes: '1', max_stills: '4' });
    const byHand = await taken();
    await passMinutes(10);
    const stills = await listed();
    expect(stills.filter(({ capture_reason }) => capture_reason === 'scheduled')).toHaveLength(4);
    expect(stills.map(({ image_id }) => image_id)).toContain(byHand.image_id);
    expect(await files()).toHaveLength(5);
  });
});

describe('the light of a still', () => {
  const lightNow = () => unit.node.board.plant?.view(unit.clock.monotonic()).lightPercent;

  it('is on for the picture, at the level of the configuration, and off afterwards', async () => {
    await put({ snapshot_interval_minutes: '0', ir_led_intensity: '35' });
    let seen: number | undefined;
    onCapture = async () => {
      seen = lightNow();
      return tinyJpeg;
    };
    await taken();
    expect(seen).toBeCloseTo(35, 0);
    expect(lightNow()).toBe(0);
    onCapture = async () => {
      throw new CaptureFailed('no picture');
    };
    await takenStill(unit, experiment);
    expect(lightNow()).toBe(0);
    await put({ snapshot_interval_minutes: '0', ir_led_intensity: '0' });
    onCapture = async () => {
      seen = lightNow();
      return tinyJpeg;
    };
    await taken();
    expect(seen).toBe(0);
  });

  it('is lent by optical readings between two of them, and both continue', async () => {
    await put({ snapshot_interval_minutes: '0', ir_led_intensity: '35' });
    const started = await unit.api.call('runJob', {
      params: { job: 'od_reading' },
      body: { env: { EXPERIMENT: experiment } },
    });
    await whileTimePasses(unit, unit.finished(started.expect(202)));
    /** How many readings there are, once there are more than so many. */
    const readingsAfter = (least: number) =>
      vi.waitFor(async () => {
        await unit.clock.advance(5_000);
        const count = (await leader.read(unit.url)).records.filter(({ kind }) => kind === 'sample').length;
        expect(count).toBeGreaterThan(least);
        return count;
      }, 20_000);
    const before = await readingsAfter(3);
    const levels: (number | undefined)[] = [];
    onCapture = async () => {
      levels.push(lightNow());
      return tinyJpeg;
    };
    for (let still = 0; still < 3; still += 1) await taken();
    expect(levels.map((level) => Math.round(level ?? 0))).toEqual([35, 35, 35]);
    await readingsAfter(before + 3);
    expect((await unit.client.listRunningJobs({})).map(({ job_name }) => job_name)).toContain('od_reading');
    // Dark between two readings; one may be under way.
    await vi.waitFor(async () => {
      await unit.clock.advance(100);
      expect(lightNow()).toBe(0);
    }, 20_000);
  });

  it('delays optical readings that are due during a still', async () => {
    await put();
    const begun = Promise.withResolvers<void>();
    const picture = Promise.withResolvers<Uint8Array>();
    onCapture = () => {
      begun.resolve();
      return picture.promise;
    };
    const task = await takenStillTask();
    await whileTimePasses(unit, begun.promise);
    const body = { env: { EXPERIMENT: experiment } };
    const started = (await unit.api.call('runJob', { params: { job: 'od_reading' }, body })).expect(202);
    const running = whileTimePasses(unit, unit.finished(started));
    picture.resolve(tinyJpeg);
    expect(await running).toMatchObject({ status: 'succeeded', result: { ok: true, state: 'ready' } });
    expect(await whileTimePasses(unit, unit.finished(task))).toMatchObject({ status: 'succeeded' });
  });

  it('is lost when the optical readings that lend it end during a still, which then fails', async () => {
    await put();
    const body = { env: { EXPERIMENT: experiment } };
    const started = (await unit.api.call('runJob', { params: { job: 'od_reading' }, body })).expect(202);
    await whileTimePasses(unit, unit.finished(started));
    const begun = Promise.withResolvers<void>();
    const picture = Promise.withResolvers<Uint8Array>();
    onCapture = () => {
      begun.resolve();
      return picture.promise;
    };
    const task = await takenStillTask();
    await whileTimePasses(unit, begun.promise);
    const stopped = (await unit.api.call('stopJobs', { body: { job_name: 'od_reading' } })).expect(202);
    await whileTimePasses(unit, unit.finished(stopped));
    expect(lightNow()).toBe(0);
    picture.resolve(tinyJpeg);
    expect(await whileTimePasses(unit, unit.finished(task))).toMatchObject({
      status: 'failed',
      code: 'capture_failed',
      cause: expect.stringContaining('optical readings'),
    });
  });

  it('goes off when all jobs are stopped during a still, which then fails', async () => {
    await put();
    const begun = Promise.withResolvers<void>();
    onCapture = (signal) => {
      begun.resolve();
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    const task = await takenStillTask();
    await whileTimePasses(unit, begun.promise);
    expect(lightNow()).toBeCloseTo(80, 0);
    await whileTimePasses(unit, unit.finished((await unit.api.call('stopAllJobs')).expect(202)));
    expect(await whileTimePasses(unit, unit.finished(task))).toMatchObject({
      status: 'failed',
      code: 'capture_failed',
    });
    expect(lightNow()).toBe(0);
    expect(await files()).toEqual([]);
  });
});
