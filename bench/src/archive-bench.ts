import { createHash } from 'node:crypto';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock, SqliteDatabase, silentLog } from '@lcs/platform';
import { Archive } from '../../packages/leader/src/archive/archive.ts';
import { monthNamed } from '../../packages/leader/src/archive/month.ts';
import { SeriesIds } from '../../packages/leader/src/series/series-ids.ts';
import { SeriesIngest } from '../../packages/leader/src/series/series-ingest.ts';
import { SeriesReader } from '../../packages/leader/src/series/series-reader.ts';
import { leaderMigrations } from '../../packages/leader/src/store/migrations.ts';
import type { LeaderTables } from '../../packages/leader/src/store/tables.ts';
import type { Figure } from './figures.ts';
import { storeDays, tenDays } from './ten-days.ts';

const endMs = Date.UTC(2026, 4, 11);
const experimentUid = '5f2a8f8e-3c39-4a55-8f41-0a7f0d8b9d10';
const longDays = 9;
const months = ['2026-03', '2026-04', '2026-05'];

async function timed(run: () => unknown): Promise<number> {
  const startedMs = performance.now();
  await run();
  return performance.now() - startedMs;
}

const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

interface Asked {
  /** Times of charts of an hour, at moments all over the past, ms. */
  readonly hoursMs: readonly number[];
  /** Until all readings were read, ms. */
  readonly allMs: number;
  /** Of the bytes of all answers. */
  readonly hash: string;
}

async function ask(path: string, days: number): Promise<Asked> {
  const reader = SeriesReader.open({ path });
  const hash = createHash('sha256');
  const hoursMs: number[] = [];
  const common = { experimentUid, source: 'od' };
  for (let turn = 0; turn < 100; turn += 1) {
    const nowMs = endMs - ((turn * 7_919) % (days * 24 - 2)) * 3_600_000;
    const question = { ...common, unit: 'unit3', lookbackHours: 1, targetPoints: 1_000, nowMs };
    hoursMs.push(await timed(() => hash.update(reader.answer(question).bytes)));
  }
  const all = { ...common, lookbackHours: days * 24 + 1, targetPoints: 1_000_000, nowMs: endMs };
  const allMs = await timed(() => {
    for (let unit = 1; unit <= tenDays.units; unit += 1)
      for (let channel = 1; channel <= tenDays.channels; channel += 1)
        hash.update(reader.answer({ ...all, unit: `unit${unit}`, channel: String(channel) }).bytes);
  });
  reader.close();
  return { hoursMs, allMs, hash: hash.digest('hex') };
}

async function measure(folder: string, days: number): Promise<Figure[]> {
  const path = join(folder, 'leader.sqlite');
  const database = new SqliteDatabase<LeaderTables>({
    path,
    migrations: leaderMigrations,
    clock: realClock(),
    log: silentLog(),
  });
  const { signal } = new AbortController();
  await database.start(signal);
  try {
    await storeDays(new SeriesIngest(database, new SeriesIds(database)), experimentUid, endMs, days);
    const archive = new Archive({
      database,
      store: { path },
      version: 'bench',
      leaderId: 'bench',
      workFolder: join(folder, 'work'),
      now: () => endMs,
      wire: realClock(),
    });
    const stored = await ask(path, days);
    const found = months.flatMap((name) => monthNamed(name) ?? []);
    const each = async (work: (month: (typeof found)[number]) => unknown) => {
      for (const month of found) await work(month);
    };
    const place = join(folder, 'sealed');
    const sealMs = await timed(() => each((month) => archive.seal(month, place, signal, () => {})));
    const files = await archive.files();
    const rows = files.reduce((sum, { row_count }) => sum + row_count, 0);
    const bytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
    const sealed = await ask(path, days);
    const verifyMs = await timed(() => each((month) => archive.verify(month, signal, () => {})));
    const unsealMs = await timed(() => each((month) => archive.unseal(month, signal, () => {})));
    const back = await ask(path, days);
    const differing = [sealed, back].filter(({ hash }) => hash !== stored.hash).length;
    const named = `${rows.toLocaleString('en')} readings in ${files.length} files`;
    const rate = (ms: number) => (rows / ms) * 1_000;
    return [
      {
        name: `sealed (written, fetched back, compared, removed from the store), ${named}`,
        value: rate(sealMs),
        unit: '/s',
      },
      { name: 'bytes per sealed reading', value: bytes / rows, unit: 'B' },
      { name: 'bytes per reading in the store with roll-ups', value: (await stat(path)).size / rows, unit: 'B' },
      { name: 'verified', value: rate(verifyMs), unit: 'readings/s' },
      { name: 'unsealed (verified before)', value: rate(unsealMs), unit: 'readings/s' },
      {
        name: 'a chart of an hour, two channels, in the store, p50',
        value: percentile(stored.hoursMs, 0.5),
        unit: 'ms',
      },
      { name: 'the same of a sealed month, p50', value: percentile(sealed.hoursMs, 0.5), unit: 'ms' },
      { name: 'the same of a sealed month, p95', value: percentile(sealed.hoursMs, 0.95), unit: 'ms' },
      {
        name: 'the first one, which starts the thread and reads a footer',
        value: sealed.hoursMs[0] ?? Number.NaN,
        unit: 'ms',
      },
      { name: 'all readings, in the store', value: stored.allMs / 1_000, unit: 's' },
      { name: 'all readings, of sealed months', value: sealed.allMs / 1_000, unit: 's' },
      {
        name: 'answers that are not the same bytes: sealed, unsealed',
        value: differing,
        unit: '',
        aim: { atMost: 0 },
        limit: `of ${stored.hoursMs.length + tenDays.units * tenDays.channels} charts each, SHA-256`,
      },
    ];
  } finally {
    await database.stop();
  }
}

/** Figures of sealed months on SQLite: `archive`, or `archive=36` for 36 days (10 million readings). */
export async function archiveBench(part: string): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'lcs-bench-'));
  try {
    return await measure(folder, part === '' ? longDays : Number(part));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
