import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AcceptedTask } from '@lcs/contract';
import { makeRelease, sshPublicKey, VersionsFolder } from '@lcs/node';
import { startLeader, startUnit, type TemporaryFolder, temporaryFolder, type UnitUnderTest } from '@lcs/testkit';
import { Value } from 'typebox/value';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';
import { recordingHost } from './recording-host.ts';

let folder: TemporaryFolder;
let host: ReturnType<typeof recordingHost>;
beforeEach(async () => {
  folder = await temporaryFolder('archives');
  host = recordingHost();
});
afterEach(() => folder[Symbol.asyncDispose]());

const privateKeyPem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const keys = [sshPublicKey(privateKeyPem)];

/** A release whose package holds one file. */
async function release(version: string, where = folder.path): Promise<string> {
  const work = join(folder.path, `work-${version}`);
  await mkdir(join(work, 'package'), { recursive: true });
  await writeFile(join(work, 'package', 'main.js'), `// ${version}\n`);
  execFileSync('tar', ['-czf', join(work, 'lcs.tgz'), '-C', work, 'package']);
  await writeFile(join(work, 'CHANGELOG.md'), `# ${version}\n`);
  const target = join(where, `release_${version}.zip`);
  const files = [join(work, 'CHANGELOG.md'), join(work, 'lcs.tgz')];
  await makeRelease({ version, files, privateKeyPem, target });
  return target;
}

const taskIdOf = (accepted: unknown): string => Value.Parse(AcceptedTask, accepted).task_id;

const blobOf = async (path: string) => new Uint8Array(await readFile(path));

describe('the data folder of a unit', () => {
  const dataFolder = () => join(folder.path, 'data');
  const start = () => startUnit({ observe, dataFolder: dataFolder(), configure: { machine: host } });

  it('is archived and restored by a restart, and the previous data are kept', async () => {
    let unit = await start();
    await writeFile(join(unit.dataFolder, 'unit_config.ini'), '[a]\nx=1\n');
    const answer = await unit.api.call('downloadDataFolder');
    answer.expect(200);
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="unit1_dot_reactor.zip"');
    const archive = answer.bytes;
    await writeFile(join(unit.dataFolder, 'unit_config.ini'), '[a]\nx=2\n');
    await writeFile(join(unit.dataFolder, 'DISALLOW_UI_UPLOADS'), '');
    const identity = await readFile(join(unit.dataFolder, 'identity.json'), 'utf8');
    const file = { content: archive, fileName: 'mine.zip' };
    const accepted = (await unit.api.call('importDataFolder', { file })).expect(202);
    await expect.poll(() => host.done).toEqual(['restartProgram']);
    expect((await unit.api.call('importDataFolder', { file })).expect(202)).toMatchObject({
      lock: 'import-dot-reactor-lock',
    });
    (await unit.api.call('rebootNode')).expect(409, 'node_busy');
    (await unit.api.call('rebootNodeByPatch')).expect(409, 'node_busy');
    (await unit.api.call('shutDownNode')).expect(409, 'node_busy');
    (await unit.api.call('shutDownNodeByPatch')).expect(409, 'node_busy');
    await unit[Symbol.asyncDispose]();

    unit = await start();
    expect(await unit.finished(accepted)).toMatchObject({ status: 'succeeded', result: true });
    expect(await readFile(join(dataFolder(), 'unit_config.ini'), 'utf8')).toBe('[a]\nx=1\n');
    expect(await readFile(join(dataFolder(), 'before-import', 'unit_config.ini'), 'utf8')).toBe('[a]\nx=2\n');
    expect(existsSync(join(dataFolder(), 'DISALLOW_UI_UPLOADS'))).toBe(true);
    expect(existsSync(join(dataFolder(), '.import'))).toBe(false);
    expect(JSON.parse(await readFile(join(dataFolder(), 'identity.json'), 'utf8'))).toMatchObject({
      id: JSON.parse(identity).id,
    });
    expect(await readdir(join(dataFolder(), 'run', 'uploads'))).toEqual([]);
    await unit[Symbol.asyncDispose]();
  });

  it('is replaced by the next start when a crash interrupted the replacement', async () => {
    let unit = await start();
    await writeFile(join(unit.dataFolder, 'unit_config.ini'), 'old');
    await unit[Symbol.asyncDispose]();
    const work = join(dataFolder(), '.import');
    await mkdir(join(work, 'new'), { recursive: true });
    await writeFile(join(work, 'new', 'unit_config.ini'), 'new');
    const plan = { phase: 'moving', task_id: '7b1c2f9e-3a51-4c0e-9a25-0d4f6a3c1e77', created_at_ms: 0 };
    await writeFile(join(work, 'plan.json'), JSON.stringify(plan));
    await mkdir(join(dataFolder(), 'run', 'zip-left-over'));
    unit = await start();
    expect(existsSync(join(dataFolder(), 'run', 'zip-left-over'))).toBe(false);
    expect(await readFile(join(dataFolder(), 'unit_config.ini'), 'utf8')).toBe('new');
    expect(await readFile(join(dataFolder(), 'before-import', 'unit_config.ini'), 'utf8')).toBe('old');
    const read = async () => (await unit.api.call('getTaskResult', { params: { task_id: plan.task_id } })).json;
    await expect.poll(read).toMatchObject({ task_id: plan.task_id, status: 'succeeded', result: true });
    await unit[Symbol.asyncDispose]();
  });

  describe('whose import did not reach its restart', () => {
    let unit: UnitUnderTest;
    let file: { readonly content: Uint8Array<ArrayBuffer>; readonly fileName: string };
    const setting = () => readFile(join(dataFolder(), 'unit_config.ini'), 'utf8');
    beforeEach(async () => {
      unit = await start();
      await writeFile(join(unit.dataFolder, 'unit_config.ini'), 'of the archive');
      const { bytes } = await unit.api.call('downloadDataFolder');
      file = { content: bytes, fileName: 'mine.zip' };
      await writeFile(join(unit.dataFolder, 'unit_config.ini'), 'of today');
    });
    afterEach(() => unit[Symbol.asyncDispose]());

    const expectOldDataAfterRestart = async () => {
      expect(existsSync(join(dataFolder(), '.import'))).toBe(false);
      await unit[Symbol.asyncDispose]();
      unit = await start();
      expect(await setting()).toBe('of today');
      expect(existsSync(join(dataFolder(), 'before-import'))).toBe(false);
    };

    it('keeps its data when the import is cancelled before the restart', async () => {
      const accepted = (await unit.api.call('importDataFolder', { file })).expect(202);
      await expect.poll(() => host.done).toEqual(['restartProgram']);
      const params = { task_id: taskIdOf(accepted) };
      (await unit.api.call('cancelTask', { params })).expect(202);
      expect(await unit.finished(accepted)).toMatchObject({ status: 'failed', code: 'task_cancelled' });
      await expectOldDataAfterRestart();
      expect((await unit.api.call('getTaskResult', { params })).json).toMatchObject({ status: 'failed' });
    });

    it('keeps its data when the machine refuses the restart', async () => {
      host.fail('restartProgram');
      const accepted = (await unit.api.call('importDataFolder', { file })).expect(202);
      expect(await unit.finished(accepted)).toMatchObject({ status: 'failed', code: 'host_command_failed' });
      await expectOldDataAfterRestart();
    });
  });

  it('is not replaced by an archive of another folder', async () => {
    await using unit = await start();
    const call = (content: string, field?: string) =>
      unit.api.call('importDataFolder', { file: { content, fileName: 'a.zip', ...(field ? { field } : {}) } });
    (await call('no zip')).expect(400, 'data_archive_invalid');
    (await call('x', 'file')).expect(400, 'upload_invalid');
    expect(await readdir(join(unit.dataFolder, 'run', 'uploads'))).toEqual([]);
    expect(host.done).toEqual([]);
  });
});

describe('an update of a node', () => {
  const versions = () => join(folder.path, 'versions');
  const start = (releases: object = {}, machine: object = { machine: host }) =>
    startUnit({
      observe,
      dataFolder: join(folder.path, 'data'),
      configure: { ...machine, releases: { keys, installer: new VersionsFolder(versions()), ...releases } },
    });
  const operations = ['updateNode', 'updateNodeByPatch'] as const;
  const targeted = ['updateNodeTarget', 'updateNodeTargetByPatch'] as const;

  it('installs the verified archive, switches the link, and requests a restart; the task reports the result', async () => {
    let unit = await start();
    const file = { content: await blobOf(await release('27.1.0')), fileName: 'release_27.1.0.zip' };
    const uploaded = (await unit.api.call('uploadToNode', { file })).expect(200);
    const source = uploaded instanceof Object ? Reflect.get(uploaded, 'upload_id') : undefined;
    const accepted = (await unit.api.call('updateNode', { body: { options: { source }, args: [] } })).expect(202);
    await expect.poll(() => host.done).toEqual(['restartProgram']);
    expect(await readlink(join(versions(), 'current'))).toBe('27.1.0');
    expect(await readFile(join(versions(), 'current', 'lcs', 'main.js'), 'utf8')).toBe('// 27.1.0\n');
    for (const operation of operations) {
      expect((await unit.api.call(operation, { body: {} })).expect(202)).toMatchObject({ lock: 'update-lock' });
    }
    for (const operation of targeted) {
      const answer = await unit.api.call(operation, { params: { target: 'app' }, body: {} });
      expect(answer.expect(202)).toMatchObject({ lock: 'update-lock' });
    }
    (await unit.api.call('rebootNode')).expect(409, 'node_busy');
    await unit[Symbol.asyncDispose]();

    // The program of this test is the same as before: the service manager started the wrong one.
    unit = await start();
    expect(await unit.finished(accepted)).toMatchObject({
      status: 'failed',
      code: 'update_not_in_force',
      cause: 'After the restart the node runs 26.11.0.',
    });
    expect(await readdir(join(folder.path, 'data', 'run', 'updates'))).toEqual([]);
    expect(await readdir(versions())).toEqual(['27.1.0']);
    await unit[Symbol.asyncDispose]();
  });

  it('installs a version from the folder of releases, one per ten seconds', async () => {
    await release('26.12.0');
    await release('27.1.0');
    host.fail('restartProgram');
    await using unit = await start({ folder: folder.path });
    const missing = { options: { version: '30.1.0' } };
    for (const operation of operations)
      (await unit.api.call(operation, { body: missing })).expect(404, 'update_not_found');
    for (const operation of targeted) {
      (await unit.api.call(operation, { params: { target: 'ui' }, body: missing })).expect(404, 'update_not_found');
    }
    const accepted = (await unit.api.call('updateNodeTarget', { params: { target: 'ui' }, body: {} })).expect(202);
    expect(await unit.finished(accepted)).toMatchObject({ status: 'failed', code: 'host_command_failed' });
    expect(await readdir(versions())).toEqual(['26.12.0']);
    expect(await readdir(join(folder.path, 'data', 'run', 'updates'))).toEqual([]);
    for (const operation of operations) {
      const answer = await unit.api.call(operation, { body: { options: { version: '27.1.0' } } });
      answer.expect(429, 'too_soon');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    for (const operation of targeted) {
      (await unit.api.call(operation, { params: { target: 'app' }, body: {} })).expect(429, 'too_soon');
    }
  });

  it('keeps the running version for the next start when it is cancelled before the restart', async () => {
    await mkdir(join(versions(), '26.11.0'), { recursive: true });
    await symlink('26.11.0', join(versions(), 'current'));
    await release('27.1.0');
    await using unit = await start({ folder: folder.path });
    const accepted = (await unit.api.call('updateNode', { body: {} })).expect(202);
    await expect.poll(() => host.done).toEqual(['restartProgram']);
    expect(await readlink(join(versions(), 'current'))).toBe('27.1.0');
    (await unit.api.call('cancelTask', { params: { task_id: taskIdOf(accepted) } })).expect(202);
    expect(await unit.finished(accepted)).toMatchObject({ status: 'failed', code: 'task_cancelled' });
    expect(await readlink(join(versions(), 'current'))).toBe('26.11.0');
    expect(await readdir(join(folder.path, 'data', 'run', 'updates'))).toEqual([]);
  });

  it('refuses unknown versions and options', async () => {
    await using unit = await start();
    const file = { content: 'no zip', fileName: 'release_27.1.0.zip' };
    const uploaded = (await unit.api.call('uploadToNode', { file })).expect(200);
    const bad = uploaded instanceof Object ? Reflect.get(uploaded, 'upload_id') : undefined;
    const old = { content: await blobOf(await release('26.1.0')), fileName: 'old.zip' };
    const place = (await unit.api.call('uploadToNode', { file: old })).expect(200);
    const older = place instanceof Object ? Reflect.get(place, 'save_path') : undefined;
    const refused = [
      [{ options: { branch: 'main' } }, 400, 'update_option_invalid'],
      [{ options: { source: '/etc/passwd' } }, 400, 'update_option_invalid'],
      [{ options: { source: 5 } }, 400, 'update_option_invalid'],
      [{ options: { version: null } }, 400, 'update_option_invalid'],
      [{ options: { source: bad, version: '27.1.0' } }, 400, 'update_option_invalid'],
      [{ options: { source: older } }, 400, 'update_option_invalid'],
      [{ args: ['--force'] }, 400, 'update_option_invalid'],
      [{ options: 'all' }, 400, 'invalid_body'],
      [{ options: { source: bad } }, 400, 'update_archive_invalid'],
      [{}, 503, 'update_source_missing'],
      [{ options: { version: '27.1.0' } }, 503, 'update_source_missing'],
    ] as const;
    for (const [body, status, code] of refused) {
      for (const operation of operations) (await unit.api.call(operation, { body })).expect(status, code);
      for (const operation of targeted) {
        (await unit.api.call(operation, { params: { target: 'app' }, body })).expect(status, code);
      }
    }
    for (const operation of targeted) {
      (await unit.api.call(operation, { params: { target: 'os' }, body: {} })).expect(404, 'update_target_unknown');
    }
    expect(host.done).toEqual([]);
  });

  it('is refused if installation is not allowed', async () => {
    const path = await release('27.1.0');
    await using unit = await startUnit({ observe, configure: { releases: { keys, folder: folder.path } } });
    const body = { options: { version: '27.1.0' } };
    for (const operation of operations) (await unit.api.call(operation, { body })).expect(503, 'host_no_right');
    for (const operation of targeted) {
      (await unit.api.call(operation, { params: { target: 'app' }, body })).expect(503, 'host_no_right');
    }
    expect(existsSync(path)).toBe(true);
  });
});

it('the web server of a leader has a state, and can be restarted, but not twice in a row', async () => {
  await using leader = await startLeader({ observe, configure: { machine: host } });
  expect((await leader.api.call('getWebServerStatus')).expect(200)).toEqual({
    service: 'lcs.service',
    state: 'ready',
    raw_status: 'lcs.service=active',
  });
  const release = host.pause('restartProgram');
  const accepted = (await leader.api.call('restartWebServer')).expect(202);
  expect((await leader.api.call('restartWebServerByPatch')).expect(202)).toMatchObject({ lock: 'web-restart-lock' });
  release();
  expect(await leader.finished(accepted)).toMatchObject({ result: true });
  await using plain = await startLeader({ observe });
  for (const operation of ['restartWebServer', 'restartWebServerByPatch'] as const) {
    (await plain.api.call(operation)).expect(503, 'host_no_right');
  }
  (await leader.api.call('restartWebServer')).expect(429, 'too_soon');
  (await leader.api.call('restartWebServerByPatch')).expect(429, 'too_soon');
});
