import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { runProgram } from '@lcs/cli/testing';
import { auditMigrations, leaderMigrations } from '@lcs/leader';
import { jobMigrations } from '@lcs/node';
import { realClock, SqliteDatabase, silentLog, taskMigrations } from '@lcs/platform';
import { isPostgresInstalled, PostgresAdmin, testPostgres, testWriter } from '@lcs/platform/testing';
import { startLeader, temporaryFolder } from '@lcs/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { observe } from '../../observe.ts';
import { fillStore, tablesOf } from './filled-store.ts';

const program = fileURLToPath(new URL('../../../packages/cli/bin/lcs.js', import.meta.url));
const files = ['storage/leader.sqlite', 'storage/audit.sqlite'];

interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** Runs `lcs migrate --json` as a process of its own. */
async function migrate(from: string, to: string, crashAt?: string): Promise<Outcome> {
  const child = spawn(process.execPath, [program, 'migrate', '--from', from, '--to', to, '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, ...(crashAt && { LCS_CRASH_AT: crashAt }) },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const written = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    written.out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    written.err += chunk.toString();
  });
  const [code, signal] = await once(child, 'close');
  return { code, signal, ...written };
}

async function emptyDatabase(): Promise<string> {
  const server = await testPostgres();
  const name = `move_${randomUUID().replaceAll('-', '')}`;
  await using admin = await PostgresAdmin.open(server.url('postgres'));
  await admin.run(`create database ${name}`);
  return server.url(name);
}

/** The data folder of a leader whose tables all have rows. */
async function filledFolder(folder: string): Promise<void> {
  await mkdir(join(folder, 'storage'), { recursive: true });
  const migrations = [[...taskMigrations, ...jobMigrations, ...leaderMigrations], auditMigrations];
  for (const [at, file] of files.entries()) {
    const path = join(folder, file);
    const database = new SqliteDatabase<object>({
      path,
      migrations: migrations[at] ?? [],
      clock: realClock(),
      log: silentLog(),
      writer: testWriter(),
    });
    await database.start(new AbortController().signal);
    await database.stop();
    fillStore(path);
  }
}

/** In an order of their own: SQLite numbers rows in the order of their insertion. */
const plain = (rows: readonly Record<string, unknown>[]) =>
  rows.map((row) => ({ ...row })).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

/** All rows of the stores of a folder, with the results of a search in the event log. */
function contentOf(folder: string): ReadonlyMap<string, readonly unknown[]> {
  const content = new Map<string, readonly unknown[]>();
  for (const file of files) {
    const database = new DatabaseSync(join(folder, file), { readOnly: true });
    for (const table of tablesOf(database))
      content.set(`${file} ${table}`, plain(database.prepare(`select * from "${table}"`).all()));
    if (file.includes('leader')) {
      content.set('numbers', plain(database.prepare('select * from sqlite_sequence order by name').all()));
      content.set(
        'found',
        plain(database.prepare(`select rowid from logs_search where logs_search match '" ä😀"' order by 1`).all()),
      );
    }
    database.close();
  }
  return content;
}

describe.skipIf(!isPostgresInstalled)('lcs migrate', () => {
  it('moves every table of store and audit to PostgreSQL and back, also when it is killed in the middle', async () => {
    await using folder = await temporaryFolder('move-a');
    await using other = await temporaryFolder('move-b');
    await filledFolder(folder.path);
    const before = contentOf(folder.path);
    expect([...before].flatMap(([name, rows]) => (rows.length === 0 ? [name] : []))).toEqual([]);
    const url = await emptyDatabase();
    expect(await migrate(folder.path, url, 'move.page_done:20')).toMatchObject({ signal: 'SIGKILL', out: '' });
    const there = await migrate(`sqlite:${folder.path}`, url);
    expect(there).toMatchObject({ code: 0 });
    expect(await migrate(url, `sqlite:${other.path}`, 'move.page_done:50')).toMatchObject({ signal: 'SIGKILL' });
    const back = await migrate(url, `sqlite:${join(other.path, 'storage/leader.sqlite')}`);
    expect(back).toMatchObject({ code: 0, out: there.out });
    const { stores } = JSON.parse(back.out);
    expect(stores).toMatchObject([{ name: 'audit' }, { name: 'store' }]);
    expect(contentOf(other.path)).toEqual(before);
    expect(contentOf(folder.path)).toEqual(before);
  });

  it('moves the store of a leader, which continues with it', async () => {
    await using folder = await temporaryFolder('move');
    {
      await using leader = await startLeader({ observe, dataFolder: folder.path, engine: 'sqlite' });
      await leader.client.createExperiment({ body: { experiment: 'a', tags: ['x'] } });
      const used = await runProgram(['migrate', '--from', folder.path, '--to', await emptyDatabase()]);
      expect(used).toMatchObject({ code: 1, out: '', err: expect.stringContaining('in use') });
    }
    const url = await emptyDatabase();
    const moved = await runProgram(['migrate', '--from', folder.path, '--to', url]);
    expect(moved).toMatchObject({ code: 0, out: expect.stringMatching(/store +experiments +1 +[0-9a-f]{64}/) });
    await using leader = await startLeader({ observe, dataFolder: folder.path, configure: { database: url } });
    expect((await leader.api.call('listExperiments')).expect(200)).toMatchObject([{ experiment: 'a', tags: ['x'] }]);
    (await leader.api.call('createExperiment', { body: { experiment: 'b' } })).expect(201);
    await using other = await temporaryFolder('move');
    const used = await runProgram(['migrate', '--from', url, '--to', other.path, '--json']);
    expect([used.code, JSON.parse(used.err.trim().split('\n').at(-1) ?? '')]).toMatchObject([
      1,
      { cause: expect.stringContaining('leader') },
    ]);
  });

  it('refuses a target with data, places of one engine and a missing store with one sentence', async () => {
    await using folder = await temporaryFolder('move');
    await using empty = await temporaryFolder('move');
    await filledFolder(folder.path);
    const url = await emptyDatabase();
    await using admin = await PostgresAdmin.open(url);
    await admin.run('create schema lcs; create table lcs.notes (id integer)');
    await cp(folder.path, empty.path, { recursive: true });
    const answers = [
      await runProgram(['migrate', '--from', folder.path, '--to', url, '--json']),
      await runProgram(['migrate', '--from', folder.path, '--to', empty.path, '--json']),
      await runProgram(['migrate', '--from', join(folder.path, 'none'), '--to', url, '--json']),
      await runProgram(['migrate', '--from', url, '--to', join(folder.path, 'none'), '--json']),
    ];
    expect(answers.map(({ code, out }) => [code, out])).toEqual(answers.map(() => [1, '']));
    expect(answers.map(({ err }) => JSON.parse(err).cause)).toEqual([
      expect.stringContaining('has data'),
      expect.stringContaining('same engine'),
      expect.stringContaining('no store'),
      expect.stringContaining('no store'),
    ]);
    expect(await runProgram(['migrate', '--from', folder.path])).toMatchObject({ code: 2 });
  });
});
