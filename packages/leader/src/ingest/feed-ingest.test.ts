import type { FeedRecord, FeedSeries } from '@lcs/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFeedAnswer } from '../follower/read-feed-answer.ts';
import { testEpoch } from '../testing/test-feed.ts';
import {
  answerWith,
  everythingStored,
  feedSeries,
  record,
  startMs,
  type TestIngest,
  testIngest,
} from '../testing/test-ingest.ts';
import { BatchTooEarly } from './feed-ingest.ts';

const otherEpoch = '7c1e4f0a-58d2-4b0e-9b6c-2f6b1f0f8a12';

describe('a batch of a unit', () => {
  it('leaves a row of each kind, with the experiment it belongs to', async () => {
    await using store = await testIngest();
    await store.addExperiments('e1');
    const flags: ('saturated' | 'simulated')[] = ['saturated', 'simulated'];
    const records = [
      record.sample(1, { flags, unsynced: true }),
      record.event(2, { message: 'by hand' }),
      record.log(3),
      record.setting(4),
      record.state(5),
      record.gap(6, 1, 1),
      record.log(7, { experiment_uid: '$experiment' }),
    ];
    await store.take('rx01', answerWith(records));
    const stored = await everythingStored(store);
    expect(stored.samples).toMatchObject([
      { experiment_uid: 'e1', unit: 'rx01', source: 'od', channel: '1', value: 1 },
    ]);
    expect(stored.flags).toMatchObject([{ flags: 1 + 4 + 32 }]);
    expect(stored.events).toMatchObject([
      {
        experiment_uid: 'e1',
        name: 'dosing',
        source: 'UI',
        message: 'by hand',
        machine_id: 'machine of rx01',
        mono: 2_000,
      },
    ]);
    expect(stored.logs).toMatchObject([
      { experiment_id: 1, experiment: 'e1', reactor_unit: 'rx01', level: 'INFO', message: 'log 3', task: 'stirring' },
      { experiment_id: null, experiment: '$experiment' },
    ]);
    expect(stored.known).toMatchObject([
      { reactor_unit: 'rx01', experiment_uid: 'e1', job_name: 'stirring', setting: '$state', value: '"ready"' },
      { setting: 'target_rpm', value: '4', job_id: 4, at: startMs + 4_000 },
    ]);
    expect(stored.gaps).toMatchObject([{ from_seq: 1, to_seq: 1, reason: 'thinned', dropped: '{"od":1}' }]);
    expect(stored.marks).toEqual([{ reactor_unit: 'rx01', epoch: testEpoch, seq: 7, generation: 0 }]);
    expect(await store.ingest.mark('rx01')).toEqual({ epoch: testEpoch, seq: 7 });
    expect(await store.ingest.mark('rx02')).toBeUndefined();
  });

  it('is refused when records before it are missing, so that none is ever skipped', async () => {
    await using store = await testIngest();
    const batch = {
      unit: 'rx01',
      epoch: testEpoch,
      after: 5,
      upTo: 6,
      headSeq: 6,
      series: [feedSeries()],
      forgotten: undefined,
      records: [{ record: record.sample(6), backfill: false }],
    };
    await expect(store.ingest.ingest(batch)).rejects.toThrow(BatchTooEarly);
    expect((await everythingStored(store)).samples).toEqual([]);
  });

  it('is counted and dropped where its experiment was deleted, and the mark moves on', async () => {
    await using store = await testIngest();
    await store.addExperiments('e1', 'e2');
    await store.database.write(async (transaction) => {
      await transaction.updateTable('experiments').set({ deleting_at: 1 }).where('uid', '=', 'e1').execute();
      for (const uid of ['e1', 'e0']) {
        await transaction.insertInto('deleted_experiments').values({ uid, name: uid, deleted_at: 1 }).execute();
      }
    });
    const dictionary = [feedSeries(), feedSeries({ experiment_uid: 'e0' }), feedSeries({ experiment_uid: 'e2' })];
    const records = [
      record.sample(1),
      record.sample(2, { series: 1 }),
      record.sample(3, { series: 2 }),
      record.event(4),
      record.log(5, { experiment_uid: 'e0' }),
      record.state(6),
    ];
    await store.take('rx01', answerWith(records, dictionary));
    const stored = await everythingStored(store);
    expect(stored.samples).toMatchObject([{ experiment_uid: 'e2' }]);
    expect([stored.events, stored.logs, stored.known, stored.alarms]).toEqual([[], [], [], []]);
    expect(stored.deleted).toMatchObject([
      { uid: 'e0', dropped: 2 },
      { uid: 'e1', dropped: 3 },
    ]);
    expect(stored.marks).toMatchObject([{ seq: 6 }]);
  });

  it('of an unknown experiment is kept, and logged once for people', async () => {
    await using store = await testIngest();
    await store.take('rx01', answerWith([record.sample(1), record.log(2)]));
    await store.take('rx02', answerWith([record.sample(1), record.log(2)]));
    await store.take('rx01', answerWith([record.sample(3)]));
    const stored = await everythingStored(store);
    expect(stored.samples).toHaveLength(3);
    expect(stored.logs).toMatchObject([{ experiment_id: null, experiment: 'e1' }, { experiment: 'e1' }]);
    expect(stored.alarms).toEqual([{ level: 'ERROR', message: expect.stringContaining('(uid e1)') }]);
    expect(store.logged).toMatchObject([{ level: 'ERROR', task: 'feed' }]);
  });

  it('shows a hole that nothing explains, and one that the unit has forgotten', async () => {
    await using store = await testIngest();
    await store.addExperiments('e1');
    await store.take('rx01', answerWith([record.sample(4)], undefined, { first_seq: 4, acked_seq: 3 }));
    await store.take('rx01', answerWith([record.sample(6)], undefined, { head_seq: 7 }));
    expect(await everythingStored(store)).toMatchObject({
      gaps: [{ from_seq: 1, to_seq: 3, from_at: null, to_at: startMs + 4_000, reason: 'forgotten' }],
      holes: [{ from_seq: 5, to_seq: 5, head_seq: 7 }],
      alarms: [],
    });
    await store.take('rx01', answerWith([record.sample(7)]));
    expect(await everythingStored(store)).toMatchObject({
      gaps: [{ reason: 'forgotten' }, { from_seq: 5, to_seq: 5, to_at: startMs + 6_000, reason: 'unexplained' }],
      holes: [],
      alarms: [{ message: expect.stringContaining('number 5 to 5') }],
    });
  });

  it('is stored as far as it can be understood, and never keeps the feed from going on', async () => {
    await using store = await testIngest();
    await store.addExperiments('e1');
    const stamp = { boot: 1, mono: 1, at: startMs, experiment_uid: 'e1' };
    const sent: unknown = [
      { ...stamp, seq: 1, kind: 'log', level: 7 },
      { ...stamp, seq: 2, mono: 2, kind: 'event', name: ['x'], data: 5 },
      { ...stamp, seq: 3, mono: 3, kind: 'setting', value: undefined },
      { ...stamp, seq: 4, mono: 4, kind: 'gap', reason: {} },
    ];
    const answer = readFeedAnswer({ ...answerWith([]), records: sent, head_seq: 4 }, 0);
    await store.take('rx01', answer);
    const { marks, logs, events, known, gaps } = await everythingStored(store);
    expect(marks).toMatchObject([{ seq: 4 }]);
    expect([logs, events, known, gaps].map((rows) => rows.length)).toEqual([1, 1, 1, 1]);
  });

  it('begins a new epoch at its first record, and events that come again under new numbers are not doubled', async () => {
    await using store = await testIngest();
    await store.addExperiments('e1');
    const rest = [record.event(2), record.log(3), record.sample(4), record.setting(5)];
    await store.take('rx01', answerWith([record.sample(1), ...rest]));
    const before = await everythingStored(store);
    const again = rest.map((one, index) => ({ ...one, seq: index + 1 }));
    await store.ingest.ingest({
      unit: 'rx01',
      epoch: otherEpoch,
      after: 0,
      upTo: 4,
      headSeq: 4,
      series: [feedSeries()],
      forgotten: undefined,
      records: again.map((one) => ({ record: one, backfill: true })),
    });
    const { marks, ...after } = await everythingStored(store);
    expect({ ...after, marks: before.marks }).toEqual(before);
    expect(marks).toMatchObject([
      { epoch: testEpoch, seq: 5 },
      { epoch: otherEpoch, seq: 4, generation: 1 },
    ]);
    expect(await store.ingest.mark('rx01')).toEqual({ epoch: otherEpoch, seq: 4 });
  });

  it('stores what a unit on an older copy of its disk wrote under numbers that were used before, and doubles nothing', async () => {
    await using store = await testIngest();
    await store.addExperiments('e1');
    await store.take('rx01', answerWith([record.sample(1), record.log(2), record.sample(3), record.log(4)]));
    await store.take('rx01', answerWith([record.sample(1)], [feedSeries()], { epoch: otherEpoch })).catch(() => {});
    await store.ingest.rewind('rx01', { epoch: testEpoch, seq: 0 });
    expect(await store.ingest.mark('rx01')).toEqual({ epoch: testEpoch, seq: 0 });
    const later = { boot: 2, at: startMs + 60_000 };
    await store.take(
      'rx01',
      answerWith([
        record.sample(1),
        record.log(2),
        record.sample(3, later),
        record.log(4, { ...later, message: 'new' }),
      ]),
    );
    const stored = await everythingStored(store);
    expect(stored.samples).toMatchObject([
      { at: startMs + 1_000, value: 1 },
      { at: startMs + 3_000, value: 3 },
      { at: startMs + 60_000, value: 3 },
    ]);
    expect(stored.logs).toMatchObject([{ message: 'log 2' }, { message: 'log 4' }, { message: 'new' }]);
    expect(await store.ingest.mark('rx01')).toEqual({ epoch: testEpoch, seq: 4 });
  });

  it('keeps the newest setting of a machine even when its clock was set back', async () => {
    await using store = await testIngest();
    await store.addExperiments('e1');
    await store.take(
      'rx01',
      answerWith([record.setting(1, { value: 'old' }), record.setting(2, { value: 'new', at: 5 })]),
    );
    expect((await everythingStored(store)).known).toMatchObject([{ value: '"new"', at: 5 }]);
  });
});

it('stores the rows of its subscribers with the batch or not at all, and calls them once it is on disk', async () => {
  await using store = await testIngest();
  await store.addExperiments('e1');
  const seen: number[] = [];
  store.ingest.subscribe({
    statements: ({ unit }) => [
      { sql: 'insert into calibrations_due (reactor_unit, since) values (?, ?)', rows: [[unit, 7]] },
    ],
    stored: ({ upTo }) => seen.push(upTo),
  });
  const due = () => store.all('select reactor_unit, since from calibrations_due');
  const take = () => store.take('unit1', answerWith([record.sample(1)]));
  store.fail('before');
  await expect(take()).rejects.toThrow();
  expect([await due(), seen]).toEqual([[], []]);
  await take();
  expect([await due(), seen]).toEqual([[{ reactor_unit: 'unit1', since: 7 }], [1]]);
});

const dictionary: readonly FeedSeries[] = [
  feedSeries(),
  feedSeries({ context: { calibration_name: 'c1', ir_led_intensity: 80 } }),
  feedSeries({ experiment_uid: 'gone' }),
  feedSeries({ experiment_uid: 'unknown', source: 'growth_rate', channel: null, angle: null }),
  feedSeries({ experiment_uid: '$experiment', source: 'supply_voltage', channel: null, angle: null }),
];
const uid = fc.constantFrom('e1', 'gone', 'unknown', '$experiment');

/** A record at a place in the feed; `lost` leaves its number out, and `thinned` explains what was left out so far. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('sample' as const), series: fc.nat(4), at: fc.nat(40), value: fc.nat(3) }),
  },
  fc.record({ kind: fc.constantFrom('event' as const, 'log' as const, 'setting' as const, 'state' as const), uid }),
  fc.record({ kind: fc.constant('lost' as const) }),
  fc.record({ kind: fc.constant('thinned' as const) }),
);

function feedOf(steps: readonly (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[]): FeedRecord[] {
  const records: FeedRecord[] = [];
  let seq = 0;
  let firstLost: number | undefined;
  for (const one of steps) {
    seq += 1;
    if (one.kind === 'lost') firstLost ??= seq;
    // Few moments and few values: readings often meet.
    else if (one.kind === 'sample') {
      records.push(record.sample(seq, { series: one.series, at: startMs + one.at * 30_000, value: one.value }));
    } else if (one.kind === 'thinned') {
      if (firstLost !== undefined) records.push(record.gap(seq, firstLost, seq - 1));
      else records.push(record.log(seq));
      firstLost = undefined;
    } else records.push(record[one.kind](seq, { experiment_uid: one.uid }));
  }
  return [...records, record.log(seq + 1)];
}

const attempt = fc.record({
  unit: fc.nat(1),
  /** Where a batch begins relative to the mark: before it (again), at it, beyond it (too early). */
  shift: fc.constantFrom(-3, -1, 0, 0, 0, 0, 2),
  length: fc.integer({ min: 1, max: 12 }),
  fault: fc.constantFrom(undefined, undefined, 'before' as const, 'after' as const),
});

/** A store that knows experiment e1, and that another one was deleted. */
async function preparedStore() {
  const store = await testIngest();
  await store.addExperiments('e1');
  await store.database.write((transaction) =>
    transaction.insertInto('deleted_experiments').values({ uid: 'gone', name: 'gone', deleted_at: 1 }).execute(),
  );
  return store;
}

/** Stores some records of a feed after `after`, as one batch. */
async function bring(store: TestIngest, unit: string, feed: readonly FeedRecord[], after: number, most = 1_000) {
  const records = feed.filter(({ seq }) => seq > after).slice(0, most);
  await store.ingest.ingest({
    unit,
    epoch: testEpoch,
    after,
    upTo: records.at(-1)?.seq ?? after,
    headSeq: feed.at(-1)?.seq ?? 0,
    series: dictionary,
    forgotten: undefined,
    records: records.map((single) => ({ record: single, backfill: false })),
  });
}

describe('what is stored in the end', () => {
  it('is what one clean pass would leave, whatever came how often, in which pieces, and however writes were cut', async () => {
    await using clean = await preparedStore();
    await using store = await preparedStore();
    const markOf = async (unit: string) => (await store.ingest.mark(unit))?.seq ?? 0;
    let run = 0;
    const steps = fc.array(step, { minLength: 3, maxLength: 40 });
    const property = fc.asyncProperty(
      steps,
      steps,
      fc.array(attempt, { maxLength: 12 }),
      async (one, two, attempts) => {
        run += 1;
        const feeds = [one, two].map((some, index) => ({ unit: `rx${run}-${index}`, feed: feedOf(some) }));
        for (const { unit, feed } of feeds) await bring(clean, unit, feed, 0);
        for (const { shift, length, fault, ...more } of attempts) {
          const { unit, feed } = feeds[more.unit] ?? { unit: '', feed: [] };
          if (fault) store.fail(fault);
          // Fails when the write does and when the batch comes too early; the follower tries again.
          await bring(store, unit, feed, Math.max(0, (await markOf(unit)) + shift), length).catch(() => {});
        }
        // A fault that met no write is used up.
        await store.database.bulk([]).catch(() => {});
        for (const { unit, feed } of feeds) await bring(store, unit, feed, await markOf(unit));
        expect(await everythingStored(store)).toEqual(await everythingStored(clean));
      },
    );
    // What a failed run has stored stays: a smaller example would fail for the wrong reason.
    await fc.assert(property, { numRuns: 30, endOnFailure: true });
  }, 60_000);
});
