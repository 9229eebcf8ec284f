import { memoryLog, VirtualClock } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { PendingRecords } from './pending-records.ts';

/** Records on a disk whose writes the test accepts or refuses, and a journal of ended jobs whose entries the test can read. */
function world() {
  const wire = new VirtualClock();
  const log = memoryLog();
  const journal = new Set<number>();
  const written: string[] = [];
  let disk: 'takes' | 'refuses' | 'hangs' = 'takes';
  const hanging: PromiseWithResolvers<void>[] = [];
  const records = new PendingRecords({
    wire,
    log,
    endedJobs: {
      load: async () => [...journal],
      add: async (ids) => {
        for (const id of ids) journal.add(id);
      },
      remove: async (ids) => {
        for (const id of ids) journal.delete(id);
      },
    },
  });
  const write = (what: string) => async () => {
    if (disk === 'refuses') throw new Error('disk full');
    if (disk === 'hangs') {
      const turn = Promise.withResolvers<void>();
      hanging.push(turn);
      await turn.promise;
    }
    written.push(what);
  };
  return {
    wire,
    log,
    journal,
    written,
    records,
    disk: (how: typeof disk) => {
      disk = how;
    },
    /** What hangs goes on. */
    letGo: () => {
      for (const { resolve } of hanging.splice(0)) resolve();
    },
    record: (what: string, more: Partial<Parameters<PendingRecords['record']>[0]> = {}) =>
      records.record({ key: what, write: write(what), ...more }),
  };
}

describe('a record of a job that the disk takes', () => {
  it('is written once, without an entry in the file of ended jobs', async () => {
    const { record, written, journal, records, wire } = world();
    expect(await record('end', { ends: [7] })).toBe(true);
    await wire.advance(10_000);
    expect([written, [...journal], records.isBehindWith([7])]).toEqual([['end'], [], false]);
  });
});

describe('a record of a job that the disk does not take', () => {
  it('is answered as not written, and tried again until it is', async () => {
    const { record, written, journal, records, disk, wire, log } = world();
    disk('refuses');
    expect(await record('end', { ends: [7] })).toBe(false);
    expect([[...journal], records.isBehindWith([7]), records.isBehindWith([8])]).toEqual([[7], true, false]);
    expect(records.isBehind).toBe(true);
    await wire.advance(4_000);
    expect(log.lines.length).toBeGreaterThan(1);
    disk('takes');
    await wire.advance(2_000);
    expect([written, [...journal], records.isBehindWith([7])]).toEqual([['end'], [], false]);
    expect(records.isBehind).toBe(false);
  });

  it('gives way to a newer one of the same key', async () => {
    const { records, disk, wire, written, record } = world();
    disk('refuses');
    await record('state', { write: async () => Promise.reject(new Error('old')) });
    await record('state');
    disk('takes');
    await wire.advance(2_000);
    expect(written).toEqual(['state']);
    await records.stop();
    expect(written).toEqual(['state']);
  });

  it('is not tried any more once a later one has made it meaningless', async () => {
    const { records, disk, wire, written, record } = world();
    disk('refuses');
    await record('job/7/setting/rpm');
    await record('job/8/setting/rpm');
    disk('takes');
    await record('job/7/end', { outdates: (key) => key.startsWith('job/7/setting/') });
    await wire.advance(2_000);
    expect(written).toEqual(['job/7/end', 'job/8/setting/rpm']);
    await records.stop();
  });

  it('is written in the order in which the records came', async () => {
    const { disk, wire, written, record } = world();
    disk('refuses');
    for (const what of ['a', 'b', 'c']) await record(what);
    disk('takes');
    await wire.advance(2_000);
    expect(written).toEqual(['a', 'b', 'c']);
  });

  it('is tried a last time at the end of the node', async () => {
    const { records, disk, wire, written, record } = world();
    disk('refuses');
    await record('end', { ends: [7] });
    disk('takes');
    await records.stop();
    expect(written).toEqual(['end']);
    await wire.advance(10_000);
    expect(written).toEqual(['end']);
  });

  it('stays in the journal when the last attempt fails too, and nothing is left that would try again', async () => {
    const { records, disk, wire, journal, record, log } = world();
    disk('refuses');
    await record('end', { ends: [7] });
    await records.stop();
    const tried = log.lines.length;
    await wire.advance(10_000);
    expect([[...journal], log.lines.length]).toEqual([[7], tried]);
  });
});

describe('a record of a job whose writing takes long', () => {
  it('is in the journal after 0.1 s, is answered after a second, and counts when it is there', async () => {
    const { record, records, disk, wire, journal, letGo, written } = world();
    disk('hangs');
    let answer: boolean | undefined;
    const answered = record('end', { ends: [7] }).then((isWritten) => {
      answer = isWritten;
    });
    await wire.advance(99);
    expect([...journal]).toEqual([]);
    await wire.advance(1);
    expect([...journal]).toEqual([7]);
    await wire.advance(1_000);
    await answered;
    expect([answer, records.isBehindWith([7])]).toEqual([false, true]);
    letGo();
    await records.stop();
    expect([written, [...journal], records.isBehindWith([7])]).toEqual([['end'], [], false]);
  });
});
