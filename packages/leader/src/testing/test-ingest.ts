import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FeedAnswer, FeedRecord, FeedSeries, LogEntry } from '@lcs/contract';
import { type Database, realClock, SqliteDatabase, silentLog, taskMigrations, VirtualClock } from '@lcs/platform';
import { testWriter } from '@lcs/platform/testing';
import { sql } from 'kysely';
import { BootEraStore } from '../clock-corrections/boot-era-store.ts';
import { ClockCorrections } from '../clock-corrections/clock-corrections.ts';
import { createChangeRunner } from '../core/change.ts';
import type { LeaderSchema } from '../core/leader-context.ts';
import type { DiskSpaceLevel } from '../disk-space/disk-space-monitor.ts';
import { batchOf } from '../follower/feed-batch.ts';
import { FeedIngest } from '../ingest/feed-ingest.ts';
import { createSeriesStore } from '../series/series-store.ts';
import { leaderMigrations } from '../store/migrations.ts';
import { testAnswer } from './test-feed.ts';

/** How a write of the store ends badly: nothing of it is done, or all of it and nobody hears of it. */
export type Fault = 'before' | 'after';

export const startMs = Date.UTC(2026, 4, 2, 9);

/** A store with an ingest whose writes can be made to fail; gone after the test. */
export async function testIngest() {
  const folder = await mkdtemp(join(tmpdir(), 'lcs-ingest-'));
  const path = join(folder, 'leader.sqlite');
  const clock = new VirtualClock({ startMs });
  const log = silentLog();
  const sqlite = new SqliteDatabase<LeaderSchema>({
    path,
    migrations: [...taskMigrations, ...leaderMigrations],
    clock: realClock(),
    log,
    writer: testWriter(),
  });
  await sqlite.start(new AbortController().signal);
  let fault: Fault | undefined;
  const database: Database<LeaderSchema> = {
    read: sqlite.read,
    write: (work) => sqlite.write(work),
    get version() {
      return sqlite.version;
    },
    bulk: async (statements, options) => {
      const now = fault;
      fault = undefined;
      if (now === 'before') throw new Error('cut before the commit');
      await sqlite.bulk(statements, options);
      if (now === 'after') throw new Error('cut after the commit');
    },
  };
  const logged: LogEntry[] = [];
  const series = createSeriesStore({ database, place: { path }, clock, wire: realClock(), log });
  const diskSpace: { level: DiskSpaceLevel; failures: number } = { level: 'enough', failures: 0 };
  const { changes } = series;
  const change = createChangeRunner({
    leader: 'lead',
    database,
    now: () => clock.now(),
    live: { publish: () => {} },
    mqtt: { publish: () => {} },
  });
  const corrections = new ClockCorrections({ database, changes, change, clock, wire: realClock(), log });
  const eras = new BootEraStore({ database, changes, onCorrection: () => corrections.wake() });
  const ingest = new FeedIngest({
    database,
    series,
    eras,
    clock,
    log,
    onLogged: (entry) => logged.push(entry),
    machineOf: (unit) => `machine of ${unit}`,
    diskSpace: {
      get level() {
        return diskSpace.level;
      },
      writeFailed: async () => {
        diskSpace.failures += 1;
      },
    },
  });
  const all = async (query: string) => (await sql.raw<Record<string, unknown>>(query).execute(sqlite.read)).rows;
  return {
    path,
    clock,
    database,
    series,
    ingest,
    /** Not started: a correction waits until it is. */
    corrections,
    logged,
    all,
    diskSpace,
    /** The next write ends like this. */
    fail: (how: Fault) => {
      fault = how;
    },
    /** Adds experiments whose uid is their name. */
    addExperiments: (...names: string[]) =>
      sqlite.write(async (transaction) => {
        for (const name of names) {
          await transaction.insertInto('experiments').values({ uid: name, name, created_at: 0 }).execute();
        }
      }),
    /** Stores an answer as the follower would. */
    take: async (unit: string, answer: FeedAnswer) => {
      const mark = (await ingest.mark(unit)) ?? { epoch: answer.epoch, seq: 0 };
      await ingest.ingest(batchOf({ ...answer, reactor_unit: unit }, mark));
    },
    [Symbol.asyncDispose]: async () => {
      await corrections.stop();
      await series.readers.stop();
      await sqlite.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type TestIngest = Awaited<ReturnType<typeof testIngest>>;

export const feedSeries = (more: Partial<FeedSeries> = {}): FeedSeries => ({
  experiment_uid: 'e1',
  source: 'od',
  channel: '1',
  angle: 90,
  derivation: null,
  context: null,
  ...more,
});

/** An answer with these records and this dictionary. */
export const answerWith = (
  records: readonly FeedRecord[],
  series: readonly FeedSeries[] = [feedSeries()],
  more: Partial<FeedAnswer> = {},
): FeedAnswer => testAnswer(records, { series: [...series], ...more });

const stamp = (seq: number) => ({ seq, boot: 1, mono: seq * 1_000, at: startMs + seq * 1_000 });

/** Records of each kind, numbered. */
export const record = {
  sample: (seq: number, more: Partial<FeedRecord & { kind: 'sample' }> = {}): FeedRecord => ({
    ...stamp(seq),
    kind: 'sample',
    series: 0,
    value: seq,
    ...more,
  }),
  event: (seq: number, more: Partial<FeedRecord & { kind: 'event' }> = {}): FeedRecord => ({
    ...stamp(seq),
    kind: 'event',
    experiment_uid: 'e1',
    name: 'dosing',
    source: 'UI',
    message: null,
    data: { event: 'add_media', volume_change_ml: 0.5 },
    ...more,
  }),
  log: (seq: number, more: Partial<FeedRecord & { kind: 'log' }> = {}): FeedRecord => ({
    ...stamp(seq),
    kind: 'log',
    experiment_uid: 'e1',
    level: 'INFO',
    task: 'stirring',
    source: 'app',
    message: `log ${seq}`,
    ...more,
  }),
  setting: (seq: number, more: Partial<FeedRecord & { kind: 'setting' }> = {}): FeedRecord => ({
    ...stamp(seq),
    kind: 'setting',
    experiment_uid: 'e1',
    job_id: 4,
    job_name: 'stirring',
    setting: 'target_rpm',
    value: seq,
    by: 'http',
    ...more,
  }),
  state: (seq: number, more: Partial<FeedRecord & { kind: 'state' }> = {}): FeedRecord => ({
    ...stamp(seq),
    kind: 'state',
    experiment_uid: 'e1',
    job_id: 4,
    job_name: 'stirring',
    state: 'ready',
    reason: null,
    source: 'user',
    ...more,
  }),
  gap: (
    seq: number,
    from_seq: number,
    to_seq: number,
    more: Partial<FeedRecord & { kind: 'gap' }> = {},
  ): FeedRecord => ({
    ...stamp(seq),
    kind: 'gap',
    experiment_uid: '$experiment',
    from_seq,
    to_seq,
    from_at: 1,
    to_at: 2,
    dropped: { od: 1 },
    reason: 'thinned',
    ...more,
  }),
};

/** All that a feed leaves in the store, without numbers that depend on the order in which units came. */
export async function everythingStored({ all }: TestIngest) {
  const derivation = 'left join derivations d on d.id = s.derivation_id';
  const key = 's.experiment_uid, s.unit, s.source, s.channel, s.angle, d.key as derivation';
  const order = 'order by 1, 2, 3, 4, 5, 6, 7';
  const rollup = (table: string) =>
    all(`select ${key}, r.bucket, r.n, r.sum, r.min, r.at_min, r.max, r.at_max, r.first_at, r.first, r.last_at, r.last
      from ${table} r join series s on s.id = r.series_id ${derivation} ${order}`);
  return {
    samples: await all(
      `select ${key}, t.at, t.value from samples t join series s on s.id = t.series_id ${derivation} ${order}`,
    ),
    flags: await all(
      `select ${key}, t.at, t.flags, t.moved_from from sample_flags t join series s on s.id = t.series_id ${derivation} ${order}`,
    ),
    context: await all(
      `select ${key}, t.since, t.calibration_name, t.ir_led_intensity from series_context t join series s on s.id = t.series_id ${derivation} ${order}`,
    ),
    minutes: await rollup('rollup_1m'),
    tenMinutes: await rollup('rollup_10m'),
    hours: await rollup('rollup_1h'),
    marks: await all('select reactor_unit, epoch, seq, generation from feed_marks order by 1, 2'),
    events: await all(
      'select experiment_uid, reactor_unit, at, name, source, message, data, machine_id, boot, mono, flags from events order by machine_id, boot, mono',
    ),
    logs: await all(
      'select experiment_id, experiment, reactor_unit, at, level, message, source, task, boot, mono from logs where machine_id is not null order by reactor_unit, boot, mono',
    ),
    alarms: await all('select message, level from logs where machine_id is null order by 1'),
    gaps: await all(
      'select reactor_unit, epoch, from_seq, to_seq, from_at, to_at, dropped, reason, machine_id, boot, mono from gaps order by 1, 3, 4, reason, boot, mono',
    ),
    holes: await all('select * from feed_holes order by 1, 2, 3'),
    known: await all('select * from last_known order by 1, 2, 3, 4'),
    deleted: await all('select * from deleted_experiments order by 1'),
    unknown: await all('select uid from unknown_experiments order by 1'),
  };
}
