import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fullWhile, logNote, sample, testOutbox, testSeries } from '../testing/test-outbox.ts';
import type { Outbox } from './outbox.ts';
import { bytesOf } from './record-row.ts';

const all = (outbox: Outbox) => outbox.readAfter(0, 1_000_000);
const messages = (rows: Awaited<ReturnType<typeof all>>) =>
  rows.flatMap(({ body }) => {
    const message: unknown = JSON.parse(body ?? '{}').message;
    return typeof message === 'string' ? [message] : [];
  });
const values = async (outbox: Outbox) => (await all(outbox)).flatMap(({ value }) => value ?? []);

describe('an outbox', () => {
  it('commits what was appended within 250 ms, in order, together', async () => {
    await using test = await testOutbox();
    const first = test.outbox.append(sample(1));
    test.outbox.append(sample(2));
    expect(test.outbox.head).toBe(0);
    await test.clock.advance(250);
    expect(await first.flushed).toBe('committed');
    expect(await values(test.outbox)).toEqual([1, 2]);
    expect(test.outbox.head).toBe(2);
  });

  it('does not wait when many records have come', async () => {
    await using test = await testOutbox({ limits: { commitAtRecords: 3 } });
    for (let value = 1; value <= 3; value += 1) test.outbox.append(sample(value));
    await test.clock.advance(0);
    expect(test.outbox.head).toBe(3);
  });

  it('continues its numbering and epoch after a restart, without uncommitted records', async () => {
    await using test = await testOutbox();
    test.outbox.append(sample(1));
    await test.outbox.flush();
    test.outbox.append(sample(2));
    const { outbox } = await test.restarted();
    expect(outbox.epoch).toBe(test.outbox.epoch);
    outbox.append(sample(3));
    await outbox.flush();
    const rows = await all(outbox);
    expect(rows.map(({ seq, boot, value }) => [seq, boot, value])).toEqual([
      [1, 1, 1],
      [2, 2, 3],
    ]);
    expect(new Set(rows.map(({ series_id }) => series_id)).size).toBe(1);
  });

  it('moves a reading whose millisecond is occupied in its series, with a flag', async () => {
    await using test = await testOutbox();
    const [first, second] = [test.outbox.append(sample(1)), test.outbox.append(sample(2))];
    expect(second.stamp.at).toBe(first.stamp.at + 1);
    expect(second.stamp.mono).toBeGreaterThan(first.stamp.mono);
    await test.outbox.flush();
    expect((await all(test.outbox)).map(({ body }) => body)).toEqual([null, '{"flags":["moved"]}']);
  });

  it('refuses a reading that is not a number', async () => {
    await using test = await testOutbox();
    expect(() => test.outbox.append(sample(Number.NaN))).toThrow(RangeError);
  });

  it('keeps a record below 16 KiB', async () => {
    await using test = await testOutbox();
    test.outbox.append(logNote('ä'.repeat(50_000)));
    const data = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`key${index}`, 'x'.repeat(9_000)]));
    test.outbox.append({ kind: 'event', experiment_uid: 'e', name: 'n', source: null, message: 'kept', data });
    await test.outbox.flush();
    const rows = await all(test.outbox);
    expect(Math.max(...rows.map(bytesOf))).toBeLessThan(17_000);
    expect(messages(rows)).toEqual([expect.stringMatching(/^ä+…$/), 'kept']);
  });

  it('forgets acknowledged records after seven days, and no others', async () => {
    await using test = await testOutbox({ limits: { keepMs: 1_800_000 } });
    for (let value = 1; value <= 4; value += 1) test.outbox.append(sample(value));
    await test.outbox.flush();
    await test.outbox.acknowledge(2);
    await test.clock.advance(3_600_000);
    expect(await values(test.outbox)).toEqual([3, 4]);
    expect(await test.database.read.selectFrom('outbox_state').selectAll().executeTakeFirst()).toMatchObject({
      records: 2,
      bytes: (await all(test.outbox)).reduce((sum, row) => sum + bytesOf(row), 0),
    });
  });

  it('forgets what is old enough and keeps what is not, and writes nothing while nothing is', async () => {
    await using test = await testOutbox({ limits: { keepMs: 5_400_000 } });
    for (const value of [1, 2, 3, 4]) {
      test.outbox.append(sample(value));
      if (value === 2) await test.clock.advance(3_000_000);
    }
    await test.outbox.flush();
    await test.outbox.acknowledge(4);
    const { version } = test.database;
    await test.clock.advance(600_000);
    expect(test.database.version).toBe(version);
    await test.clock.advance(3_600_000);
    expect(await values(test.outbox)).toEqual([3, 4]);
    expect((await test.outbox.summary()).outbox).toMatchObject({
      records: 2,
      bytes: (await all(test.outbox)).reduce((sum, row) => sum + bytesOf(row), 0),
    });
  });

  it('remembers the highest acknowledgement', async () => {
    await using test = await testOutbox();
    for (let value = 1; value <= 4; value += 1) test.outbox.append(sample(value));
    await test.outbox.flush();
    expect(await test.outbox.acknowledge(3)).toBe(3);
    expect(await test.outbox.acknowledge(1)).toBe(3);
    expect((await test.restarted()).outbox.acked).toBe(3);
  });
});

describe('an outbox above its limit', () => {
  it('forgets acknowledged records before it thins anything', async () => {
    await using test = await testOutbox({ limits: { maxBytes: 4_000 } });
    for (let value = 1; value <= 60; value += 1) test.outbox.append(sample(value));
    await test.outbox.flush();
    await test.outbox.acknowledge(60);
    for (let value = 61; value <= 120; value += 1) test.outbox.append(sample(value));
    await test.outbox.flush();
    const kept = await values(test.outbox);
    expect(kept.slice(-60)).toEqual(Array.from({ length: 60 }, (_, index) => index + 61));
    expect((await all(test.outbox)).some(({ body }) => body?.includes('gap'))).toBe(false);
  });

  it('thins raw telemetry first and never events and warnings, and every missing number is in a gap', async () => {
    const kind = fc.constantFrom('raw_od', 'od', 'temperature', 'event', 'warning', 'debug');
    const property = fc.asyncProperty(fc.array(kind, { minLength: 50, maxLength: 300 }), async (kinds) => {
      await using test = await testOutbox({ limits: { maxBytes: 9_000 } });
      const sources = new Map(['raw_od', 'od', 'temperature'].map((source) => [source, testSeries(source)]));
      const events = { kind: 'event', experiment_uid: 'e', name: 'dosing', source: null, message: 'event' } as const;
      for (const [index, kind] of kinds.entries()) {
        const series = sources.get(kind);
        if (series !== undefined) test.outbox.append(sample(index, series));
        else if (kind === 'event') test.outbox.append({ ...events, data: {} });
        else test.outbox.append(logNote(kind, kind === 'debug' ? 'DEBUG' : 'WARNING'));
        if (index % 20 === 19) await test.outbox.flush();
      }
      await test.outbox.flush();
      await test.outbox.flush();
      const rows = await all(test.outbox);
      const count = (kind: string) => kinds.filter((each) => each === kind).length;
      expect(messages(rows).filter((message) => message === 'event')).toHaveLength(count('event'));
      expect(messages(rows).filter((message) => message === 'warning')).toHaveLength(count('warning'));
      const gaps = rows.flatMap(({ body }) => (body?.includes('"kind":"gap"') ? [JSON.parse(body)] : []));
      const present = new Set(rows.map(({ seq }) => seq));
      for (let seq = 1; seq <= test.outbox.head; seq += 1) {
        if (present.has(seq)) continue;
        expect(gaps.some(({ from_seq, to_seq }) => from_seq <= seq && seq <= to_seq)).toBe(true);
      }
      const dropped = gaps.reduce(
        (sum, gap) => sum + Object.values<number>(gap.dropped).reduce((total, each) => total + each, 0),
        0,
      );
      expect(dropped).toBe(test.outbox.head - rows.length);
      const state = await test.database.read.selectFrom('outbox_state').selectAll().executeTakeFirst();
      expect(state).toMatchObject({
        records: rows.length,
        bytes: rows.reduce((sum, row) => sum + bytesOf(row), 0),
        head_seq: test.outbox.head,
      });
    });
    await fc.assert(property, { numRuns: 8 });
  });

  it('keeps the first and the newest reading of a series, and od before raw_od', async () => {
    await using test = await testOutbox({ limits: { maxBytes: 12_000 } });
    const [raw, od] = [testSeries('raw_od'), testSeries('od')];
    for (let value = 1; value <= 160; value += 1) {
      test.outbox.append(sample(value, raw));
      test.outbox.append(sample(value, od));
    }
    await test.outbox.flush();
    const rows = await all(test.outbox);
    const of = (source: string) =>
      rows.flatMap((row) =>
        row.series_id !== null && test.outbox.seriesById(row.series_id)?.source === source ? (row.value ?? []) : [],
      );
    expect(of('od')).toHaveLength(160);
    expect(of('raw_od').length).toBeLessThan(160);
    expect([of('raw_od')[0], of('raw_od').at(-1)]).toEqual([1, 160]);
    expect(test.log.messages('warn')).toContainEqual(expect.stringContaining('thinned'));
  });

  it('refuses readings and commands when nothing may be thinned', async () => {
    await using test = await testOutbox({ limits: { maxBytes: 2_000 } });
    for (let index = 0; index < 30; index += 1) test.outbox.append(logNote(`warning ${index}`));
    await test.outbox.flush();
    expect(test.outbox.canAccept()).toMatchObject({ accepts: false });
    expect(await test.outbox.append(sample(1)).flushed).toBe('refused');
    expect((await test.outbox.summary()).outbox.full).toBe(true);
    await test.outbox.acknowledge(test.outbox.head);
    expect(test.outbox.canAccept()).toEqual({ accepts: true });
    await test.outbox.flush();
    expect((await all(test.outbox)).filter(({ body }) => body?.includes('"disk_full"'))).toHaveLength(1);
  });
});

describe('an outbox on a full disk', () => {
  it('keeps waiting records, refuses readings and commands, and reports the loss when there is space again', async () => {
    let full = false;
    await using test = await testOutbox({ wrap: fullWhile(() => full) });
    test.outbox.append(sample(1));
    await test.outbox.flush();
    full = true;
    const waiting = test.outbox.append(sample(2));
    await test.outbox.flush();
    expect(test.outbox.canAccept()).toMatchObject({ accepts: false, reason: expect.stringContaining('full') });
    expect(await test.outbox.append(sample(3)).flushed).toBe('refused');
    full = false;
    await test.clock.advance(2_000);
    expect(await waiting.flushed).toBe('committed');
    expect(await values(test.outbox)).toEqual([1, 2]);
    expect(test.outbox.canAccept()).toEqual({ accepts: true });
    const gap = (await all(test.outbox)).find(({ body }) => body?.includes('"gap"'));
    expect(JSON.parse(gap?.body ?? '{}')).toMatchObject({ dropped: { od: 1 }, reason: 'disk_full' });
    expect(test.log.messages('warn').join(' ')).toContain('full');
  });

  it('refuses readings below 64 MiB of free space and still writes all else', async () => {
    let free = 1e9;
    await using test = await testOutbox({ freeBytes: async () => free });
    free = 40 * 1024 * 1024;
    await test.clock.advance(10_000);
    expect(await test.outbox.append(sample(1)).flushed).toBe('refused');
    const note = test.outbox.append(logNote('still written'));
    await test.outbox.flush();
    expect(await note.flushed).toBe('committed');
  });
});

it('records a correction of the clock between the records before and after it, which keep their order and their times', async () => {
  await using opened = await testOutbox();
  const { outbox, time, clock } = opened;
  const startMs = clock.now();
  const hourMs = 3_600_000;
  await clock.advance(1_000);
  outbox.append(sample(1));
  await clock.advance(1_000);
  const begun = time.stamp();
  time.setByPerson(clock.now() - 3 * hourMs);
  // Begun before the correction and ended after it: its time is that of before, as the leader takes it to be.
  outbox.append(sample(2), begun);
  await clock.advance(1_000);
  outbox.append(sample(3));
  await outbox.flush();
  const rows = await outbox.readAfter(0, 100);
  const correction = rows.find(({ body }) => body?.includes('clock_step'));
  expect(JSON.parse(correction?.body ?? '')).toMatchObject({ data: { is_correction: true, offset_ms: -3 * hourMs } });
  const samples = [1, 2, 3].map((value) => rows.find((row) => row.value === value));
  expect(samples.map((row) => row?.at)).toEqual([startMs + 1_000, startMs + 2_000, startMs + 3_000 - 3 * hourMs]);
  expect(samples.map((row) => (row?.mono ?? 0) < (correction?.mono ?? 0))).toEqual([true, true, false]);
});
