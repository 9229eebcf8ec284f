import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock, type Service } from '@lcs/platform';
import { decode } from 'jpeg-js';
import { afterEach, expect, it } from 'vitest';
import { openUnitBoard } from '../unit-board/open-unit-board.ts';
import type { UnitBoard } from '../unit-board/unit-board.ts';
import { vialInside } from './vial-picture.ts';

const ending: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

async function started(board: UnitBoard): Promise<UnitBoard> {
  const signal = new AbortController().signal;
  const start = async (part: Service) => {
    await part.start(signal);
    ending.push(() => part.stop());
  };
  for (const part of board.parts) await start(part);
  return board;
}

/** Mean grey of a patch low in the liquid. */
function liquidOf(still: Uint8Array): number {
  const { width, data } = decode(still, { useTArray: true });
  const middle = (vialInside.left + vialInside.right) / 2;
  let sum = 0;
  for (let y = 320; y < 340; y += 1)
    for (let x = middle - 10; x < middle + 10; x += 1) sum += data[(y * width + x) * 4] ?? Number.NaN;
  return sum / 400;
}

const vial = { initialOd: 0.5, volumeMl: 15, noise: 'quiet' };

it('shows the same vial on a board in this process and on one in another process', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lcs-view-'));
  ending.push(() => rm(folder, { recursive: true }));
  const clock = realClock();
  const here = await started(openUnitBoard({ kind: 'simulated_here', seed: 1, vial, clock }));
  const own = { witnessPath: '/dev/null', seed: 1, vial };
  const socketPath = join(folder, 'board.sock');
  const watchdogPath = join(folder, 'watchdog.pid');
  const apart = await started(openUnitBoard({ kind: 'simulated_process', socketPath, watchdogPath, wire: clock, own }));
  const atMs = Date.UTC(2026, 0, 2, 3, 4, 5);
  const seen = async (board: UnitBoard) => {
    const still = await board.still?.(atMs);
    if (still === undefined) throw new Error('There is no still.');
    return liquidOf(still);
  };
  const dark = await seen(here);
  expect(Math.abs((await seen(apart)) - dark)).toBeLessThan(3);
  expect(await apart.still?.(atMs)).not.toEqual(await apart.still?.(atMs + 1_000));
  const lamp = await apart.actuators.acquire(1, ['ledA']);
  await lamp.set('ledA', 80);
  expect(await seen(apart)).toBeGreaterThan(1.5 * dark);
  await lamp.release();
  expect(Math.abs((await seen(apart)) - dark)).toBeLessThan(3);
});
