import { generateKeyPairSync } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeRelease, openZip, sshPublicKey } from '@lcs/node';
import { type LeaderUnderTest, startLeader, startUnit, temporaryFolder, type UnitUnderTest } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';
import { freeInstaller, recordingHost } from './recording-host.ts';

const privateKeyPem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const keys = [sshPublicKey(privateKeyPem)];

const order: string[] = [];
let leaderHost: ReturnType<typeof recordingHost>;
let unitHost: ReturnType<typeof recordingHost>;
let leader: LeaderUnderTest;
let unit: UnitUnderTest;

beforeEach(async () => {
  leaderHost = recordingHost();
  unitHost = recordingHost();
  order.length = 0;
  const installer = { ...freeInstaller(), install: async () => void order.push('installed') };
  const releases = { keys, installer };
  leader = await startLeader({ observe, configure: { machine: leaderHost, releases, uploadLimitBytes: 20_000 } });
  unit = await startUnit({ observe, leaderUrl: leader.url, configure: { machine: unitHost, releases } });
  await leader.client.registerWorker({ body: { reactor_unit: 'unit1' } });
  const config = await leader.client.getSharedConfig();
  const address = `[cluster.addresses]\nunit1=${new URL(unit.url).host}`;
  await leader.client.saveSharedConfig({ body: { code: config.replace('[cluster.addresses]', address) } });
});
afterEach(async () => {
  await unit[Symbol.asyncDispose]();
  await leader[Symbol.asyncDispose]();
});

async function outcomes(accepted: unknown): Promise<Readonly<Record<string, unknown>>> {
  const task = await leader.finished(accepted);
  if (task.status !== 'succeeded' || !(task.result instanceof Object)) throw new Error(JSON.stringify(task));
  return { ...task.result };
}

const ok = (name: string, value: unknown) => ({ ok: true, unit: name, value });
const all = { reactor_unit: '$broadcast' };
const one = { reactor_unit: 'unit1' };
const unknownUnit = { reactor_unit: 'nobody' };

it('the leader reports what its machine has left', async () => {
  const health = (await leader.api.call('getLeaderHealth')).expect(200);
  expect(health).toMatchObject({
    memory: { available_bytes: 1e9, total_bytes: 4e9 },
    load: { one_minute: 0.5, cores: 4 },
    started_at: new Date(leader.clock.now()).toISOString(),
    days_left: null,
  });
});

it('the leader forecasts its disk from the time that the readings of the last day cover', async () => {
  const hourMs = 3_600_000;
  const now = leader.clock.now();
  await leader.editStore((database) => {
    database.exec("insert into series (id, experiment_uid, unit, source) values (1, 'e', 'unit1', 'od')");
    const insert = database.prepare('insert into rollup_1h values (1, ?, 1000, 0, 0, 0, 0, 0, ?, 0, 0, 0)');
    for (const hours of [1, 2, 40]) insert.run(now - hours * hourMs, now - hours * hourMs);
  });
  const health = (await leader.api.call('getLeaderHealth')).expect(200);
  expect(health).toMatchObject({
    readings_per_day: 2_000,
    bytes_per_day: 2_000 * 34 * 12,
    days_left: expect.any(Number),
  });
  await leader.editStore((database) => {
    database.exec('delete from rollup_1h');
    const first = now - 0.5 * hourMs;
    database.prepare('insert into rollup_1h values (1, ?, 1000, 0, 0, 0, 0, 0, ?, 0, 0, 0)').run(first, first);
  });
  expect((await leader.api.call('getLeaderHealth')).expect(200)).toMatchObject({
    readings_per_day: 1_000,
    bytes_per_day: null,
    days_left: null,
  });
});

/** The samples of a text in the format of Prometheus, by name and labels. */
const samplesOf = (text: string): ReadonlyMap<string, number> =>
  new Map(
    text.split('\n').flatMap((line) => {
      const [, name, value] = /^([a-z_]+(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, Number(value)] as const];
    }),
  );

it('metrics of units, alarms, readings, the store, the process, and the requests since the first call', async () => {
  await leader.client.createExperiment({ body: { experiment: 'a "b"' } });
  await leader.client.assignWorker({ params: { experiment: 'a "b"' }, body: { reactor_unit: 'unit1' } });
  await leader.editStore((database) =>
    database.exec(`
      insert into series (id, experiment_uid, unit, source) select 1, uid, 'unit1', 'temperature' from experiments;
      insert into samples (series_id, at, value) values (1, 5000, 30.25)`),
  );
  const answer = await leader.api.call('getMetrics');
  answer.expect(200);
  const samples = samplesOf(answer.text);
  const reading = 'unit="unit1",experiment="a \\"b\\"",source="temperature",channel=""';
  expect(samples.get('lcs_unit_up{unit="unit1"}')).toBe(1);
  expect(samples.get(`lcs_reading{${reading}}`)).toBe(30.25);
  expect(samples.get(`lcs_reading_timestamp_seconds{${reading}}`)).toBe(5);
  expect(samples.get('lcs_alarms_open{severity="critical"}')).toBe(0);
  expect(samples.get('lcs_broker_state{state="embedded"}')).toBe(1);
  expect(samples.get('lcs_database_bytes')).toBeGreaterThan(0);
  expect(samples.get('process_resident_memory_bytes')).toBeGreaterThan(0);
  await leader.api.call('getExperiment', { params: { experiment: 'nobody' } });
  const after = samplesOf((await leader.api.call('getMetrics')).text);
  const request = 'method="GET",route="/api/experiments/{experiment}",status="404"';
  expect(after.get(`lcs_http_request_duration_seconds_count{${request}}`)).toBe(1);
});

it('is ready while its store can be read', async () => {
  expect((await leader.api.call('getReadiness')).expect(200)).toEqual({ status: 'ready' });
  await leader.editStore((database) => database.exec('alter table schema_migrations rename to away'));
  (await leader.api.call('getReadiness')).expect(503, 'leader_not_ready');
  expect((await leader.api.call('getLiveness')).expect(200)).toEqual({ status: 'alive' });
});

describe('power', () => {
  it.each([
    ['rebootUnits', 'reboot'],
    ['shutDownUnits', 'shutDown'],
  ] as const)('%s reaches one unit', async (operation, act) => {
    const accepted = (await leader.api.call(operation, { params: one })).expect(202);
    expect(await outcomes(accepted)).toEqual({ unit1: ok('unit1', true) });
    expect(unitHost.done).toEqual([act]);
    expect(leaderHost.done).toEqual([]);
    (await leader.api.call(operation, { params: unknownUnit })).expect(400, 'unit_unknown');
  });

  it('is changed on the workers first, then on the leader', async () => {
    const release = unitHost.pause('reboot');
    const accepted = (await leader.api.call('rebootUnits', { params: all })).expect(202);
    const running = async () => (await leader.api.call('getTaskResult', { params: { task_id: idOf(accepted) } })).json;
    await expect.poll(running).toMatchObject({ status: 'running' });
    expect(leaderHost.done).toEqual([]);
    release();
    expect(await outcomes(accepted)).toEqual({ unit1: ok('unit1', true), lead: ok('lead', true) });
    expect(leaderHost.done).toEqual(['reboot']);
  }, 20_000);

  it('has the refusal of a unit as its outcome', async () => {
    const release = unitHost.pause('reboot');
    const first = (await unit.api.call('rebootNode')).expect(202);
    const locked = (await leader.api.call('rebootUnits', { params: one })).expect(202);
    expect(await outcomes(locked)).toMatchObject({
      unit1: { ok: false, error: { kind: 'locked' }, status_code: 202, retryable: true },
    });
    release();
    await unit.finished(first);
    const again = (await leader.api.call('shutDownUnits', { params: one })).expect(202);
    expect(await outcomes(again)).toMatchObject({
      unit1: { ok: false, error: { kind: 'http_error' }, status_code: 429 },
    });
  });
});

const idOf = (accepted: unknown): string =>
  accepted instanceof Object ? String(Reflect.get(accepted, 'task_id')) : 'none';

it('repairs all units', async () => {
  const accepted = (await leader.api.call('repairUnits', { params: all })).expect(202);
  expect(await outcomes(accepted)).toMatchObject({
    lead: { ok: true, value: { success: true } },
    unit1: { ok: true, value: { success: true, status: { payload: { status: expect.any(String) } } } },
  });
  (await leader.api.call('repairUnits', { params: unknownUnit })).expect(400, 'unit_unknown');
});

describe('clocks', () => {
  it('are read from all units', async () => {
    const accepted = (await leader.api.call('getUnitClocks', { params: all })).expect(202);
    const value = { clock_time: expect.stringMatching(/^\d{4}-.*Z$/) };
    expect(await outcomes(accepted)).toEqual({ lead: ok('lead', value), unit1: ok('unit1', value) });
    (await leader.api.call('getUnitClocks', { params: unknownUnit })).expect(400, 'unit_unknown');
  });

  it('are set on the leader, then on the workers', async () => {
    const body = { utc_clock_time: '2026-11-21T05:18:59+01:00' };
    const accepted = (await leader.api.call('setClocks', { body })).expect(202);
    expect(await outcomes(accepted)).toEqual({ lead: ok('lead', true), unit1: ok('unit1', true) });
    expect(leaderHost.done).toEqual(['setClock 2026-11-21T04:18:59.000Z']);
    expect(unitHost.done).toEqual([expect.stringMatching(/^setClock \d{4}-/)]);
  });

  it('of workers are not changed when that of the leader could not be set', async () => {
    leaderHost.fail('setClock');
    const accepted = (await leader.api.call('setClocks', { body: { utc_clock_time: '2026-11-21T05:18:59Z' } })).expect(
      202,
    );
    expect(await outcomes(accepted)).toMatchObject({
      lead: { ok: false, error: { kind: 'task_failed' } },
      unit1: { ok: false, error: { message: expect.any(String) } },
    });
    expect(unitHost.done).toEqual([]);
  });

  it('are not set to invalid times, nor far back while an experiment runs', async () => {
    (await leader.api.call('setClocks', { body: { utc_clock_time: 'now' } })).expect(400, 'clock_time_invalid');
    (await leader.api.call('setClocks', { body: {} })).expect(400, 'invalid_body');
    await leader.client.createExperiment({ body: { experiment: 'E' } });
    await leader.client.assignWorker({ params: { experiment: 'E' }, body: { reactor_unit: 'unit1' } });
    const back = { utc_clock_time: '2020-01-02T00:00:00Z' };
    (await leader.api.call('setClocks', { body: back })).expect(409, 'clock_step_back');
    (await leader.api.call('setClocks', { body: { ...back, force: true } })).expect(202);
  });
});

describe('uploads', () => {
  it('are accepted up to their limit', async () => {
    const answer = (await leader.api.call('uploadToLeader', { file: { content: 'hello', fileName: 'a.zip' } })).expect(
      200,
    );
    expect(answer).toMatchObject({ save_path: expect.stringContaining('a.zip'), message: expect.any(String) });
    const large = { content: 'x'.repeat(20_001), fileName: 'a.zip' };
    (await leader.api.call('uploadToLeader', { file: large })).expect(413, 'body_too_large');
    (await leader.api.call('uploadToLeader', { body: {} })).expect(400, 'upload_invalid');
    await writeFile(join(leader.dataFolder, 'DISALLOW_UI_UPLOADS'), '');
    (await leader.api.call('uploadToLeader', { body: {} })).expect(403, 'uploads_disabled');
  });
});

describe('updates', () => {
  async function upload(version: string): Promise<string> {
    await using work = await temporaryFolder('release');
    await writeFile(join(work.path, 'CHANGELOG.md'), `# ${version}\n`);
    await writeFile(join(work.path, 'lcs.tgz'), 'package');
    const target = join(work.path, `release_${version}.zip`);
    const files = ['CHANGELOG.md', 'lcs.tgz'].map((name) => join(work.path, name));
    await makeRelease({ version, files, privateKeyPem, target });
    const file = { content: new Uint8Array(await readFile(target)), fileName: `release_${version}.zip` };
    const answer = (await leader.api.call('uploadToLeader', { file })).expect(200);
    return answer instanceof Object ? String(Reflect.get(answer, 'save_path')) : '';
  }

  it('are sent to the workers and installed there; the leader is last', async () => {
    const release_archive_location = await upload('27.1.0');
    unitHost.fail('restartProgram');
    leaderHost.fail('restartProgram');
    const body = { release_archive_location, units: '$broadcast' };
    const accepted = (await leader.api.call('updateFromArchive', { body })).expect(202);
    // Neither machine starts the new version in this test, and both say so.
    expect(await outcomes(accepted)).toMatchObject({
      unit1: { ok: false, error: { kind: 'task_failed', message: 'The machine did not restart the program.' } },
      lead: { ok: false, error: { kind: 'task_failed', message: 'The machine did not restart the program.' } },
    });
    expect(order).toEqual(['installed', 'installed']);
    expect(
      (await readdir(join(unit.dataFolder, 'run', 'uploads'))).filter((name) => name.endsWith('.zip')),
    ).toHaveLength(1);
  });

  it('are one at a time', async () => {
    const release_archive_location = await upload('27.1.0');
    const release = unitHost.pause('restartProgram');
    unitHost.fail('restartProgram');
    const body = { release_archive_location, units: ['unit1'] };
    const accepted = (await leader.api.call('updateFromArchive', { body })).expect(202);
    const second = await leader.api.call('updateFromArchive', { body });
    expect(second.expect(202)).toMatchObject({ lock: 'cluster-update-lock' });
    expect(second.headers.get('retry-after')).toBe('1');
    release();
    await leader.finished(accepted);
  });

  it('of the leader itself continue after its restart, and report the running version', async () => {
    await using folder = await temporaryFolder('leader');
    const releases = { keys, installer: freeInstaller() };
    const start = () => startLeader({ observe, dataFolder: folder.path, configure: { machine: leaderHost, releases } });
    await leader[Symbol.asyncDispose]();
    leader = await start();
    const body = { release_archive_location: await upload('27.1.0'), units: 'lead' };
    const accepted = (await leader.api.call('updateFromArchive', { body })).expect(202);
    await expect.poll(() => leaderHost.done, { timeout: 10_000 }).toEqual(['restartProgram']);
    await leader[Symbol.asyncDispose]();
    leader = await start();
    expect(await outcomes(accepted)).toMatchObject({
      lead: { ok: false, error: { message: 'Version 27.1.0 is not running: the leader runs 26.11.0.' } },
    });
    expect(leaderHost.done).toEqual(['restartProgram']);
  }, 30_000);

  it('are refused before any change', async () => {
    const good = await upload('27.1.0');
    const file = { content: 'no zip', fileName: 'release_27.1.0.zip' };
    const answer = (await leader.api.call('uploadToLeader', { file })).expect(200);
    const bad = answer instanceof Object ? Reflect.get(answer, 'upload_id') : undefined;
    const refused = [
      [{ release_archive_location: good, units: 'unknownUnit' }, 400, 'units_unknown'],
      [{ release_archive_location: good, units: ['unit1', 'unknownUnit'] }, 400, 'units_unknown'],
      [{ release_archive_location: '/etc/passwd', units: 'unit1' }, 400, 'update_option_invalid'],
      [{ release_archive_location: '', units: 'unit1' }, 400, 'update_option_invalid'],
      [{ release_archive_location: bad, units: 'unit1' }, 400, 'update_archive_invalid'],
      [{ release_archive_location: good, units: [] }, 400, 'invalid_body'],
      [{ release_archive_location: good }, 400, 'invalid_body'],
      [{ release_archive_location: good, units: 'unit1', force: true }, 400, 'invalid_body'],
    ] as const;
    for (const [body, status, code] of refused) {
      (await leader.api.call('updateFromArchive', { body })).expect(status, code);
    }
    (await leader.api.call('updateToNextVersion')).expect(503, 'update_source_missing');
    (await leader.api.call('updateToNextVersion', { body: { units: 'unknownUnit' } })).expect(400, 'units_unknown');
    (await leader.api.call('updateToNextVersion', { body: { units: 5 } })).expect(400, 'invalid_body');
    expect(order).toEqual([]);
  });

  it('to the next version come from the folder of releases', async () => {
    await using folder = await temporaryFolder('releases');
    await using other = await startLeader({ observe, configure: { releases: { keys, folder: folder.path } } });
    (await other.api.call('updateToNextVersion')).expect(404, 'update_not_found');
    await writeFile(join(folder.path, 'release_27.1.0.zip'), 'no zip');
    (await other.api.call('updateToNextVersion')).expect(400, 'update_archive_invalid');
    await writeFile(join(folder.path, 'CHANGELOG.md'), '');
    await writeFile(join(folder.path, 'lcs.tgz'), '');
    const files = ['CHANGELOG.md', 'lcs.tgz'].map((name) => join(folder.path, name));
    await makeRelease({ version: '27.1.0', files, privateKeyPem, target: join(folder.path, 'release_27.1.0.zip') });
    const accepted = (await other.api.call('updateToNextVersion')).expect(202);
    const task = await other.finished(accepted);
    expect(task).toMatchObject({
      status: 'succeeded',
      result: { lead: { ok: false, error: { kind: 'http_error' }, status_code: 503 } },
    });
  });
});

describe('data folders', () => {
  it('of one unit, and of all below their names', async () => {
    const single = await leader.api.call('downloadUnitData', { params: one });
    single.expect(200);
    expect(single.headers.get('content-disposition')).toBe('attachment; filename="dot_reactor.zip"');
    await leader.client.registerWorker({ body: { reactor_unit: 'ghost' } });
    const every = await leader.api.call('downloadUnitData', { params: all });
    every.expect(200);
    await using folder = await temporaryFolder('zip');
    const path = join(folder.path, 'all.zip');
    await writeFile(path, every.bytes);
    const zip = await openZip(path, { entries: 10_000, totalBytes: 1e9, ratio: 1000 });
    const names = zip.members.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['metadata.json', 'lead/config.ini', 'unit1/storage/unit.sqlite']));
    expect(names.some((name) => name.includes('identity.json'))).toBe(false);
    const metadata = await zip.members.find(({ name }) => name === 'metadata.json')?.open();
    expect(JSON.parse(String(Buffer.concat(await Array.fromAsync(metadata ?? []))))).toMatchObject({
      metadata_version: 1,
      included: expect.arrayContaining(['lead', 'unit1']),
      omitted_units: ['ghost'],
    });
    zip.close();
    const url = `${leader.url}/api/units/$broadcast/zipped_dot_reactor`;
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
    const leftInRun = async () =>
      (await readdir(join(leader.dataFolder, 'run'))).filter((name) => name.startsWith('zip-'));
    await expect.poll(leftInRun).toEqual([]);
    (await leader.api.call('downloadUnitData', { params: { reactor_unit: 'ghost' } })).expect(
      502,
      'unit_gave_no_answer',
    );
    (await leader.api.call('downloadUnitData', { params: unknownUnit })).expect(400, 'unit_unknown');
    await writeFile(join(unit.dataFolder, 'DISALLOW_UI_FILE_SYSTEM'), '');
    (await leader.api.call('downloadUnitData', { params: one })).expect(403, 'file_access_disabled');
  }, 30_000);

  it('are imported by a unit, whose refusal is returned at once', async () => {
    const file = { content: 'no zip', fileName: 'a.zip' };
    (await leader.api.call('importUnitData', { params: one, file })).expect(400, 'data_archive_invalid');
    const { bytes } = await leader.api.call('downloadUnitData', { params: { reactor_unit: 'lead' } });
    const ofOther = { content: bytes, fileName: 'dot_reactor.zip' };
    (await leader.api.call('importUnitData', { params: one, file: ofOther })).expect(400, 'data_archive_invalid');
    await writeFile(join(unit.dataFolder, 'DISALLOW_UI_FILE_SYSTEM'), '');
    (await leader.api.call('importUnitData', { params: one, file })).expect(403, 'file_access_disabled');
    await rm(join(unit.dataFolder, 'DISALLOW_UI_FILE_SYSTEM'));
    await leader.client.registerWorker({ body: { reactor_unit: 'ghost' } });
    const ghost = { reactor_unit: 'ghost' };
    (await leader.api.call('importUnitData', { params: ghost, file })).expect(502, 'unit_gave_no_answer');
    (await leader.api.call('importUnitData', { params: all, file })).expect(400, 'one_unit_only');
    (await leader.api.call('importUnitData', { params: unknownUnit, file })).expect(400, 'unit_unknown');
    (await leader.api.call('importUnitData', { params: one, body: {} })).expect(400, 'upload_invalid');
    const own = { reactor_unit: 'lead' };
    (await leader.api.call('importUnitData', { params: own, file })).expect(400, 'data_archive_invalid');
    await writeFile(join(leader.dataFolder, 'DISALLOW_UI_FILE_SYSTEM'), '');
    (await leader.api.call('importUnitData', { params: own, file })).expect(403, 'file_access_disabled');
    await using plain = await startLeader({ observe });
    (await plain.api.call('importUnitData', { params: own, file })).expect(503, 'host_no_right');
  });
});

it('the data of a unit are replaced through the leader, which follows the unit over its restart', async () => {
  await using folder = await temporaryFolder('unit');
  const { port, host } = new URL(unit.url);
  const start = (from: number) =>
    startUnit({
      observe,
      leaderUrl: leader.url,
      dataFolder: folder.path,
      configure: { machine: unitHost, port: from, name: 'unit1' },
    });
  await unit[Symbol.asyncDispose]();
  unit = await start(Number(port));
  expect(new URL(unit.url).host).toBe(host);
  await writeFile(join(folder.path, 'marked.txt'), 'before');
  const { bytes } = await leader.api.call('downloadUnitData', { params: one });
  await writeFile(join(folder.path, 'marked.txt'), 'after');
  const file = { content: bytes, fileName: 'dot_reactor.zip' };
  const accepted = (await leader.api.call('importUnitData', { params: one, file })).expect(202);
  await expect.poll(() => unitHost.done, { timeout: 10_000 }).toEqual(['restartProgram']);
  await unit[Symbol.asyncDispose]();
  unit = await start(Number(port));
  expect(await outcomes(accepted)).toEqual({ unit1: ok('unit1', true) });
  expect(await readFile(join(folder.path, 'marked.txt'), 'utf8')).toBe('before');
}, 30_000);

it('tasks of a worker are followed through the leader', async () => {
  const release = unitHost.pause('programStatus');
  const accepted = (await unit.api.call('repairNode')).expect(202);
  const params = { ...one, task_id: idOf(accepted) };
  const read = () => leader.api.call('getWorkerTaskResult', { params });
  expect((await read()).expect(202)).toMatchObject({ task_id: params.task_id });
  release();
  await unit.finished(accepted);
  expect((await read()).expect(200)).toMatchObject({ status: 'succeeded', result: { success: true } });
  const of = (reactor_unit: string, task_id = 'x') =>
    leader.api.call('getWorkerTaskResult', { params: { reactor_unit, task_id } });
  (await of('unit1')).expect(404, 'task_not_found');
  (await of('unknownUnit')).expect(400, 'unit_unknown');
  (await of('$broadcast')).expect(400, 'one_unit_only');
  await leader.client.registerWorker({ body: { reactor_unit: 'ghost' } });
  (await of('ghost')).expect(502, 'unit_gave_no_answer');
});

it('USB drives of one unit are listed and mounted through the leader', async () => {
  const folder = join(unit.dataFolder, 'run', 'usb', 'stick');
  await mkdir(folder, { recursive: true });
  const drive = {
    device: '/dev/sda1',
    parentDevice: null,
    label: 'LAB',
    uuid: null,
    fileSystem: 'vfat',
    sizeBytes: 5,
    isRemovable: true,
  };
  const read = async (operation: 'getUnitUsb' | 'getUnitUsbArtifacts') =>
    outcomes((await leader.api.call(operation, { params: one })).expect(202));
  expect(await read('getUnitUsb')).toMatchObject({
    unit1: ok('unit1', { status: 'absent', partitions: [], active_mount: null }),
  });
  expect(await read('getUnitUsbArtifacts')).toMatchObject({
    unit1: { ok: false, status_code: 400, error: { kind: 'http_error' } },
  });
  unitHost.drives.push({ ...drive, mountpoints: [folder] });
  expect(await read('getUnitUsb')).toMatchObject({ unit1: { ok: true, value: { status: 'mounted' } } });
  expect(await read('getUnitUsbArtifacts')).toMatchObject({
    unit1: { ok: true, value: { mountpoint: folder, updates: [] } },
  });
  const change = async (operation: 'mountUnitUsb' | 'ejectUnitUsb') =>
    outcomes((await leader.api.call(operation, { params: one, body: { device: 'sda1' } })).expect(202));
  expect(await change('ejectUnitUsb')).toMatchObject({ unit1: { ok: true, value: { msg: 'Ejected' } } });
  expect(await change('mountUnitUsb')).toMatchObject({
    unit1: { ok: true, value: { msg: 'Mounted', display_name: 'LAB' } },
  });
  for (const operation of ['getUnitUsb', 'getUnitUsbArtifacts', 'mountUnitUsb', 'ejectUnitUsb'] as const) {
    (await leader.api.call(operation, { params: all })).expect(400, 'one_unit_only');
    (await leader.api.call(operation, { params: unknownUnit })).expect(400, 'unit_unknown');
  }
});
