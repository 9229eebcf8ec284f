import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { realClock, SqliteDatabase, silentLog } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import type { KillPlan } from './kill-child.ts';
import { type OutboxTables, outboxMigrations } from './outbox-tables.ts';

const child = fileURLToPath(new URL('./kill-child.ts', import.meta.url));

/** Runs until it is killed; the numbers it had said to be committed. */
const runChild = (plan: KillPlan) =>
  new Promise<readonly number[]>((resolve, reject) => {
    execFile(process.execPath, [child, JSON.stringify(plan)], (error, stdout, stderr) => {
      if (error?.signal === 'SIGKILL') resolve(stdout.split('\n').filter(Boolean).map(Number));
      else reject(new Error(stderr, { cause: error }));
    });
  });

const rowsIn = async (path: string) => {
  const options = { path, migrations: outboxMigrations, clock: realClock(), log: silentLog() };
  const database = new SqliteDatabase<OutboxTables>(options);
  await database.start(new AbortController().signal);
  try {
    const rows = await database.read
      .selectFrom('outbox_records')
      .select(['seq', 'boot', 'value'])
      .orderBy('seq')
      .execute();
    const state = await database.read.selectFrom('outbox_state').selectAll().executeTakeFirstOrThrow();
    return { rows, state };
  } finally {
    await database.stop();
  }
};

const plans: readonly Omit<KillPlan, 'path' | 'boot' | 'firstValue'>[] = [
  { point: 'after_append', occurrence: 47 },
  { point: 'outbox.before_commit', occurrence: 3 },
  { point: 'outbox.after_commit', occurrence: 4 },
  { point: 'after_append', occurrence: 1 },
];

describe('an outbox whose process is killed', () => {
  it('has each committed record once and in order, and never uses a number twice', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lcs-outbox-'));
    try {
      const path = join(folder, 'outbox.sqlite');
      const confirmed: number[] = [];
      let numbered = new Map<number, number | null>();
      for (const [index, plan] of plans.entries()) {
        const output = await runChild({ path, boot: index + 1, firstValue: (index + 1) * 1_000, ...plan });
        confirmed.push(...output);
        const { rows, state } = await rowsIn(path);
        for (const { seq, value } of rows) if (numbered.has(seq)) expect(value).toBe(numbered.get(seq));
        expect(rows.length).toBeGreaterThanOrEqual(numbered.size);
        numbered = new Map(rows.map(({ seq, value }) => [seq, value]));
        expect([state.records, state.head_seq]).toEqual([rows.length, rows.at(-1)?.seq ?? 0]);
      }
      const values = [...numbered.values()].map(Number);
      expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
      expect(values).toEqual(expect.arrayContaining(confirmed));
      expect(confirmed.length).toBeGreaterThan(40);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
