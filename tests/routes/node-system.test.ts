import { chmod, mkdir, readdir, readFile, readlink, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { startUnit, type UnitUnderTest } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';
import { recordingHost } from './recording-host.ts';

let unit: UnitUnderTest;
let host: ReturnType<typeof recordingHost>;

beforeEach(async () => {
  host = recordingHost();
  unit = await startUnit({ observe, configure: { machine: host, uploadLimitBytes: 5000 } });
});
afterEach(() => unit[Symbol.asyncDispose]());

/** A GET whose path is sent as it is: `fetch` resolves dots. */
function rawGet(path: string): Promise<{ readonly status: number; readonly code: unknown }> {
  const { hostname, port } = new URL(unit.url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path }, async (response) => {
      const chunks = await Array.fromAsync(response);
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
      const code = body instanceof Object ? Reflect.get(body, 'code') : undefined;
      resolve({ status: response.statusCode ?? 0, code });
    })
      .on('error', reject)
      .end();
  });
}

const put = async (path: string, content = 'x') => {
  const place = join(unit.dataFolder, path);
  await mkdir(join(place, '..'), { recursive: true });
  await writeFile(place, content);
  return place;
};

describe('power', () => {
  it.each([
    ['rebootNode', 'reboot'],
    ['rebootNodeByPatch', 'reboot'],
    ['shutDownNode', 'shutDown'],
    ['shutDownNodeByPatch', 'shutDown'],
  ] as const)('%s stops the jobs first', async (operation, act) => {
    const task = await unit.finished((await unit.api.call(operation)).expect(202));
    expect(task).toMatchObject({ status: 'succeeded', result: true });
    expect(host.done).toEqual([act]);
    expect(unit.node.jobs.running()).toEqual([]);
  });

  it('is requested once: a second request is refused by the lock, a later one by the time window', async () => {
    const release = host.pause('reboot');
    const accepted = (await unit.api.call('rebootNode')).expect(202);
    const second = await unit.api.call('shutDownNode');
    expect(second.expect(202)).toEqual({
      status: 'running',
      lock: 'power-lock',
      retry_after_s: 1,
      remediation: 'Wait for the running operation to finish, then retry.',
    });
    expect(second.headers.get('retry-after')).toBe('1');
    release();
    await unit.finished(accepted);
    const third = await unit.api.call('shutDownNode');
    third.expect(429, 'too_soon');
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
    for (const operation of ['rebootNode', 'rebootNodeByPatch', 'shutDownNodeByPatch'] as const) {
      (await unit.api.call(operation)).expect(429, 'too_soon');
    }
    expect(host.done).toEqual(['reboot']);
  });

  it('reports a failure of the machine', async () => {
    host.fail('reboot');
    const task = await unit.finished((await unit.api.call('rebootNode')).expect(202));
    expect(task).toMatchObject({ status: 'failed', code: 'host_command_failed', error: 'The machine did not reboot.' });
  });
});

describe('a node without rights on its machine', () => {
  it('refuses changes at once, and serves reads', async () => {
    await using plain = await startUnit({ observe, name: 'unit2' });
    for (const operation of ['rebootNode', 'rebootNodeByPatch', 'shutDownNode', 'shutDownNodeByPatch'] as const) {
      (await plain.api.call(operation)).expect(503, 'host_no_right');
    }
    for (const operation of ['setNodeClock', 'setNodeClockByPatch'] as const) {
      (await plain.api.call(operation, { body: { utc_clock_time: '2026-11-21T04:18:59Z' } })).expect(
        503,
        'host_no_right',
      );
    }
    (await plain.api.call('importDataFolder', { file: { content: 'x', fileName: 'a.zip' } })).expect(
      503,
      'host_no_right',
    );
    expect((await plain.api.call('getDiskSpace')).expect(200)).toMatchObject({ total_bytes: expect.any(Number) });
    expect((await plain.api.call('getMemory')).expect(200)).toMatchObject({ available_bytes: expect.any(Number) });
  });
});

describe('read-outs', () => {
  it('have the shapes that pages read', async () => {
    expect((await unit.api.call('getIpv4Addresses')).expect(200)).toEqual({ ipv4_address: '10.42.0.1,192.168.1.7' });
    expect((await unit.api.call('getDiskSpace')).expect(200)).toEqual({ available_bytes: 5e9, total_bytes: 9e9 });
    expect((await unit.api.call('getMemory')).expect(200)).toEqual({ available_bytes: 1e9, total_bytes: 4e9 });
    const clock = await unit.api.call('getNodeClock');
    expect(clock.expect(200)).toMatchObject({ status: 'success', clock_time: expect.stringMatching(/T.*\.\d{3}Z$/) });
    expect(clock.headers.get('cache-control')).toBe('no-store');
  });

  it('of the web server are for the leader', async () => {
    (await unit.api.call('getWebServerStatus')).expect(403, 'leader_only');
    for (const operation of ['restartWebServer', 'restartWebServerByPatch'] as const) {
      (await unit.api.call(operation)).expect(403, 'leader_only');
    }
  });
});

describe('the clock', () => {
  it.each(['setNodeClock', 'setNodeClockByPatch'] as const)(
    '%s sets it from any RFC 3339 moment',
    async (operation) => {
      const body = { utc_clock_time: '2026-11-21T05:18:59.25+01:00' };
      const task = await unit.finished((await unit.api.call(operation, { body })).expect(202));
      expect(task).toMatchObject({ status: 'succeeded', result: true });
      expect(host.done).toEqual(['setClock 2026-11-21T04:18:59.250Z']);
    },
  );

  it.each(['2026-11-21T04:18:59', '2026-02-30T04:18:59Z', '2019-12-31T23:59:59Z', '2101-01-01T00:00:00Z', 'soon', ''])(
    'refuses %j',
    async (utc_clock_time) => {
      for (const operation of ['setNodeClock', 'setNodeClockByPatch'] as const) {
        (await unit.api.call(operation, { body: { utc_clock_time } })).expect(400, 'clock_time_invalid');
      }
    },
  );

  it('refuses a body of another shape', async () => {
    (await unit.api.call('setNodeClock', { body: { utc_clock_time: 5 } })).expect(400, 'invalid_body');
  });

  it('without a time is set from the leader, and fails without a leader', async () => {
    const task = await unit.finished((await unit.api.call('setNodeClock')).expect(202));
    expect(task).toMatchObject({ status: 'failed', code: 'host_command_failed' });
    expect(host.done).toEqual([]);
  });

  it('is set by one request at a time', async () => {
    const release = host.pause('setClock');
    const body = { utc_clock_time: '2026-11-21T04:18:59Z' };
    const first = (await unit.api.call('setNodeClock', { body })).expect(202);
    expect((await unit.api.call('setNodeClock', { body })).expect(202)).toMatchObject({ lock: 'clock-lock' });
    release();
    await unit.finished(first);
  });
});

describe('the data folder', () => {
  it('is listed, sorted, relative', async () => {
    await put('plugins/b.ts');
    await put('plugins/a b.txt');
    await mkdir(join(unit.dataFolder, 'plugins', 'sub'));
    for (const operation of ['listDataFolder', 'listDataFolderWithoutSlash'] as const) {
      const answer = await unit.api.call(operation);
      expect(answer.expect(200)).toMatchObject({ current: '', dirs: expect.arrayContaining(['plugins', 'storage']) });
      expect(answer.headers.get('cache-control')).toBe('private, max-age=5');
    }
    const answer = await unit.api.call('readDataFolder', { params: { path: 'plugins' } });
    answer.expect(200);
    expect(answer.json).toEqual({ current: 'plugins', dirs: ['sub'], files: ['a b.txt', 'b.ts'] });
  });

  it('serves plain files as text, with an ETag', async () => {
    await put('ui/charts/mine.yaml', 'chart_key: mine\n');
    const answer = await unit.api.call('readDataFolder', { params: { path: 'ui/charts/mine.yaml' } });
    expect(answer.expect(200)).toBe('chart_key: mine\n');
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toContain('inline');
    const tag = answer.headers.get('etag') ?? '';
    const again = await fetch(`${unit.url}/unit_api/system/path/ui/charts/mine.yaml`, {
      headers: { 'if-none-match': tag },
    });
    expect(again.status).toBe(304);
  });

  it('opens no file for a HEAD request', async () => {
    await put('ui/charts/mine.yaml', 'chart_key: mine\n');
    const path = await realpath(join(unit.dataFolder, 'ui', 'charts', 'mine.yaml'));
    const url = `${unit.url}/unit_api/system/path/ui/charts/mine.yaml`;
    const tag = (await fetch(url, { method: 'HEAD' })).headers.get('etag') ?? '';
    expect((await fetch(url, { headers: { 'if-none-match': tag } })).status).toBe(304);
    const open = await Promise.all(
      (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
    );
    expect(open).not.toContain(path);
  });

  it('confines paths to plain files that are no secrets', async () => {
    const cases = [
      ['/unit_api/system/path/../../etc/passwd', 403],
      ['/unit_api/system/path/%2e%2e/%2e%2e/etc/passwd', 403],
      ['/unit_api/system/path/..%2f..%2fetc%2fpasswd', 403],
      ['/unit_api/system/path/%2fetc%2fpasswd', 403],
      ['/unit_api/system/path//etc/passwd', 403],
      ['/unit_api/system/path/a%00b', 403],
      ['/unit_api/system/path/storage/unit.sqlite', 403],
      ['/unit_api/system/path/storage/UNIT.SQLITE-WAL', 403],
      ['/unit_api/system/path/identity.json', 403],
      ['/unit_api/system/path/storage/credentials.json', 403],
      ['/unit_api/system/path/.lock', 403],
      ['/unit_api/system/path/my.key', 403],
      ['/unit_api/system/path/plugins/nothing.ts', 404],
      [`/unit_api/system/path/${'a'.repeat(5000)}`, 404],
    ] as const;
    await put('storage/UNIT.SQLITE-WAL');
    await put('storage/credentials.json');
    await put('my.key');
    for (const [path, status] of cases) {
      const code = status === 403 ? 'path_forbidden' : 'path_not_found';
      expect(await rawGet(path), path).toEqual({ status, code });
      const name = path.slice('/unit_api/system/path/'.length);
      if (!name.includes('..') && !name.includes('%') && !name.startsWith('/')) {
        (await unit.api.call('readDataFolder', { params: { path: name } })).expect(status);
      }
    }
  });

  it('follows no link out of it, nor to a secret', async () => {
    await mkdir(join(unit.dataFolder, 'plugins'), { recursive: true });
    const links = { out: '/etc/passwd', folder: '/etc', secret: '../identity.json', nowhere: './missing' };
    for (const [name, target] of Object.entries(links)) await symlink(target, join(unit.dataFolder, 'plugins', name));
    for (const name of Object.keys(links)) {
      (await unit.api.call('readDataFolder', { params: { path: `plugins/${name}` } })).expect(403, 'path_forbidden');
    }
    (await unit.api.call('readDataFolder', { params: { path: 'plugins/folder/passwd' } })).expect(
      403,
      'path_forbidden',
    );
    const answer = await unit.api.call('readDataFolder', { params: { path: 'plugins' } });
    expect(answer.json).toMatchObject({ dirs: ['folder'], files: ['nowhere', 'out', 'secret'] });
  });

  it('removes a file, or a link and not what it points to', async () => {
    const kept = await put('plugins/kept.ts');
    const gone = await put('plugins/gone.ts');
    await symlink('kept.ts', join(unit.dataFolder, 'plugins', 'link.ts'));
    const calls = [
      unit.api.call('removeFile', { body: { filepath: 'plugins/link.ts' } }),
      unit.api.call('removeFileByPatch', { body: { filepath: gone } }),
    ];
    for (const call of calls) expect(await unit.finished((await call).expect(202))).toMatchObject({ result: true });
    expect(await readdir(join(unit.dataFolder, 'plugins'))).toEqual(['kept.ts']);
    expect(await readFile(kept, 'utf8')).toBe('x');
  });

  it.each([
    ['../outside', 403, 'path_forbidden'],
    ['/etc/passwd', 403, 'path_forbidden'],
    ['config.ini', 403, 'path_forbidden'],
    ['unit_config.ini', 403, 'path_forbidden'],
    ['DISALLOW_UI_UPLOADS', 403, 'path_forbidden'],
    ['storage/unit.sqlite', 403, 'path_forbidden'],
    ['storage/calibrations/od90/a.yaml', 403, 'path_forbidden'],
    ['identity.json', 403, 'path_forbidden'],
    ['plugins/out/passwd', 403, 'path_forbidden'],
    ['a\0b', 403, 'path_forbidden'],
    ['plugins/missing', 404, 'path_not_found'],
    ['plugins', 400, 'path_not_a_file'],
    ['.', 400, 'path_not_a_file'],
    ['', 400, 'invalid_body'],
  ] as const)('does not remove %j', async (filepath, status, code) => {
    await put('plugins/here.ts');
    await symlink('/etc', join(unit.dataFolder, 'plugins', 'out'));
    for (const operation of ['removeFile', 'removeFileByPatch'] as const) {
      (await unit.api.call(operation, { body: { filepath } })).expect(status, code);
    }
    expect((await stat('/etc/passwd')).isFile()).toBe(true);
  });

  it('is closed by its marker, before the body is read', async () => {
    await put('DISALLOW_UI_FILE_SYSTEM');
    const file = { content: 'x', fileName: 'a.zip' };
    for (const operation of ['listDataFolder', 'listDataFolderWithoutSlash', 'downloadDataFolder'] as const) {
      (await unit.api.call(operation)).expect(403, 'file_access_disabled');
    }
    (await unit.api.call('readDataFolder', { params: { path: 'config.ini' } })).expect(403, 'file_access_disabled');
    (await unit.api.call('importDataFolder', { file })).expect(403, 'file_access_disabled');
    for (const operation of ['removeFile', 'removeFileByPatch'] as const) {
      (await unit.api.call(operation, { body: { filepath: 'x' } })).expect(403, 'file_access_disabled');
    }
    (await unit.api.call('uploadToNode', { file })).expect(200);
  });
});

describe('uploads', () => {
  it('are stored under an ID, with their hash', async () => {
    const answer = (await unit.api.call('uploadToNode', { file: { content: 'hello', fileName: '../a b.zip' } })).expect(
      200,
    );
    expect(answer).toMatchObject({
      save_path: expect.stringMatching(/run\/uploads\/[0-9a-f-]{36}_a_b\.zip$/),
      upload_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
    });
  });

  it('have a limit and a form', async () => {
    (await unit.api.call('uploadToNode', { file: { content: 'x'.repeat(5001), fileName: 'a' } })).expect(
      413,
      'body_too_large',
    );
    (await unit.api.call('uploadToNode', { file: { content: 'x', fileName: 'a', field: 'other' } })).expect(
      400,
      'upload_invalid',
    );
    (await unit.api.call('uploadToNode', { body: {} })).expect(400, 'upload_invalid');
    expect(await readdir(join(unit.dataFolder, 'run', 'uploads'))).toEqual([]);
  });

  it('are closed by their marker', async () => {
    await put('DISALLOW_UI_UPLOADS');
    (await unit.api.call('uploadToNode', { file: { content: 'x', fileName: 'a' } })).expect(403, 'uploads_disabled');
    await rm(join(unit.dataFolder, 'DISALLOW_UI_UPLOADS'));
    (await unit.api.call('uploadToNode', { file: { content: 'x', fileName: 'a' } })).expect(200);
  });
});

describe('repair', () => {
  it.each(['repairNode', 'repairNodeByPatch'] as const)('%s corrects permissions and reports', async (operation) => {
    const place = await put('plugins/open.ts');
    await chmod(place, 0o666);
    const task = await unit.finished((await unit.api.call(operation)).expect(202));
    expect(task).toMatchObject({
      status: 'succeeded',
      result: {
        success: true,
        repair: { returncode: 0, stdout: expect.stringContaining('plugins/open.ts'), stderr: '' },
        status: {
          returncode: 0,
          payload: {
            checks: expect.arrayContaining([{ name: 'identity', status: 'OK', details: 'unit=unit1 role=unit' }]),
          },
        },
      },
    });
    expect((await stat(place)).mode & 0o777).toBe(0o600);
  });

  it('is done by one request at a time', async () => {
    const release = host.pause('programStatus');
    const first = (await unit.api.call('repairNode')).expect(202);
    expect((await unit.api.call('repairNodeByPatch')).expect(202)).toMatchObject({ lock: 'repair-system-lock' });
    release();
    await unit.finished(first);
  });
});
