import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type ContractTables, contractMigrations } from '../testing/contract-schema.ts';
import type { CrashPlan } from '../testing/crash-child.ts';
import { startedDatabase, temporaryFolder } from '../testing/test-database.ts';
import type { Migration } from './migrations.ts';

const child = fileURLToPath(new URL('../testing/crash-child.ts', import.meta.url));

interface Ending {
  readonly signal: string | undefined;
  /** What was answered before the end, in order: `command 1`, `samples 1`, … */
  readonly answered: readonly string[];
}

const runChild = (plan: CrashPlan) =>
  new Promise<Ending>((resolve, reject) => {
    execFile(process.execPath, [child, JSON.stringify(plan)], (error, stdout, stderr) => {
      const answered = stdout.split('\n').filter((line) => line !== '');
      if (error === null) resolve({ signal: undefined, answered });
      else if (error.signal) resolve({ signal: error.signal, answered });
      else reject(new Error(stderr, { cause: error }));
    });
  });

const numbersOf = (answered: readonly string[], kind: string) =>
  answered.filter((line) => line.startsWith(kind)).map((line) => Number(line.split(' ')[1]));

const range = (to: number) => Array.from({ length: to }, (_, index) => index + 1);

/** What is in the file after the crash; fails when a pair is there by half. */
const pairsIn = async (path: string, migrations: readonly Migration[] = contractMigrations) => {
  await using database = await startedDatabase<ContractTables>({ path, migrations });
  expect(await database.integrityCheck()).toEqual([]);
  const notes = await database.read.selectFrom('notes').select('name').orderBy('id').execute();
  const samples = await database.read.selectFrom('samples').selectAll().execute();
  const commands = notes.length / 2;
  expect(notes.map(({ name }) => name)).toEqual(range(commands).flatMap((pair) => [`left ${pair}`, `right ${pair}`]));
  expect(samples.map(({ series, at }) => [series, at])).toEqual(
    [1, 2].flatMap((series) => range(samples.length / 2).map((at) => [series, at])),
  );
  return { commands, samples: samples.length / 2 };
};

describe('a process killed while it writes', () => {
  const points = [
    'write.begun',
    'write.before_commit',
    'write.after_commit',
    'bulk.begun',
    'bulk.before_commit',
    'bulk.after_commit',
  ];
  const plans = [
    ...points.map((point) => ({ name: point, plan: { crashAt: { point, afterHits: 3 } } })),
    ...['write.answered', 'bulk.answered'].map((point) => ({ name: point, plan: { probeAt: point } })),
  ];

  it.each(plans)('at $name keeps every answered change, and no change by half', async ({ name, plan }) => {
    await using folder = await temporaryFolder();
    const path = folder.file('store.sqlite');
    const { signal, answered } = await runChild({ path, ...plan });
    expect(signal).toBe('SIGKILL');
    const commands = numbersOf(answered, 'command').length;
    const samples = numbersOf(answered, 'samples').length;
    const found = await pairsIn(path);
    // The change at which it died was committed, or not, without its caller knowing.
    const isCommitted = name.endsWith('after_commit') || name.endsWith('answered');
    const isCommand = name.startsWith('write');
    expect(found).toEqual({
      commands: commands + (isCommitted && isCommand ? 1 : 0),
      samples: samples + (isCommitted && !isCommand ? 1 : 0),
    });
    expect(isCommand ? commands : samples).toBe(2);
  });

  it.each(['migration.backup_done', 'migration.before_commit', 'migration.after_commit'])(
    'at %s is migrated by the next start, with all its data',
    async (point) => {
      await using folder = await temporaryFolder();
      const path = folder.file('store.sqlite');
      expect(await runChild({ path })).toMatchObject({ signal: undefined });
      const extraMigrations = [
        { set: 'extra', id: 1, name: 'extra', up: 'create table extra (id integer primary key) strict' },
      ];
      const { signal } = await runChild({ path, extraMigrations, crashAt: { point, afterHits: 1 } });
      expect(signal).toBe('SIGKILL');
      expect(await pairsIn(path, [...contractMigrations, ...extraMigrations])).toEqual({ commands: 6, samples: 6 });
      expect((await readdir(folder.path)).filter((name) => name.includes('.before-extra-1-'))).not.toHaveLength(0);
    },
  );
});
