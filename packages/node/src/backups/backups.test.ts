import { existsSync, rmSync, writeFileSync } from 'node:fs';
import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDataFolder } from '../data-folder/data-folder.ts';
import { manifestFileName } from './backup-manifest.ts';
import { expiredBackups } from './backup-retention.ts';
import { backupZip } from './backup-zip.ts';
import { listBackups, pruneBackups } from './list-backups.ts';
import { makeBackup } from './make-backup.ts';
import { restoreBackup } from './restore-backup.ts';
import { readRestoreRecord } from './restore-record.ts';

const { signal } = new AbortController();
const day = 86_400_000;
const monday = Date.parse('2026-11-16T12:00:00Z');

let folder: string;
let data: string;
let place: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lcs-backups-'));
  data = join(folder, 'data');
  place = join(folder, 'second-disk');
  for (const path of [join(data, 'storage'), join(data, 'run'), join(data, 'exports'), place])
    await mkdir(path, { recursive: true });
  for (const name of ['config.ini', 'identity.json', 'leader.ini', 'run/x', 'exports/x.zip', 'storage/old.sqlite-wal'])
    await writeFile(join(data, name), name);
});
afterEach(() => rm(folder, { recursive: true }));

function database(rows: number): DatabaseSync {
  const connection = new DatabaseSync(join(data, 'storage', 'leader.sqlite'));
  connection.exec('pragma journal_mode = wal; create table if not exists t (x)');
  connection.exec(`insert into t select value from json_each('[${'0,'.repeat(rows - 1)}0]')`);
  return connection;
}

const make = (nowMs = monday, name = 'lead', progress: (fraction: number, message: string) => void = () => {}) =>
  makeBackup({ dataFolder: data, destination: place, name, version: '26.11.0', nowMs, signal, progress });

const restore = (backup: string, target = join(folder, 'restored'), replace = false, version = '26.11.0') =>
  restoreBackup({ backup, dataFolder: target, version, replace, nowMs: monday, signal });

const countIn = (root: string) => {
  const connection = new DatabaseSync(join(root, 'storage', 'leader.sqlite'), { readOnly: true });
  try {
    return Number(connection.prepare('select count(*) as n from t').get()?.n);
  } finally {
    connection.close();
  }
};

describe('a backup', () => {
  it('shares the disk blocks of files that never change, and keeps them when the node removes its own', async () => {
    database(1).close();
    const photo = join(data, 'storage', 'note_photos', 'a.jpg');
    await mkdir(join(data, 'storage', 'note_photos'));
    await writeFile(photo, 'a photo');
    const isUnchanging = (name: string) => name.startsWith('storage/note_photos/');
    const order = { dataFolder: data, destination: place, name: 'lead', version: '26.11.0', nowMs: monday, signal };
    const { path } = await makeBackup({ ...order, isUnchanging, progress: () => {} });
    const kept = join(path, 'storage', 'note_photos', 'a.jpg');
    expect((await stat(kept)).ino).toBe((await stat(photo)).ino);
    expect((await stat(join(path, 'config.ini'))).ino).not.toBe((await stat(join(data, 'config.ini'))).ino);
    await rm(photo);
    expect(await readFile(kept, 'utf8')).toBe('a photo');
    await restore(path);
    const restored = join(folder, 'restored', 'storage', 'note_photos', 'a.jpg');
    expect((await stat(restored)).ino).not.toBe((await stat(kept)).ino);
  });

  it('brings back identity, secrets, settings and the database as it was at one moment', async () => {
    const connection = database(1_000);
    const { path } = await make();
    connection.exec('delete from t');
    connection.close();
    const { manifest, setAside } = await restore(path);
    expect(setAside).toBeUndefined();
    expect(Object.keys(manifest.files).sort()).toEqual([
      'config.ini',
      'identity.json',
      'leader.ini',
      'storage/leader.sqlite',
    ]);
    expect(countIn(join(folder, 'restored'))).toBe(1_000);
    expect(await readFile(join(folder, 'restored', 'identity.json'), 'utf8')).toBe('identity.json');
    expect((await stat(path)).mode & 0o077).toBe(0);
    expect((await stat(join(path, 'leader.ini'))).mode & 0o077).toBe(0);
  });

  it('contains keys only with a passphrase, encrypted, and no password that a person has just written', async () => {
    database(1).close();
    await writeFile(join(data, 'storage', 'secrets.key'), 'the key');
    await writeFile(join(data, 'leader.ini'), '[smtp]\npassword=hush\n; password=old-hush\nhost=mail\n');
    const bare = await make();
    expect(Object.keys(bare.manifest.files)).not.toContain('storage/secrets.key');
    expect(await readFile(join(bare.path, 'leader.ini'), 'utf8')).toBe('[smtp]\npassword=\n; password=\nhost=mail\n');
    expect((await restore(bare.path)).keys).toBe('none');

    const order = {
      dataFolder: data,
      destination: place,
      name: 'lead',
      version: '26.11.0',
      signal,
      progress: () => {},
    };
    const { path } = await makeBackup({ ...order, nowMs: monday + 60_000, passphrase: 'seven grey owls' });
    expect(await readFile(join(path, 'keys.encrypted'), 'utf8')).not.toContain('the key');
    const target = join(folder, 'again');
    const again = { backup: path, dataFolder: target, version: '26.11.0', replace: true, nowMs: monday, signal };
    await expect(restoreBackup({ ...again, passphrase: 'wrong' })).rejects.toMatchObject({
      code: 'backup_passphrase_wrong',
    });
    expect((await restoreBackup(again)).keys).toBe('locked');
    await expect(stat(join(target, 'storage', 'secrets.key'))).rejects.toMatchObject({ code: 'ENOENT' });
    expect((await restoreBackup({ ...again, passphrase: 'seven grey owls' })).keys).toBe('restored');
    const key = join(target, 'storage', 'secrets.key');
    expect([await readFile(key, 'utf8'), (await stat(key)).mode & 0o777]).toEqual(['the key', 0o600]);
    expect(await readdir(target)).not.toContain('keys.encrypted');
  });

  it('reports its progress', async () => {
    const told: number[] = [];
    await make(monday, 'lead', (fraction) => told.push(fraction));
    expect(told.length).toBeGreaterThan(2);
    expect(told).toEqual([...told].sort((a, b) => a - b));
  });

  it('is made while the node removes files that were about to be copied', async () => {
    database(10).close();
    const still = join(data, 'still.jpg');
    await writeFile(still, 'still');
    const { manifest } = await make(monday, 'lead', (_fraction, message) => {
      if (message === 'Copying still.jpg.') rmSync(still);
    });
    expect(Object.keys(manifest.files)).not.toContain('still.jpg');
    expect(Object.keys(manifest.files)).toContain('storage/leader.sqlite');
  });

  it('has the files of all rows in it, also of those that come while it is made', async () => {
    const connection = database(1);
    await mkdir(join(data, 'storage', 'note_photos'));
    let isAdded = false;
    const { manifest } = await make(monday, 'lead', (_fraction, message) => {
      if (message !== 'Copying storage/leader.sqlite.' || isAdded) return;
      isAdded = true;
      writeFileSync(join(data, 'storage', 'note_photos', 'a.jpg'), 'photo');
      connection.exec('insert into t values (1)');
    });
    connection.close();
    expect(Object.keys(manifest.files)).toContain('storage/note_photos/a.jpg');
  });

  it('has no secrets in plain text, also not in copies and links that people have made', async () => {
    database(1).close();
    const secret = '[backup]\npassphrase=seven grey owls\n';
    for (const name of ['leader.ini', 'leader.ini.bak', 'leader.ini~', '.env', 'tls.key', 'tls.pem', 'my.key.old'])
      await writeFile(join(data, name), secret);
    for (const name of ['credentials.json', 'ca.pem']) await writeFile(join(data, 'storage', name), name);
    await symlink('leader.ini', join(data, 'settings.txt'));
    const order = { dataFolder: data, destination: place, name: 'lead', version: '26.11.0', signal };
    const { path, manifest } = await makeBackup({
      ...order,
      nowMs: monday,
      passphrase: 'seven grey owls',
      progress: () => {},
    });
    const kept = ['config.ini', 'identity.json', 'keys.encrypted', 'leader.ini', 'storage/ca.pem'];
    expect(Object.keys(manifest.files).sort()).toEqual([...kept, 'storage/leader.sqlite']);
    expect(await readFile(join(path, 'leader.ini'), 'utf8')).toBe('[backup]\npassphrase=\n');
    const target = join(folder, 'again');
    const restored = { backup: path, dataFolder: target, version: '26.11.0', replace: false, nowMs: monday, signal };
    await restoreBackup({ ...restored, passphrase: 'seven grey owls' });
    expect(await readFile(join(target, 'storage', 'credentials.json'), 'utf8')).toBe('credentials.json');
  });

  it('of an earlier version is downloaded without the secrets that it has', async () => {
    database(1).close();
    const { path, manifest } = await make();
    const old = { ...manifest, files: { ...manifest.files, 'leader.ini.bak': manifest.files['config.ini'] } };
    await writeFile(join(path, 'leader.ini.bak'), 'config.ini');
    await writeFile(join(path, manifestFileName), JSON.stringify(old));
    const chunks: Uint8Array[] = [];
    for await (const chunk of await backupZip(place, basename(path))) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString('latin1');
    expect(text).toContain('leader.sqlite');
    expect(text).not.toContain('leader.ini.bak');
  });

  it('of a damaged database is not made, and earlier ones stay', async () => {
    database(20_000).close();
    const { path } = await make(monday);
    const file = join(data, 'storage', 'leader.sqlite');
    const bytes = await readFile(file);
    bytes.fill(0xff, 8_192, 40_000);
    await writeFile(file, bytes);
    await expect(make(monday + day)).rejects.toThrow();
    expect(await readdir(place)).toEqual([path.slice(place.length + 1)]);
  });

  it('that was cut is cleared away by the next one, and is never listed', async () => {
    await mkdir(join(place, '.partial-backup-lead-20260101T000000000Z'));
    await mkdir(join(place, 'backup-lead-20260101T000000000Z'));
    expect(await listBackups(place, 'lead')).toEqual([]);
    await make();
    expect((await readdir(place)).sort()).toEqual([
      'backup-lead-20260101T000000000Z',
      'backup-lead-20261116T120000000Z',
    ]);
  });

  it('that is given up leaves nothing', async () => {
    const ended = new AbortController();
    const order = { dataFolder: data, destination: place, name: 'lead', version: '26.11.0', nowMs: monday };
    const work = makeBackup({ ...order, signal: ended.signal, progress: () => ended.abort() });
    await expect(work).rejects.toThrow();
    expect(await readdir(place)).toEqual([]);
  });

  it('does not follow links out of the data folder', async () => {
    await symlink('/etc/hostname', join(data, 'out'));
    const { manifest } = await make();
    expect(Object.keys(manifest.files)).not.toContain('out');
  });
});

describe('restoring', () => {
  it('refuses a folder that is not empty, and moves it aside with replace', async () => {
    database(3).close();
    const { path } = await make();
    database(4).close();
    await expect(restore(path, data)).rejects.toMatchObject({ code: 'data_folder_not_empty' });
    const { setAside } = await restore(path, data, true);
    expect(countIn(data)).toBe(3);
    expect(countIn(String(setAside))).toBe(7);
    await (await openDataFolder(data)).close();
  });

  it('leaves the backups, the units of a demonstration and the keys of the same node in the data folder', async () => {
    const identity = JSON.stringify({ id: 'a'.repeat(32), boot: 3 });
    await writeFile(join(data, 'identity.json'), identity);
    await writeFile(join(data, 'storage', 'identity.pem'), 'the key');
    for (const path of ['backups/backup-lead-1', 'units/unit1']) await mkdir(join(data, path), { recursive: true });
    database(3).close();
    const { path } = await make();
    await writeFile(join(data, 'identity.json'), identity.replace('3', '4'));
    const { keys, kept, setAside } = await restore(path, data, true);
    expect({ keys, kept }).toEqual({ keys: 'kept', kept: ['backups', 'units'] });
    expect(await readdir(join(data, 'backups'))).toEqual(['backup-lead-1']);
    expect(await readdir(join(data, 'units'))).toEqual(['unit1']);
    expect(await readFile(join(data, 'storage', 'identity.pem'), 'utf8')).toBe('the key');
    expect(await readRestoreRecord(data)).toEqual({
      backup: path,
      version: '26.11.0',
      created_at: monday,
      restored_at: monday,
      set_aside: setAside,
    });

    await writeFile(join(data, 'identity.json'), JSON.stringify({ id: 'b'.repeat(32) }));
    const other = { backup: path, dataFolder: data, version: '26.11.0', replace: true, nowMs: monday + 1000, signal };
    expect((await restoreBackup(other)).keys).toBe('none');
    await expect(stat(join(data, 'storage', 'identity.pem'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('refuses a folder on which a node runs', async () => {
    const { path } = await make();
    const running = await openDataFolder(data);
    await expect(restore(path, data, true)).rejects.toThrow('is in use by another node');
    await running.close();
    expect(await readFile(join(data, 'config.ini'), 'utf8')).toBe('config.ini');
  });

  it.each([
    ['has a changed file', (backup: string) => appendFile(join(backup, 'config.ini'), '#'), 'backup_damaged'],
    [
      'has a shorter database',
      (backup: string) => truncate(join(backup, 'storage/leader.sqlite'), 4_096),
      'backup_damaged',
    ],
    ['lacks a file', (backup: string) => rm(join(backup, 'leader.ini')), 'backup_damaged'],
    ['lacks its manifest', (backup: string) => rm(join(backup, manifestFileName)), 'backup_not_found'],
    [
      'has a manifest that is not JSON',
      (backup: string) => truncate(join(backup, manifestFileName), 30),
      'backup_damaged',
    ],
    [
      'has a manifest with a path outside of it',
      async (backup: string) => {
        const file = join(backup, manifestFileName);
        await writeFile(file, (await readFile(file, 'utf8')).replace('config.ini', '../config.ini'));
      },
      'backup_damaged',
    ],
  ])('refuses a backup that %s, and changes nothing', async (_, damage, code) => {
    database(1_000).close();
    const { path } = await make();
    await damage(path);
    await expect(restore(path, data, true)).rejects.toMatchObject({ code });
    expect(countIn(data)).toBe(1_000);
    await expect(restore(path)).rejects.toMatchObject({ code });
    expect(existsSync(join(folder, 'restored'))).toBe(false);
    expect(await readdir(folder)).toHaveLength(2);
  });
});

describe('a backup of another version', () => {
  it('is refused by an older program, which changes nothing, and restored by a newer one', async () => {
    database(1_000).close();
    const { path } = await make();
    const newer = { code: 'backup_newer' };
    await expect(restore(path, data, true, '26.10.9')).rejects.toMatchObject(newer);
    await expect(restore(path, data, true, '26.11.0-rc.1')).rejects.toMatchObject(newer);
    expect(countIn(data)).toBe(1_000);
    expect(await readdir(folder)).toHaveLength(2);
    await restore(path, join(folder, 'restored'), false, '26.12.0');
    expect(countIn(join(folder, 'restored'))).toBe(1_000);
  });
});

describe('of many backups', () => {
  const kept = (times: readonly number[], daily: number, weekly: number) => {
    const gone = new Set(expiredBackups(times, { daily, weekly }));
    return times.filter((atMs) => !gone.has(atMs)).map((atMs) => new Date(atMs).toISOString().slice(0, 13));
  };

  it('the newest of each of seven days and four weeks stay, and the first of the newest day', () => {
    const times = Array.from({ length: 2 * 60 }, (_, index) => monday - (index * day) / 2);
    expect(kept(times, 7, 4)).toEqual([
      ...[
        '2026-11-16T12',
        '2026-11-16T00',
        '2026-11-15T12',
        '2026-11-14T12',
        '2026-11-13T12',
        '2026-11-12T12',
        '2026-11-11T12',
      ],
      ...['2026-11-10T12', '2026-11-08T12', '2026-11-01T12'],
    ]);
  });

  it('those between the first and the newest of a day go; on the next day its first goes, too', () => {
    const hours = [2, 9, 15].map((hour) => monday + (hour - 12) * 3_600_000);
    expect(kept(hours, 2, 0)).toEqual(['2026-11-16T02', '2026-11-16T15']);
    expect(kept([...hours, monday + day], 2, 0)).toEqual(['2026-11-16T15', '2026-11-17T12']);
    expect(kept(hours, 0, 0)).toEqual(['2026-11-16T15']);
  });

  it('the newest stays, and never more than the limit', () => {
    const times = fc.array(fc.integer({ min: 0, max: 3e12 }), { minLength: 1 });
    fc.assert(
      fc.property(times, fc.nat(9), fc.nat(9), (moments, daily, weekly) => {
        const left = kept([...new Set(moments)], daily, weekly);
        expect(left).toContain(new Date(Math.max(...moments)).toISOString().slice(0, 13));
        expect(left.length).toBeLessThanOrEqual(daily + weekly + 1 + Math.min(1, daily));
      }),
    );
  });

  it('those of another node stay', async () => {
    for (const nowMs of [monday, monday + day, monday + 2 * day]) await make(nowMs);
    await make(monday, 'lead-2');
    expect(await pruneBackups(place, 'lead', { daily: 1, weekly: 1 })).toHaveLength(2);
    expect(await listBackups(place, 'lead')).toMatchObject([{ createdAtMs: monday + 2 * day, version: '26.11.0' }]);
    expect(await listBackups(place, 'lead-2')).toHaveLength(1);
  });
});
