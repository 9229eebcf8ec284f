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
  const opened = await testOutbox();
  const { clock, log, outbox, time } = opened;
  let boot = time.boot.boot;
  /** `hostSynced`: whether the run knows the time. */
  const run = async (hostSynced = () => true) => {
    boot += 1;
    const ofRun = new UnitTime({ clock, boot, hostSynced });
    await ofRun.start();
    const { outbox: again } = await opened.restarted({ time: ofRun });
    const node = new NodeRun({ outbox: again, time: ofRun, version: '1.2.3', log });
    await node.start();
    return { outbox: again, time: ofRun, node };
  };
  return { clock, log, outbox, time, run, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}
type Run = Awaited<ReturnType<Awaited<ReturnType<typeof disk>>['run']>>;

const recordsOf = (rows: readonly RecordRow[]) => rows.map((row) => recordOf(row, () => 0));

/** What a run told of its start and end, and of the end before. */
async function jobStates({ outbox }: Pick<Run, 'outbox'>) {
  const records = recordsOf(await outbox.readAfter(0, 100));
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
    await using opened = await disk();
    const first = await opened.run();
    const { events, warnings } = await jobStates(first);
    expect(events).toEqual([{ name: 'node_started', version: '1.2.3', boot: 2, clean: true, last_record_at: null }]);
    expect(warnings).toEqual([]);
  });

  it('that was stopped has recorded it last, and the next one does not warn', async () => {
    await using opened = await disk();
    const first = await opened.run();
    first.outbox.append(sample(1));
    await opened.clock.advance(minuteMs);
    const stoppedAt = opened.clock.now();
    await first.node.stop();
    await first.outbox.stop();
    expect((await jobStates(first)).last).toMatchObject({ name: 'node_stopped', data: { boot: 2, clean: true } });
    await opened.clock.advance(10 * minuteMs);
    const { events, warnings } = await jobStates(await opened.run());
    expect(events.at(-1)).toMatchObject({ name: 'node_started', boot: 3, clean: true });
    expect(Math.abs(Number(events.at(-1)?.last_record_at) - stoppedAt)).toBeLessThan(2);
    expect(warnings).toEqual([]);
  });

  it('that was cut off is known by its last record on disk, and the next one reports from when to when', async () => {
    await using opened = await disk();
    const first = await opened.run();
    await opened.clock.advance(minuteMs);
    first.outbox.append(sample(1));
    const cutAt = opened.clock.now();
    await first.outbox.flush();
    await opened.clock.advance(10 * minuteMs);
    // What was never committed was never said.
    first.outbox.append(sample(2));
    const second = await opened.run();
    const { events, warnings } = await jobStates(second);
    expect(events.at(-1)).toMatchObject({ name: 'node_started', boot: 3, clean: false, last_record_at: cutAt });
    expect(warnings).toEqual([
      `WARNING This unit was not stopped but cut off: its power failed, or its program crashed. Nothing was recorded from ${toTimestamp(cutAt)} to ${toTimestamp(cutAt + 10 * minuteMs)}.`,
    ]);
  });

  it('that was cut off twice in a row reports both', async () => {
    await using opened = await disk();
    await opened.run();
    const firstAt = opened.clock.now();
    await opened.clock.advance(minuteMs);
    await opened.run();
    const secondAt = opened.clock.now();
    await opened.clock.advance(2 * minuteMs);
    const { events, warnings } = await jobStates(await opened.run());
    const ends = events.map(({ clean, last_record_at }) => [clean, last_record_at]);
    expect(ends).toEqual([
      [true, null],
      [false, firstAt],
      [false, secondAt],
    ]);
    expect(warnings).toHaveLength(2);
  });

  it('on a clock that was not set is recorded with its time as soon as the run knows it', async () => {
    await using opened = await disk();
    const first = await opened.run(() => false);
    const guessed = opened.clock.now();
    first.outbox.append(sample(1));
    // A leader that is an hour ahead of the guess.
    first.time.receiveLeaderTime(guessed + 60 * minuteMs);
    await first.outbox.flush();
    await opened.clock.advance(minuteMs);
    const second = await opened.run(() => false);
    const { events, warnings } = await jobStates(second);
    expect(events.at(-1)).toMatchObject({ clean: false, last_record_at: guessed + 60 * minuteMs });
    expect(events.at(-1)).not.toHaveProperty('last_record_unsynced');
    expect(warnings.at(-1)).toMatch(/on; how long is known when its clock is set\.$/);
  });

  it('that ended before it knew the time is reported without a time', async () => {
    await using opened = await disk();
    const first = await opened.run(() => false);
    const guessed = opened.clock.now();
    await first.outbox.flush();
    await opened.clock.advance(minuteMs);
    const { events, warnings } = await jobStates(await opened.run());
    expect(events.at(-1)).toMatchObject({ clean: false, last_record_at: guessed, last_record_unsynced: true });
    expect(warnings).toEqual([expect.stringContaining('The time is unknown')]);
  });

  it('records nothing more when it is stopped a second time, or was never ready', async () => {
    await using opened = await disk();
    const never = new NodeRun({ outbox: opened.outbox, time: opened.time, version: '1', log: opened.log });
    await never.stop();
    const first = await opened.run();
    await first.node.stop();
    await first.node.stop();
    const { events } = await jobStates(first);
    expect(events.map(({ name }) => name)).toEqual(['node_started', 'node_stopped']);
  });
});
