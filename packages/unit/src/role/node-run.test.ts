import type { Json } from '@lcs/contract';
import { toTimestamp } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { type RecordRow, recordOf } from '../outbox/record-row.ts';
import { sample, testOutbox } from '../testing/test-outbox.ts';
import { UnitTime } from '../time/unit-time.ts';
import { NodeRun } from './node-run.ts';

const minuteMs = 60_000;

/** A unit's disk, on which its node runs again and again; each run has a boot of its own. */
async function disk() {
  const world = await testOutbox();
  const { clock, log, outbox, time } = world;
  let boot = time.boot.boot;
  /** `hostSynced`: whether the run knows the time. */
  const run = async (hostSynced = () => true) => {
    boot += 1;
    const ofRun = new UnitTime({ clock, boot, hostSynced });
    await ofRun.start();
    const { outbox: again } = await world.restarted({ time: ofRun });
    const node = new NodeRun({ outbox: again, time: ofRun, version: '1.2.3', log });
    await node.start();
    return { outbox: again, time: ofRun, node };
  };
  return { clock, log, outbox, time, run, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
}
type Run = Awaited<ReturnType<Awaited<ReturnType<typeof disk>>['run']>>;

const told = (rows: readonly RecordRow[]) => rows.map((row) => recordOf(row, () => 0));

/** What a run told of its start and end, and of the end before. */
async function words({ outbox }: Pick<Run, 'outbox'>) {
  const records = told(await outbox.readAfter(0, 100));
  return {
    events: records.flatMap((record): Readonly<Record<string, Json>>[] =>
      record.kind === 'event' ? [{ ...record.data, name: record.name }] : [],
    ),
    warnings: records.flatMap((record) => (record.kind === 'log' ? [`${record.level} ${record.message}`] : [])),
    last: records.at(-1),
  };
}

describe('a run of a node', () => {
  it('begins the first record of all: there was no run before it', async () => {
    await using world = await disk();
    const first = await world.run();
    const { events, warnings } = await words(first);
    expect(events).toEqual([{ name: 'node_started', version: '1.2.3', boot: 2, clean: true, last_record_at: null }]);
    expect(warnings).toEqual([]);
  });

  it('that was stopped has said so last, and the next one knows it and warns nobody', async () => {
    await using world = await disk();
    const first = await world.run();
    first.outbox.append(sample(1));
    await world.clock.advance(minuteMs);
    const stoppedAt = world.clock.now();
    await first.node.stop();
    await first.outbox.stop();
    expect((await words(first)).last).toMatchObject({ name: 'node_stopped', data: { boot: 2, clean: true } });
    await world.clock.advance(10 * minuteMs);
    const { events, warnings } = await words(await world.run());
    expect(events.at(-1)).toMatchObject({ name: 'node_started', boot: 3, clean: true });
    expect(Math.abs(Number(events.at(-1)?.last_record_at) - stoppedAt)).toBeLessThan(2);
    expect(warnings).toEqual([]);
  });

  it('that was cut off is known by its last record on disk, and the next one says from when to when', async () => {
    await using world = await disk();
    const first = await world.run();
    await world.clock.advance(minuteMs);
    first.outbox.append(sample(1));
    const cutAt = world.clock.now();
    await first.outbox.flush();
    await world.clock.advance(10 * minuteMs);
    // What was never committed was never said.
    first.outbox.append(sample(2));
    const second = await world.run();
    const { events, warnings } = await words(second);
    expect(events.at(-1)).toMatchObject({ name: 'node_started', boot: 3, clean: false, last_record_at: cutAt });
    expect(warnings).toEqual([
      `WARNING This unit was not stopped but cut off: its power failed, or its program crashed. Nothing was recorded from ${toTimestamp(cutAt)} to ${toTimestamp(cutAt + 10 * minuteMs)}.`,
    ]);
  });

  it('that was cut off twice in a row tells of both', async () => {
    await using world = await disk();
    await world.run();
    const firstAt = world.clock.now();
    await world.clock.advance(minuteMs);
    await world.run();
    const secondAt = world.clock.now();
    await world.clock.advance(2 * minuteMs);
    const { events, warnings } = await words(await world.run());
    const ends = events.map(({ clean, last_record_at }) => [clean, last_record_at]);
    expect(ends).toEqual([
      [true, null],
      [false, firstAt],
      [false, secondAt],
    ]);
    expect(warnings).toHaveLength(2);
  });

  it('on a clock that was not set is told in its time as soon as its run has learned it', async () => {
    await using world = await disk();
    const first = await world.run(() => false);
    const guessed = world.clock.now();
    first.outbox.append(sample(1));
    // A leader that is an hour ahead of the guess.
    first.time.takeLeaderTime(guessed + 60 * minuteMs);
    await first.outbox.flush();
    await world.clock.advance(minuteMs);
    const second = await world.run(() => false);
    const { events, warnings } = await words(second);
    expect(events.at(-1)).toMatchObject({ clean: false, last_record_at: guessed + 60 * minuteMs });
    expect(events.at(-1)).not.toHaveProperty('last_record_unsynced');
    expect(warnings.at(-1)).toMatch(/on; how long is known when its clock is set\.$/);
  });

  it('that ended before anybody told it the time says that nobody knows when', async () => {
    await using world = await disk();
    const first = await world.run(() => false);
    const guessed = world.clock.now();
    await first.outbox.flush();
    await world.clock.advance(minuteMs);
    const { events, warnings } = await words(await world.run());
    expect(events.at(-1)).toMatchObject({ clean: false, last_record_at: guessed, last_record_unsynced: true });
    expect(warnings).toEqual([expect.stringContaining('nobody knows when')]);
  });

  it('says nothing more when it is stopped a second time, or was never up', async () => {
    await using world = await disk();
    const never = new NodeRun({ outbox: world.outbox, time: world.time, version: '1', log: world.log });
    await never.stop();
    const first = await world.run();
    await first.node.stop();
    await first.node.stop();
    const { events } = await words(first);
    expect(events.map(({ name }) => name)).toEqual(['node_started', 'node_stopped']);
  });
});
