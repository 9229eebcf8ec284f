import type { JobOrigin } from '@lcs/node';
import { memoryLog } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import type { RecordRow } from '../outbox/record-row.ts';
import { recordOf } from '../outbox/record-row.ts';
import { fullWhile, testOutbox } from '../testing/test-outbox.ts';
import { OutboxRecordSink } from './outbox-record-sink.ts';

const origin: JobOrigin = {
  jobId: 3,
  jobName: 'od_reading',
  experiment: 'e',
  experimentUid: 'uid',
  jobSource: 'user',
};

async function testSink(options: Parameters<typeof testOutbox>[0] = {}) {
  const t = await testOutbox({ flags: ['simulated'], ...options });
  const shown: string[] = [];
  const sink = new OutboxRecordSink({
    outbox: t.outbox,
    time: t.time,
    log: memoryLog(),
    mirror: {
      event: (_, { name }) => shown.push(`event ${name}`),
      log: (_, level) => shown.push(`log ${level}`),
      state: (_, { kind }) => shown.push(`state ${kind}`),
      setting: (_, name, value) => shown.push(`${name}=${JSON.stringify(value)}`),
    },
  });
  const records = async () =>
    (await t.outbox.readAfter(0, 1_000)).map((row: RecordRow) => recordOf(row, (seriesId) => seriesId));
  return { ...t, sink, shown, records, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}

describe('records of jobs', () => {
  it('is shown only once it is on disk, in its order', async () => {
    await using w = await testSink();
    w.sink.state(origin, { kind: 'ready', sinceMs: 0 });
    w.sink.setting(origin, 'interval', 5, 'http');
    w.sink.event(origin, { name: 'led_change', data: { channel: 'B' } });
    w.sink.log(origin, 'WARNING', 'Dark.');
    expect(w.shown).toEqual([]);
    await w.sink.stop();
    expect(w.shown).toEqual(['state ready', 'log INFO', 'interval=5', 'event led_change', 'log WARNING']);
    expect((await w.records()).map(({ kind }) => kind)).toEqual(['state', 'log', 'setting', 'event', 'log']);
  });

  it('has an event of its own when a job that was up ends by an error, and none when it is stopped or never came up', async () => {
    await using w = await testSink();
    w.sink.state(origin, { kind: 'disconnected', sinceMs: 0, reason: 'failed', error: 'told to who started it' });
    w.sink.state(origin, { kind: 'ready', sinceMs: 0 });
    w.sink.state(origin, { kind: 'disconnected', sinceMs: 0, reason: 'failed', error: 'no light' });
    w.sink.state(origin, { kind: 'disconnected', sinceMs: 0, reason: 'stopped' });
    await w.sink.stop();
    expect((await w.records()).filter(({ kind }) => kind === 'event')).toEqual([
      expect.objectContaining({
        name: 'job_ended',
        data: { job_id: 3, job_name: 'od_reading', ok: false, error: 'no light' },
      }),
    ]);
  });

  it('is published at once when a job has a new state', async () => {
    await using w = await testSink();
    const { promise: committed, resolve } = Promise.withResolvers<void>();
    w.outbox.onCommit(resolve);
    w.sink.state(origin, { kind: 'ready', sinceMs: 0 });
    await committed;
    await w.outbox.flush();
    expect(w.shown).toEqual(['state ready', 'log INFO']);
  });

  it('keeps a reading at its own moment, with its series and the mark of a simulated board', async () => {
    await using w = await testSink();
    await w.clock.advance(10_000);
    const atMs = w.clock.now() - 700;
    const reading = { source: 'od', channel: '2', angle: 90, value: 0.5, atMs, context: { ir_led_intensity: 80 } };
    w.sink.reading(origin, reading);
    await w.sink.stop();
    expect(await w.records()).toEqual([
      expect.objectContaining({ kind: 'sample', at: atMs, value: 0.5, flags: ['simulated'] }),
    ]);
    expect(w.outbox.seriesById(1)).toMatchObject({
      experiment_uid: 'uid',
      source: 'od',
      channel: '2',
      angle: 90,
      context: { ir_led_intensity: 80, calibration_name: null },
    });
  });

  it('shows every measured setting, and remembers it only now and then', async () => {
    await using w = await testSink();
    const measured = async (od: number) => {
      w.sink.setting(origin, 'od2', { od }, 'job');
      await w.clock.advance(5_000);
    };
    for (const od of [1, 2, 3]) await measured(od);
    await w.clock.advance(600_000);
    await measured(4);
    w.sink.setting(origin, 'od2', null, 'job');
    await w.sink.stop();
    expect(w.shown).toEqual(['od2={"od":1}', 'od2={"od":2}', 'od2={"od":3}', 'od2={"od":4}', 'od2=null']);
    const values = (await w.records()).map((record) => record.kind === 'setting' && record.value);
    expect(values).toEqual([{ od: 1 }, { od: 4 }, null]);
  });

  it('does not keep a unit from stopping when the disk does not take it', async () => {
    let full = false;
    await using w = await testSink({ wrap: fullWhile(() => full) });
    full = true;
    w.sink.log(origin, 'WARNING', 'Dark.');
    await w.sink.stop();
    await w.outbox.stop();
    expect(w.shown).toEqual([]);
  });

  it('of a scratch experiment, or of one the unit is not in, is shown and not kept', async () => {
    await using w = await testSink();
    const scratch = { ...origin, experiment: '_testing_e' };
    const unknown = { ...origin, jobId: 4, experimentUid: null };
    for (const job of [scratch, unknown]) {
      w.sink.reading(job, { source: 'od', value: 1, atMs: w.clock.now() });
      w.sink.log(job, 'INFO', 'Here.');
      w.sink.state(job, { kind: 'ready', sinceMs: 0 });
    }
    await w.sink.stop();
    expect(await w.records()).toEqual([]);
    expect(w.shown.toSorted()).toEqual([...Array(4).fill('log INFO'), 'state ready', 'state ready']);
  });
});
