import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FeedBatch, type FeedClient, FeedFollowers, type IngestPort, readFeedAnswer } from '@lcs/leader';
import { type Migration, memoryLog, SqliteDatabase, VirtualClock } from '@lcs/platform';
import { FeedHandler, Outbox, type OutboxTables, outboxMigrations, UnitTime } from '@lcs/unit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const leaderId = '3d0e6c52-9a44-4b19-8a3e-7a8e2f6b5c01';
const epoch = '7c1e4f0a-58d2-4b0e-9b6c-2f6b1f0f8a11';

interface LeaderTables {
  stored: { id: number; seq: number; word: string };
  marks: { unit: string; epoch: string; seq: number };
}
const leaderMigrations: readonly Migration[] = [
  {
    set: 'stored',
    id: 1,
    name: 'rows and marks',
    up: `create table stored (id integer primary key, seq integer not null, word text not null) strict;
         create table marks (unit text primary key, epoch text not null, seq integer not null) strict;`,
  },
];

/** Things that happen to a unit and its leader. */
type Happening =
  | { readonly is: 'append'; readonly count: number }
  | { readonly is: 'pass'; readonly ms: number }
  | { readonly is: 'unit killed'; readonly at: 'now' | 'before_commit' | 'after_commit' }
  | { readonly is: 'leader killed'; readonly at: 'now' | 'before_commit' | 'before_ack' }
  | { readonly is: 'network'; readonly fault: 'request lost' | 'answer lost' | 'old answer again' };

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ is: fc.constant('append' as const), count: fc.integer({ min: 1, max: 30 }) }) },
  { weight: 4, arbitrary: fc.record({ is: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 3_000 }) }) },
  fc.record({
    is: fc.constant('unit killed' as const),
    at: fc.constantFrom('now' as const, 'before_commit' as const, 'after_commit' as const),
  }),
  fc.record({
    is: fc.constant('leader killed' as const),
    at: fc.constantFrom('now' as const, 'before_commit' as const, 'before_ack' as const),
  }),
  fc.record({
    is: fc.constant('network' as const),
    fault: fc.constantFrom('request lost' as const, 'answer lost' as const, 'old answer again' as const),
  }),
);

class Killed extends Error {}
const never = () => new Promise<never>(() => {});

/** A unit and a leader on real databases and virtual time, whose programs can be killed. What is on disk stays. */
class World {
  readonly clock = new VirtualClock();
  readonly log = memoryLog();
  readonly unitStore: SqliteDatabase<OutboxTables>;
  readonly leaderStore: SqliteDatabase<LeaderTables>;
  /** Acknowledged words, and all appended words, in order. */
  readonly committed = new Set<string>();
  readonly appended: string[] = [];
  #boot = 0;
  #outbox: Outbox | undefined;
  #feed: FeedHandler | undefined;
  #followers: FeedFollowers | undefined;
  #unitDiesAt: string | undefined;
  #isUnitDead = false;
  #leaderDiesAt: 'before_commit' | 'before_ack' | undefined;
  #fault: 'request lost' | 'answer lost' | 'old answer again' | undefined;
  #readAgainTo = 0;
  #lastAnswer: unknown;

  constructor(folder: string) {
    const common = { clock: this.clock, holds: this.clock, log: this.log };
    this.unitStore = new SqliteDatabase({ ...common, path: join(folder, 'u.sqlite'), migrations: outboxMigrations });
    this.leaderStore = new SqliteDatabase({ ...common, path: join(folder, 'l.sqlite'), migrations: leaderMigrations });
  }

  async start(): Promise<void> {
    await this.unitStore.start(new AbortController().signal);
    await this.leaderStore.start(new AbortController().signal);
    await this.startUnit();
    this.startLeader();
  }

  async startUnit(): Promise<void> {
    this.#boot += 1;
    this.#unitDiesAt = undefined;
    this.#isUnitDead = false;
    const { clock, log } = this;
    const time = new UnitTime({ clock, boot: this.#boot, hostSynced: () => true });
    await time.start();
    const boot = this.#boot;
    const probe = (point: string) => {
      // A killed program does nothing more; one that is killed here leaves its disk as it is.
      if (boot !== this.#boot || this.#isUnitDead || point === this.#unitDiesAt) throw new Killed();
    };
    const limits = { maxBytes: 12_000, commitAtRecords: 25 };
    const outbox = new Outbox({
      database: this.unitStore,
      time,
      clock,
      wire: clock,
      log,
      newId: () => epoch,
      limits,
      probe,
    });
    await outbox.start();
    const heartbeat = () => ({ desired_version: 0, desired_pending: [], jobs: [], held_jobs: [], unrecorded: false });
    this.#feed = new FeedHandler({ unit: 'u', outbox, time, wire: clock, leaderId: () => leaderId, heartbeat });
    await this.#feed.start();
    this.#outbox = outbox;
  }

  startLeader(): void {
    this.#leaderDiesAt = undefined;
    const { clock, log } = this;
    this.#followers = new FeedFollowers({
      leaderId,
      ingest: this.#ingest(),
      clock,
      wire: clock,
      log,
      random: () => 0.5,
      mayFollow: () => false,
      clientOf: () => this.#client(),
      probe: () => {
        if (this.#leaderDiesAt === 'before_ack') throw new Killed();
      },
    });
    this.#followers.follow('u');
  }

  append(count: number): void {
    const boot = this.#boot;
    for (let index = 0; index < count; index += 1) {
      const word = `word ${this.appended.length}`;
      this.appended.push(word);
      const common = { experiment_uid: 'e', source: 'app', message: word } as const;
      const flushed = this.#outbox?.append({ ...common, kind: 'log', level: 'WARNING', task: 't' }).flushed;
      void flushed?.then((outcome) => {
        // Messages of a killed program are dropped.
        if (outcome === 'committed' && boot === this.#boot) this.committed.add(word);
      });
    }
  }

  async happen(event: Happening): Promise<void> {
    switch (event.is) {
      case 'append':
        return this.append(event.count);
      case 'pass':
        return this.clock.advance(event.ms);
      case 'network':
        this.#fault = event.fault;
        return;
      case 'unit killed':
        if (event.at !== 'now') {
          this.append(1);
          this.#unitDiesAt = `outbox.${event.at}`;
          await this.clock.advance(300);
        }
        await this.#feed?.stop();
        // A write that was under way is on disk, or not, before the next start.
        this.#isUnitDead = true;
        await this.clock.advance(0);
        return this.startUnit();
      case 'leader killed':
        if (event.at !== 'now') {
          this.append(1);
          this.#leaderDiesAt = event.at;
          await this.clock.advance(1_000);
        }
        await this.#endLeader();
        return this.startLeader();
    }
  }

  /** Everything works again, and time passes. */
  async settle(): Promise<readonly { seq: number; word: string }[]> {
    this.#fault = undefined;
    await this.#outbox?.flush();
    await this.clock.advance(60_000);
    const rows = await this.leaderStore.read.selectFrom('stored').select(['seq', 'word']).orderBy('id').execute();
    await this.#endLeader();
    await this.#outbox?.stop();
    await this.leaderStore.stop();
    await this.unitStore.stop();
    return rows;
  }

  async #endLeader(): Promise<void> {
    this.#leaderDiesAt = undefined;
    await this.#followers?.stop();
  }

  #client(): FeedClient {
    return {
      read: async (query, signal) => {
        const fault = this.#fault;
        this.#fault = undefined;
        if (fault === 'request lost') throw new Error('no connection');
        if (fault === 'old answer again') return readFeedAnswer(structuredClone(this.#lastAnswer), query.after ?? 0);
        const answer = (await this.#feed?.read(query, signal)) ?? (await never());
        this.#lastAnswer = answer;
        if (fault === 'answer lost') throw new Error('connection lost');
        return readFeedAnswer(structuredClone(answer), query.after ?? 0);
      },
      acknowledge: async (ack) => (await this.#feed?.acknowledge(ack)) ?? never(),
    };
  }

  #ingest(): IngestPort {
    const { leaderStore } = this;
    return {
      mark: async () => leaderStore.read.selectFrom('marks').select(['epoch', 'seq']).executeTakeFirst(),
      ingest: async ({ unit, upTo, records }: FeedBatch) => {
        await leaderStore.write(async (transaction) => {
          for (const { record } of records) {
            const word = record.kind === 'log' ? record.message : record.kind;
            const row = transaction.insertInto('stored').values({ id: record.seq, seq: record.seq, word });
            // What the follower reads again on purpose is known by its identity; anything else that comes twice is a fault.
            await (record.seq <= this.#readAgainTo ? row.onConflict((on) => on.doNothing()) : row).execute();
          }
          const mark = { unit, epoch, seq: upTo };
          await transaction
            .insertInto('marks')
            .values(mark)
            .onConflict((on) => on.column('unit').doUpdateSet(mark))
            .execute();
          if (this.#leaderDiesAt === 'before_commit') throw new Killed();
        });
      },
      rewind: async (unit, { seq }) => {
        const mark = await leaderStore.read.selectFrom('marks').select('seq').executeTakeFirst();
        this.#readAgainTo = Math.max(this.#readAgainTo, mark?.seq ?? 0);
        await leaderStore.write((transaction) =>
          transaction.updateTable('marks').set({ seq }).where('unit', '=', unit).execute(),
        );
      },
    };
  }
}

describe('the feed, over crashes, duplicates and lost messages', () => {
  it('brings every committed record to the leader exactly once and in order', async () => {
    const property = fc.asyncProperty(fc.array(happening, { minLength: 5, maxLength: 30 }), async (happenings) => {
      const folder = await mkdtemp(join(tmpdir(), 'lcs-feed-'));
      try {
        const world = new World(folder);
        await world.start();
        for (const event of happenings) await world.happen(event);
        const rows = await world.settle();
        const words = rows.map(({ word }) => word).filter((word) => word.startsWith('word '));
        const order = new Map(world.appended.map((word, index) => [word, index]));
        const places = words.map((word) => order.get(word) ?? -1);
        expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
        expect(new Set(words)).toEqual(new Set([...words, ...world.committed]));
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
    await fc.assert(property, { numRuns: 12 });
  });
});
