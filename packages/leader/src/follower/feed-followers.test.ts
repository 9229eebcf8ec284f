import type { FeedAck, FeedAnswer, FeedQuery } from '@lcs/contract';
import { memoryLog, StoreError, VirtualClock } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { testAnswer, testEpoch, testSample } from '../testing/test-feed.ts';
import type { FeedClient } from './feed-client.ts';
import { FeedFollowers, type FeedFollowersOptions } from './feed-followers.ts';
import type { FeedBatch, FeedMark } from './ingest-port.ts';
import { FeedRefused } from './read-feed-answer.ts';

type Read = (query: FeedQuery, signal: AbortSignal) => Promise<FeedAnswer>;

/** A unit that knows what was acknowledged, as units do. */
const clientOf = (read: Read, acks: FeedAck[] = []): FeedClient => {
  let acked = 0;
  return {
    read: async (query, signal) => {
      const answer = await read(query, signal);
      return { ...answer, acked_seq: Math.max(answer.acked_seq, acked) };
    },
    acknowledge: async (ack) => {
      acks.push(ack);
      acked = ack.seq;
      return { status: 'success', acked_seq: ack.seq };
    },
  };
};

function testFollowers(
  client: FeedClient | ((unit: string) => FeedClient),
  options: Partial<FeedFollowersOptions> = {},
) {
  const clock = new VirtualClock();
  const batches: FeedBatch[] = [];
  const log = memoryLog();
  const followers = new FeedFollowers({
    leaderId: '3d0e6c52-9a44-4b19-8a3e-7a8e2f6b5c01',
    ingest: {
      mark: async () => undefined,
      ingest: async (batch) => {
        batches.push(batch);
      },
      rewind: async () => {},
    },
    clock,
    wire: clock,
    log,
    random: () => 0.5,
    mayFollow: () => false,
    clientOf: typeof client === 'function' ? client : () => client,
    ...options,
  });
  return { clock, batches, log, followers };
}

const stored = (batches: readonly FeedBatch[]) =>
  batches.flatMap(({ records }) => records.map(({ record }) => record.seq));

/** A long poll with nothing to say. */
const idle = async (clock: VirtualClock, query: FeedQuery, signal: AbortSignal) => {
  await clock.sleep(query.wait ?? 0, signal);
  return testAnswer([]);
};

describe('a follower', () => {
  it('catches up without waiting, then polls, and acknowledges what is stored', async () => {
    const queries: FeedQuery[] = [];
    const acks: FeedAck[] = [];
    const { clock, batches, followers } = testFollowers(
      clientOf(async (query, signal) => {
        queries.push(query);
        if (query.after === 0) return testAnswer([testSample(1)], { more: true });
        if (query.after === 1) return testAnswer([testSample(2)]);
        return idle(clock, query, signal);
      }, acks),
    );
    followers.follow('unit1');
    await clock.advance(30_000);
    expect(stored(batches)).toEqual([1, 2]);
    expect(queries.slice(0, 3).map(({ epoch, after, wait }) => [epoch, after, wait])).toEqual([
      [undefined, 0, 0],
      [testEpoch, 1, 0],
      [testEpoch, 2, 10_000],
    ]);
    expect(acks.map(({ seq }) => seq)).toEqual([1, 2]);
    await followers.stop();
    expect(clock.pendingTimers).toBe(0);
  });

  it('tries again after 0.5 s, doubled to 10 s', async () => {
    const times: number[] = [];
    const { clock, followers } = testFollowers(
      clientOf(async () => {
        times.push(clock.monotonic());
        throw new Error('no answer');
      }),
    );
    followers.follow('unit1');
    await clock.advance(40_000);
    await followers.stop();
    expect(times.map((time, index) => time - (times[index - 1] ?? 0))).toEqual([
      0, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000,
    ]);
  });

  it('retries a unit whose records do not fit on the disk, and which keeps them', async () => {
    const disk = { isFull: true };
    const acks: FeedAck[] = [];
    const kept: FeedBatch[] = [];
    let answers = 0;
    const ingest = {
      mark: async () => undefined,
      rewind: async () => {},
      ingest: async (batch: FeedBatch) => {
        if (disk.isFull) throw new StoreError('disk_full', 'no room');
        kept.push(batch);
      },
    };
    const client = clientOf(async (query, signal) => {
      if (query.after === 0) return testAnswer([testSample(1)]);
      return idle(clock, query, signal);
    }, acks);
    const { clock, log, followers } = testFollowers(client, {
      ingest,
      onAnswer: () => {
        answers += 1;
      },
    });
    followers.follow('unit1');
    await clock.advance(600_000);
    expect([acks, kept]).toEqual([[], []]);
    expect(answers).toBeGreaterThan(30);
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
    disk.isFull = false;
    await clock.advance(30_000);
    expect([stored(kept), acks.map(({ seq }) => seq)]).toEqual([[1], [1]]);
    await followers.stop();
  });

  it('stores a batch again until it is stored, and acknowledges nothing before', async () => {
    let failures = 3;
    const acks: FeedAck[] = [];
    const marks: FeedBatch[] = [];
    const ingest = {
      mark: async () => undefined,
      rewind: async () => {},
      ingest: async (batch: FeedBatch) => {
        if (failures > 0) {
          failures -= 1;
          expect(acks).toEqual([]);
          throw new Error('disk full');
        }
        marks.push(batch);
      },
    };
    const { clock, followers } = testFollowers(
      clientOf(
        async (query, signal) => (query.after === 0 ? testAnswer([testSample(1)]) : idle(clock, query, signal)),
        acks,
      ),
      { ingest },
    );
    followers.follow('unit1');
    await clock.advance(30_000);
    await followers.stop();
    expect(stored(marks)).toEqual([1]);
    expect(acks.map(({ seq }) => seq)).toEqual([1]);
  });

  it('does not let units whose records no store takes hold up the others', async () => {
    const stored: string[] = [];
    const { clock, followers } = testFollowers(
      (unit) =>
        clientOf(async (query, signal) => {
          if (query.after === 0) return testAnswer([testSample(1)], { reactor_unit: unit });
          return idle(clock, query, signal);
        }),
      {
        ingest: {
          mark: async () => undefined,
          rewind: async () => {},
          ingest: async ({ unit }) => {
            if (unit.startsWith('bad')) throw new Error('No store takes this.');
            stored.push(unit);
          },
        },
      },
    );
    for (const unit of ['bad1', 'bad2', 'bad3', 'bad4', 'good']) followers.follow(unit);
    await clock.advance(10_000);
    expect(stored).toEqual(['good']);
    await followers.stop();
  });

  it('leaves a unit of another leader alone until it enrols', async () => {
    let calls = 0;
    const troubles: string[] = [];
    const { clock, followers } = testFollowers(
      clientOf(async () => {
        calls += 1;
        throw new FeedRefused('foreign_leader', 'no');
      }),
      { onRefusal: (_, fault) => troubles.push(fault) },
    );
    followers.follow('unit1');
    await clock.advance(100_000);
    expect([calls, troubles]).toEqual([1, ['foreign_leader']]);
    followers.enrolled('unit1');
    await clock.advance(1_000);
    expect(calls).toBe(2);
    await followers.stop();
  });

  it('calls a unit that enrols at once, while it waits for an answer or for the next attempt', async () => {
    const calls: number[] = [];
    let isAway = true;
    const { clock, followers } = testFollowers(
      clientOf(async (query, signal) => {
        calls.push(clock.monotonic());
        if (isAway) throw new Error('away');
        return idle(clock, query, signal);
      }),
    );
    followers.follow('unit1');
    await clock.advance(60_000);
    isAway = false;
    const before = calls.length;
    followers.enrolled('unit1');
    await clock.advance(100);
    expect(calls.length).toBe(before + 2);
    followers.enrolled('unit1');
    await clock.advance(100);
    expect(calls.length).toBe(before + 4);
    await followers.stop();
    expect(clock.pendingTimers).toBe(0);
  });

  it('reads a new numbering from its start after its enrolment', async () => {
    const next = 'b0f2c5d4-6d0b-4a0e-8e21-9a4b61c7d512';
    let known = false;
    const { clock, batches, followers } = testFollowers(
      clientOf(async (query, signal) => {
        if (query.epoch === undefined) return testAnswer([testSample(5)]);
        if (query.epoch !== next) throw new FeedRefused('feed_epoch_changed', 'new', [{ epoch: next }]);
        return query.after === 0 ? testAnswer([testSample(1)], { epoch: next }) : idle(clock, query, signal);
      }),
      { mayFollow: () => known },
    );
    followers.follow('unit1');
    await clock.advance(20_000);
    expect(stored(batches)).toEqual([5]);
    known = true;
    followers.enrolled('unit1');
    await clock.advance(1_000);
    expect(batches.map(({ epoch, after, upTo }) => [epoch, after, upTo])).toEqual([
      [testEpoch, 0, 5],
      [next, 0, 1],
    ]);
    await followers.stop();
  });

  it('reads a numbering again that was stored before, of a unit whose disk went back in time twice', async () => {
    const former = 'b0f2c5d4-6d0b-4a0e-8e21-9a4b61c7d512';
    const rewinds: FeedMark[] = [];
    const { clock, followers } = testFollowers(
      clientOf(async (query, signal) => {
        if (query.epoch === testEpoch) throw new FeedRefused('feed_epoch_changed', 'new', [{ epoch: former }]);
        return idle(clock, query, signal);
      }),
      {
        mayFollow: () => true,
        ingest: {
          mark: async () => ({ epoch: testEpoch, seq: 7 }),
          ingest: async () => {},
          rewind: async (_, mark) => {
            rewinds.push(mark);
          },
        },
      },
    );
    followers.follow('unit1');
    await clock.advance(1_000);
    expect(rewinds).toEqual([{ epoch: former, seq: 0 }]);
    await followers.stop();
  });

  it('reads again what a unit has forgotten that it sent, when it came back on an older copy of its disk', async () => {
    const rewinds: FeedMark[] = [];
    const asked: number[] = [];
    const read: Read = async (query, signal) => {
      asked.push(query.after ?? 0);
      if (asked.length === 1) return testAnswer([testSample(4), testSample(5)]);
      if (asked.length === 2) return testAnswer([], { acked_seq: 5, head_seq: 5, mono: 6_000 });
      await clock.sleep(query.wait ?? 0, signal);
      return testAnswer([], { acked_seq: 2, head_seq: 9, mono: 1_000 });
    };
    const { clock, followers } = testFollowers(
      { read, acknowledge: async ({ seq }) => ({ status: 'success', acked_seq: seq }) },
      {
        ingest: {
          mark: async () => undefined,
          ingest: async () => {},
          rewind: async (_, mark) => {
            rewinds.push(mark);
          },
        },
      },
    );
    followers.follow('unit1');
    await clock.advance(30_000);
    expect(rewinds).toEqual([{ epoch: testEpoch, seq: 2 }]);
    expect(asked.slice(0, 5)).toEqual([0, 5, 5, 2, 2]);
    await followers.stop();
  });

  it('catches up with 200 units a few at a time, and none is delayed by unreachable units', async () => {
    let busy = 0;
    let most = 0;
    const positions = new Map<string, FeedMark>();
    const read = (unit: string) =>
      clientOf(async (query, signal) => {
        if (unit.endsWith('0')) throw new Error('away');
        const after = query.after ?? 0;
        if (after >= 5) return idle(clock, query, signal);
        const isCatchingUp = query.limit === 5_000;
        if (isCatchingUp) busy += 1;
        most = Math.max(most, busy);
        await clock.sleep(10, signal);
        if (isCatchingUp) busy -= 1;
        return testAnswer([testSample(after + 1)], { more: after < 4 });
      });
    const { clock, followers } = testFollowers(read, { onPosition: (unit, mark) => positions.set(unit, mark) });
    for (let unit = 0; unit < 200; unit += 1) followers.follow(`unit${unit}`);
    await clock.advance(5_000);
    expect(most).toBe(4);
    const marks = Array.from({ length: 200 }, (_, unit) => positions.get(`unit${unit}`)?.seq ?? 0);
    expect(marks.filter((seq) => seq === 5)).toHaveLength(180);
    await followers.stop();
  });
});
