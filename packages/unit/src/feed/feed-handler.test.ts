import { ApiError, FeedAnswer } from '@lcs/contract';
import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { logNote, sample, testOutbox, testSeries } from '../testing/test-outbox.ts';
import { FeedHandler } from './feed-handler.ts';

const leader = '3d0e6c52-9a44-4b19-8a3e-7a8e2f6b5c01';
const otherLeader = '99999999-9a44-4b19-8a3e-7a8e2f6b5c01';
const never = new AbortController().signal;

async function testFeed(leaderId: string | undefined = leader) {
  const test = await testOutbox();
  const feed = new FeedHandler({
    unit: 'unit1',
    outbox: test.outbox,
    time: test.time,
    wire: test.clock,
    leaderId: () => (leaderId === '' ? undefined : leaderId),
    heartbeat: () => ({ desired_version: 3, desired_pending: [], jobs: [], held_jobs: [], unrecorded: false }),
  });
  await feed.start();
  return Object.assign(test, { feed });
}

const codeOf = async (call: Promise<unknown>) => {
  const outcome = await call.then(
    () => 'no error',
    (error: unknown) => error,
  );
  return outcome instanceof ApiError ? outcome.code : outcome;
};

describe('the feed', () => {
  it('answers what it declares: records in order, a dictionary, the heartbeat', async () => {
    await using test = await testFeed();
    test.outbox.append(sample(1, testSeries('od')));
    test.outbox.append(sample(2, testSeries('temperature')));
    test.outbox.append(logNote('hello'));
    test.outbox.append(sample(3, testSeries('od')));
    await test.outbox.flush();
    const response = await test.feed.read({}, never);
    expect(Value.Check(FeedAnswer, JSON.parse(JSON.stringify(response)))).toBe(true);
    expect(response.series.map(({ source }) => source)).toEqual(['od', 'temperature']);
    expect(response.records.map((record) => (record.kind === 'sample' ? [record.series, record.value] : 0))).toEqual([
      [0, 1],
      [1, 2],
      0,
      [0, 3],
    ]);
    expect(response).toMatchObject({
      first_seq: 1,
      head_seq: 4,
      acked_seq: 0,
      more: false,
      desired_version: 3,
      boot: 1,
    });
  });

  it('reports that there is more, and positions are valid within one response only', async () => {
    await using test = await testFeed();
    test.outbox.append(sample(1, testSeries('od')));
    test.outbox.append(sample(2, testSeries('temperature')));
    await test.outbox.flush();
    expect(await test.feed.read({ limit: 1 }, never)).toMatchObject({ more: true });
    const second = await test.feed.read({ epoch: test.outbox.epoch, after: 1 }, never);
    expect(second).toMatchObject({ more: false, records: [{ series: 0, value: 2 }] });
    expect(second.series.map(({ source }) => source)).toEqual(['temperature']);
  });

  it('ends an answer after 2 MiB of records', async () => {
    await using test = await testFeed();
    for (let index = 0; index < 400; index += 1) test.outbox.append(logNote('x'.repeat(8_000)));
    await test.outbox.flush();
    const response = await test.feed.read({ limit: 5_000 }, never);
    expect(response.more).toBe(true);
    expect(JSON.stringify(response.records).length).toBeLessThan(2.2 * 1024 * 1024);
  });

  it('waits for a record, no longer than requested', async () => {
    await using test = await testFeed();
    const empty = test.feed.read({ wait: 5_000, leader_id: leader }, never);
    await test.clock.advance(5_000);
    expect((await empty).records).toEqual([]);
    const filled = test.feed.read({ wait: 5_000, leader_id: leader }, never);
    test.outbox.append(sample(1));
    await test.clock.advance(250);
    expect((await filled).records).toHaveLength(1);
    expect(test.clock.now() - Date.UTC(2026, 0, 1)).toBe(5_250);
  });

  it('answers an older poll of its leader at once, empty, and leaves one of a tool alone', async () => {
    await using test = await testFeed();
    let isToolServed = false;
    const tool = test.feed.read({ wait: 10_000 }, never).then(() => {
      isToolServed = true;
    });
    const first = test.feed.read({ wait: 10_000, leader_id: leader }, never);
    await test.clock.advance(1);
    const second = test.feed.read({ wait: 10_000, leader_id: leader }, never);
    expect((await first).records).toEqual([]);
    expect(isToolServed).toBe(false);
    test.outbox.append(sample(1));
    await test.clock.advance(250);
    expect((await second).records).toHaveLength(1);
    await tool;
  });

  it('stops waiting when the caller goes away and when the unit stops', async () => {
    await using test = await testFeed();
    const caller = new AbortController();
    const gone = test.feed.read({ wait: 10_000 }, caller.signal);
    await test.clock.advance(1);
    caller.abort();
    expect((await gone).records).toEqual([]);
    const poll = codeOf(test.feed.read({ wait: 10_000, leader_id: leader }, never));
    await test.clock.advance(1);
    await test.feed.stop();
    expect(await poll).toBe('shutting_down');
  });

  it('refuses a foreign leader and a foreign epoch with 409, on both routes', async () => {
    await using test = await testFeed();
    const { epoch } = test.outbox;
    expect(await codeOf(test.feed.read({ leader_id: otherLeader }, never))).toBe('foreign_leader');
    expect(await codeOf(test.feed.acknowledge({ leader_id: otherLeader, epoch, seq: 0 }))).toBe('foreign_leader');
    expect(await codeOf(test.feed.read({ epoch: otherLeader, after: 0 }, never))).toBe('feed_epoch_changed');
    expect(await codeOf(test.feed.acknowledge({ leader_id: leader, epoch: otherLeader, seq: 0 }))).toBe(
      'feed_epoch_changed',
    );
    expect(await codeOf(test.feed.read({ after: 3 }, never))).toBe('invalid_query');
  });

  it('refuses any leader while it has none', async () => {
    await using test = await testFeed('');
    expect(await codeOf(test.feed.read({ leader_id: leader }, never))).toBe('not_enrolled');
  });

  it('acknowledges once and again with the same answer', async () => {
    await using test = await testFeed();
    const { epoch } = test.outbox;
    test.outbox.append(sample(1));
    test.outbox.append(sample(2));
    await test.outbox.flush();
    const ack = { leader_id: leader, epoch, seq: 2 };
    expect(await test.feed.acknowledge(ack)).toEqual({ status: 'success', acked_seq: 2 });
    expect(await test.feed.acknowledge(ack)).toEqual({ status: 'success', acked_seq: 2 });
    expect(await test.feed.acknowledge({ ...ack, seq: 1 })).toEqual({ status: 'success', acked_seq: 2 });
  });

  it('begins another numbering when its leader knows records that the disk does not', async () => {
    await using test = await testFeed();
    test.outbox.append(sample(1));
    await test.outbox.flush();
    const { epoch } = test.outbox;
    expect(await codeOf(test.feed.read({ epoch, after: 9 }, never))).toBe('feed_ahead');
    expect(test.outbox.epoch).toBe(epoch);
    const { outbox, time } = await test.restarted();
    const options = { unit: 'unit1', outbox, time, wire: test.clock, leaderId: () => leader };
    const heartbeat = () => ({ desired_version: 0, desired_pending: [], jobs: [], held_jobs: [], unrecorded: false });
    const feed = new FeedHandler({ ...options, heartbeat });
    await feed.start();
    expect(await codeOf(feed.read({ epoch, after: 9, leader_id: leader }, never))).toBe('feed_ahead');
    expect(outbox.epoch).not.toBe(epoch);
    expect((await feed.read({ leader_id: leader }, never)).records[0]).toMatchObject({ value: 1 });
  });
});
