import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LockHeld, takeFolderLock } from './folder-lock.ts';
import type { Processes, ProcessStamp } from './process-stamp.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lcs-lock-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Processes that live and die as the test says. */
function machine() {
  const alive = new Set<number>();
  return {
    kill: (pid: number) => alive.delete(pid),
    processes: (pid: number): Processes => ({
      self: async () => {
        alive.add(pid);
        return { pid, started: '1', bootId: 'this' };
      },
      isAlive: async (stamp: ProcessStamp) => alive.has(stamp.pid),
    }),
  };
}

describe('the lock of a folder', () => {
  it('is held by one at a time and names its holder', async () => {
    const { processes } = machine();
    const lock = await takeFolderLock(folder, processes(1));
    const error = await takeFolderLock(folder, processes(2)).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(LockHeld);
    expect(error).toMatchObject({ holder: { pid: 1 } });
    await lock.release();
    await (await takeFolderLock(folder, processes(2))).release();
  });

  it('is not given twice to one process either', async () => {
    const { processes } = machine();
    await takeFolderLock(folder, processes(1));
    await expect(takeFolderLock(folder, processes(1))).rejects.toThrow(LockHeld);
  });

  it('is free when its holder was killed', async () => {
    const { kill, processes } = machine();
    await takeFolderLock(folder, processes(1));
    kill(1);
    await takeFolderLock(folder, processes(2));
    await expect(takeFolderLock(folder, processes(3))).rejects.toThrow('held by process 2');
  });

  it('is free when a power failure left its file empty, cut or strange', async () => {
    const { processes } = machine();
    for (const [index, content] of ['', '{"pid":1,', '{"pid":"x"}', 'null'].entries()) {
      await writeFile(join(folder, `holder-${100 * (index + 1)}`), content);
      await (await takeFolderLock(folder, processes(index + 1))).release();
    }
  });

  it('is not taken from the next holder by a late second release', async () => {
    const { processes } = machine();
    const first = await takeFolderLock(folder, processes(1));
    await first.release();
    await takeFolderLock(folder, processes(2));
    await first.release();
    await expect(takeFolderLock(folder, processes(3))).rejects.toThrow('held by process 2');
  });

  it('is not acquired by a process so slow that two others have held it meanwhile', async () => {
    const { kill, processes } = machine();
    await takeFolderLock(folder, processes(1));
    kill(1);
    const looking = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const slow: Processes = {
      ...processes(9),
      isAlive: async (stamp) => {
        const alive = await processes(9).isAlive(stamp);
        looking.resolve();
        await goOn.promise;
        return alive;
      },
    };
    const slowStart = takeFolderLock(folder, slow);
    await looking.promise;
    await (await takeFolderLock(folder, processes(2))).release();
    await takeFolderLock(folder, processes(3));
    goOn.resolve();
    await expect(slowStart).rejects.toThrow('held by process 3');
    expect(await readdir(folder)).toEqual(['holder-3']);
  });

  it('keeps one small file, however often it is taken', async () => {
    const { processes } = machine();
    for (let pid = 1; pid <= 5; pid += 1) await (await takeFolderLock(folder, processes(pid))).release();
    expect(await readdir(folder)).toEqual(['holder-5']);
  });

  it('has exactly one holder at any time while many race for it, are killed and let go', async () => {
    const starters = fc.array(fc.constantFrom('keep', 'release', 'killed'), { minLength: 2, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(fc.array(starters, { minLength: 1, maxLength: 4 }), async (waves) => {
        const arena = await mkdtemp(join(folder, 'arena-'));
        const { kill, processes } = machine();
        let holder: number | undefined;
        let pid = 0;
        const startOne = async (fate: string) => {
          pid += 1;
          const own = pid;
          const lock = await takeFolderLock(arena, processes(own)).catch((error: unknown) => {
            if (error instanceof LockHeld) return undefined;
            throw error;
          });
          if (lock === undefined) return false;
          expect(holder).toBeUndefined();
          holder = own;
          if (fate === 'keep') return true;
          await new Promise((resolve) => setImmediate(resolve));
          holder = undefined;
          if (fate === 'killed') kill(own);
          else await lock.release();
          return true;
        };
        for (const wave of waves) {
          const before = holder;
          const won = await Promise.all(wave.map(startOne));
          expect(won.includes(true)).toBe(before === undefined);
        }
      }),
      { numRuns: 40 },
    );
  });
});
