import type { FeedRecord } from '@lcs/contract';
import { realClock } from '@lcs/platform';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  answerWith,
  everythingStored,
  feedSeries,
  record,
  startMs,
  type TestIngest,
  testIngest,
} from '../testing/test-ingest.ts';

const hourMs = 3_600_000;
const unit = 'rx01';
const wire = realClock();

/** A correction of the clock, as record `seq` of its boot. */
const step = (seq: number, offset_ms: number, boot = 1): FeedRecord =>
  record.event(seq, {
    boot,
    experiment_uid: '$experiment',
    name: 'clock_step',
    source: 'leader',
    data: { is_correction: true, offset_ms },
  });

/** All records of a unit: those of a boot whose time was right, then those of one whose time was wrong until its corrections. */
function records(
  offsets: readonly number[],
  perSpan: number,
): { readonly sent: FeedRecord[]; readonly right: FeedRecord[] } {
  const [sent, right]: [FeedRecord[], FeedRecord[]] = [[], []];
  let seq = 0;
  const add = (boot: number, wrongMs: number, make: (seq: number) => FeedRecord): void => {
    seq += 1;
    const stamp = { boot, mono: seq * 1_000_000, at: startMs + seq * 30_000 };
    right.push({ ...make(seq), ...stamp });
    sent.push({ ...make(seq), ...stamp, at: stamp.at + wrongMs });
  };
  const span = (boot: number, wrongMs: number): void => {
    for (let index = 0; index < perSpan; index += 1) {
      add(boot, wrongMs, (number) => record.sample(number, index % 3 === 0 ? { flags: ['outlier'] } : {}));
      if (index % 4 === 1) add(boot, wrongMs, record.event);
      if (index % 4 === 2) add(boot, wrongMs, record.log);
      if (index % 4 === 3) add(boot, wrongMs, record.setting);
    }
  };
  span(1, 0);
  offsets.forEach((offset, index) => {
    const wrongMs = -offsets.slice(index).reduce((sum, each) => sum + each, 0);
    span(2, wrongMs);
    add(2, wrongMs + offset, (number) => step(number, offset));
  });
  span(2, 0);
  return { sent, right };
}

/** Stores records in batches of this size. */
async function take(store: TestIngest, all: readonly FeedRecord[], perBatch: number): Promise<void> {
  for (let upTo = perBatch; upTo < all.length + perBatch; upTo += perBatch)
    await store.take(unit, answerWith(all.slice(Math.max(0, upTo - perBatch), upTo)));
}

async function corrected(store: TestIngest): Promise<void> {
  await store.corrections.start();
  const waiting = async () => (await store.all('select id from boot_eras where moved_at is null')).length;
  while ((await waiting()) > 0) await wire.sleep(5);
  await store.corrections.stop();
}

/** Without the entry of the correction itself. */
async function storedIn(store: TestIngest) {
  const { alarms: _, ...stored } = await everythingStored(store);
  return stored;
}

async function storedAtOnce(all: readonly FeedRecord[]) {
  await using store = await testIngest();
  await store.addExperiments('e1');
  // The same events, marked as applied: they correct nothing.
  await store.database.write((transaction) =>
    transaction.insertInto('boot_eras').values(alreadyApplied(all)).execute(),
  );
  await take(store, all, all.length);
  return await storedIn(store);
}

const alreadyApplied = (all: readonly FeedRecord[]) =>
  all
    .filter((each) => each.kind === 'event' && each.name === 'clock_step')
    .map(({ boot, mono }) => ({
      reactor_unit: unit,
      machine_id: `machine of ${unit}`,
      boot,
      since_mono: mono,
      offset_ms: 0,
      moved_at: 0,
    }));

describe('a correction of the clock of a unit', () => {
  it('leaves the store as if the time had been right from the start, whatever was stored when it came', async () => {
    const offset = fc.integer({ min: -4 * hourMs, max: 4 * hourMs }).map((ms) => ms * 10 + 3);
    const world = fc.record({
      offsets: fc.array(offset, { minLength: 1, maxLength: 3 }),
      perSpan: fc.integer({ min: 0, max: 40 }),
      perBatch: fc.integer({ min: 1, max: 150 }),
      isAtOnce: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(world, async ({ offsets, perSpan, perBatch, isAtOnce }) => {
        await using store = await testIngest();
        await store.addExperiments('e1');
        const { sent, right } = records(offsets, perSpan);
        if (isAtOnce) await store.corrections.start();
        await take(store, sent, perBatch);
        await corrected(store);
        const stored = await storedIn(store);
        expect(stored).toEqual(await storedAtOnce(right));
        // The unit sends all again, from an older copy of its disk.
        await store.ingest.rewind(unit, { epoch: answerWith([]).epoch, seq: 0 });
        await take(store, sent, perBatch);
        await corrected(store);
        expect({ ...(await storedIn(store)), marks: stored.marks }).toEqual(stored);
      }),
      { numRuns: 12 },
    );
  }, 120_000);

  it('is one entry of the event log, with what was moved, from when to when', async () => {
    await using store = await testIngest();
    await store.addExperiments('e1');
    await take(store, [record.sample(1), record.event(2), record.sample(3), step(4, -hourMs)], 3);
    await corrected(store);
    const { alarms } = await everythingStored(store);
    const instant = (ms: number) => new Date(ms).toISOString();
    expect(alarms).toHaveLength(1);
    const [{ message = '' } = {}] = alarms;
    for (const part of ['2 readings', '1 events', instant(startMs + 1_000), instant(startMs + 3_000 - hourMs)])
      expect(message).toContain(part);
  });

  it('moves the moments that events name, and answers of series are read again', async () => {
    await using store = await testIngest();
    await store.addExperiments('e1');
    const settings = { kind: 'dosing', automation_name: 'turbidostat', settings: {} };
    const reading = { source: 'od', value: 1, at: startMs };
    await take(
      store,
      [
        record.sample(1),
        record.event(2, { name: 'automation_settings', data: { ...settings, started_at: startMs, ended_at: null } }),
        record.event(3, { name: 'actuation', data: { output: 'pwm1', to: 1, reading } }),
        record.event(4, { name: 'actuation', data: { output: 'pwm1', to: 1 } }),
      ],
      4,
    );
    const before = ['od', 'event:actuation'].map((source) => store.series.changes.count('e1', source));
    await take(store, [step(5, hourMs)], 1);
    await corrected(store);
    const events = await store.all(`select data from events where name <> 'clock_step' order by mono`);
    expect(events.map(({ data }) => JSON.parse(String(data)))).toMatchObject([
      { started_at: startMs + hourMs, ended_at: null },
      { reading: { at: startMs + hourMs } },
      { to: 1 },
    ]);
    const after = ['od', 'event:actuation'].map((source) => store.series.changes.count('e1', source));
    expect(after.map((count, index) => count > (before[index] ?? 0))).toEqual([true, true]);
  });

  it('loses no reading whose corrected time is taken', async () => {
    await using store = await testIngest();
    await store.addExperiments('e1');
    const at = startMs + hourMs;
    const all = [
      record.sample(1, { boot: 1, at, value: 5 }),
      record.sample(2, { boot: 2, at: startMs, value: 6 }),
      record.sample(3, { boot: 2, at: startMs + 1, value: 7 }),
    ];
    await take(store, [...all, step(4, hourMs, 2)], 3);
    await corrected(store);
    const { samples, flags, hours } = await everythingStored(store);
    expect(samples.map(({ at: moment, value }) => [moment, value])).toEqual([
      [at, 5],
      [at + 1, 6],
      [at + 2, 7],
    ]);
    expect(flags).toMatchObject([
      { at: at + 1, moved_from: at },
      { at: at + 2, moved_from: at + 1 },
    ]);
    expect(hours).toMatchObject([{ n: 3 }]);
  });

  it('moves the start of a context', async () => {
    await using store = await testIngest();
    await store.addExperiments('e1');
    const series = [feedSeries({ context: { calibration_name: 'c', calibration_hash: 'h', ir_led_intensity: 80 } })];
    await store.take(unit, answerWith([record.sample(1), record.sample(2)], series));
    await store.take(unit, answerWith([step(3, hourMs)], series));
    await corrected(store);
    expect((await everythingStored(store)).context).toMatchObject([{ since: startMs + 1_000 + hourMs }]);
  });
});
