import type { Json } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import type { FeedBatch } from '../follower/ingest-port.ts';
import { startTestLeader } from '../testing/test-leader.ts';
import { CalibrationCopies } from './calibration-copies.ts';

const pump = (name: string, volts = 5): Record<string, Json> => ({
  calibration_type: 'simple_peristaltic_pump',
  calibration_name: name,
  calibrated_on_reactor_unit: 'rx01',
  created_at: '2026-01-01T00:00:00.000Z',
  curve_data_: { type: 'poly', coefficients: [1, 0] },
  x: 'Duration',
  y: 'Volume',
  recorded_data: { x: [1], y: [1] },
  hz: 250,
  dc: 100,
  voltage: volts,
  is_active: false,
  reactor_unit: 'rx01',
});

/** A leader that copies; a unit answers with what `lists` says by then. */
async function leaderWithMirror(lists: () => Json | Promise<Json>) {
  const leader = await startTestLeader();
  const { context } = leader;
  const fleet = {
    ...context.fleet,
    read: async (units: readonly string[]) => {
      const value = await lists();
      return Object.fromEntries(units.map((unit) => [unit, { ok: true, unit, value }] as const));
    },
  };
  const mirror = new CalibrationCopies({ ...context, fleet });
  const changed = async (): Promise<void> => {
    await context.database.bulk(mirror.statements(batch));
    mirror.stored(batch);
  };
  const copied = async () => {
    const rows = await context.database.read.selectFrom('calibrations').select(['device', 'name', 'data']).execute();
    return rows.map(({ device, name }) => `${device}/${name}`).sort();
  };
  return { leader, mirror, changed, copied };
}

const batch: FeedBatch = {
  unit: 'rx01',
  epoch: 'e1',
  after: 0,
  upTo: 1,
  headSeq: 1,
  series: [],
  forgotten: undefined,
  records: [
    {
      backfill: false,
      record: {
        kind: 'event',
        seq: 1,
        at: 0,
        mono: 0,
        boot: 1,
        name: 'calibration',
        experiment_uid: '$experiment',
        source: null,
        message: null,
        data: {},
      },
    },
  ],
};

describe('copies of calibrations', () => {
  it('are made of all that can be used: two of one name, or one that is broken, keep back no other', async () => {
    const answer = { media_pump: [pump('a'), pump('a', 6), { calibration_name: 'broken' }, pump('b')] };
    const { leader, mirror, changed, copied } = await leaderWithMirror(() => answer);
    await using _ = leader;
    await changed();
    await mirror.stop();
    expect(await copied()).toEqual(['media_pump/a', 'media_pump/b']);
    // Pages that show them request them again.
    expect(leader.announced).toContainEqual({ live: 'calibrations', key: 'rx01', data: { reactor_unit: 'rx01' } });
  });

  it('are announced when one of them has changed, and not after each complete copy', async () => {
    let answer: Json = { media_pump: [pump('a'), pump('b')] };
    const { leader, mirror, changed } = await leaderWithMirror(() => answer);
    await using _ = leader;
    const announcements = async (): Promise<number> => {
      await mirror.start();
      await changed();
      await mirror.stop();
      return leader.announced.filter((each) => 'live' in each && each.live === 'calibrations').length;
    };
    expect([await announcements(), await announcements()]).toEqual([1, 1]);
    answer = { media_pump: [pump('a'), pump('b', 6)] };
    expect(await announcements()).toBe(2);
    answer = { media_pump: [pump('a'), { ...pump('b', 6), is_active: true }] };
    expect(await announcements()).toBe(3);
    answer = { media_pump: [pump('a')] };
    expect([await announcements(), await announcements()]).toEqual([4, 4]);
  });

  it('include a change that happened while they were made, also in the same millisecond', async () => {
    let answer: Json = { media_pump: [pump('a')] };
    const asked = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    let reads = 0;
    const { leader, mirror, changed, copied } = await leaderWithMirror(async () => {
      reads += 1;
      const seen = answer;
      if (reads === 1) {
        asked.resolve();
        await held.promise;
      }
      return seen;
    });
    await using _ = leader;
    await changed();
    await asked.promise;
    answer = { media_pump: [pump('a'), pump('b')] };
    await changed();
    held.resolve();
    await expect.poll(copied).toEqual(['media_pump/a', 'media_pump/b']);
    await mirror.stop();
  });

  it('are made of every worker after a start, with the time of the copy, and stay when the unit does not answer', async () => {
    let answer: () => Json = () => ({ media_pump: [pump('a')] });
    const { leader, mirror, copied } = await leaderWithMirror(() => answer());
    await using _ = leader;
    const { database, clock } = leader.context;
    await database.write((transaction) =>
      transaction
        .insertInto('workers')
        .values({ reactor_unit: 'rx01', added_at: 0, is_active: 1, model_name: 'm', model_version: '1' })
        .execute(),
    );
    await mirror.start();
    await expect.poll(copied).toEqual(['media_pump/a']);
    const { copied_at } = await database.read.selectFrom('calibrations').select('copied_at').executeTakeFirstOrThrow();
    expect(copied_at).toBe(Math.floor(clock.now()));
    await mirror.stop();
    answer = () => {
      throw new Error('It is off.');
    };
    await mirror.start();
    await mirror.stop();
    expect(await copied()).toEqual(['media_pump/a']);
  });
});
