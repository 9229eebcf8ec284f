import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Living, realClock } from '@lcs/platform';
import { afterEach, expect, it } from 'vitest';
import { openUnitBoard } from '../unit-board/open-unit-board.ts';
import type { UnitBoard } from '../unit-board/unit-board.ts';

const ending: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

async function started(board: UnitBoard): Promise<UnitBoard> {
  const signal = new AbortController().signal;
  const start = async (part: Living) => {
    await part.start(signal);
    ending.push(() => part.stop());
  };
  for (const part of board.parts) await start(part);
  return board;
}

const vial = { initialOd: 0.5, volumeMl: 15, noise: 'quiet' };

it('sees the same vial on a board that is here and on one that is a process', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lcs-view-'));
  ending.push(() => rm(folder, { recursive: true }));
  const clock = realClock();
  const here = await started(openUnitBoard({ kind: 'simulated_here', seed: 1, vial, clock }));
  const own = { witnessPath: '/dev/null', seed: 1, vial };
  const socketPath = join(folder, 'board.sock');
  const apart = await started(openUnitBoard({ kind: 'simulated_process', socketPath, wire: clock, own }));
  const views = [await here.view?.(), await apart.view?.()];
  for (const view of views) {
    expect(view).toMatchObject({ capacityMl: 20, rpm: 0, lightPercent: 0 });
    expect(view?.od).toBeCloseTo(0.5, 1);
    expect(view?.volumeMl).toBeCloseTo(15, 1);
  }
  const lamp = await apart.actuators.acquire(1, ['ledA']);
  await lamp.set('ledA', 40);
  expect((await apart.view?.())?.lightPercent).toBeCloseTo(40, 0);
  await lamp.release();
  expect((await apart.view?.())?.lightPercent).toBe(0);
});
