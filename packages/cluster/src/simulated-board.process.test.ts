import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vialPlantOf } from '@lcs/hardware';
import { LifecycleTree, realClock, silentLog } from '@lcs/platform';
import { expect, it, onTestFinished } from 'vitest';
import { openSimulatedBoard } from './simulated-board.ts';
import { savedVial, vialPathIn } from './vial-file.ts';

const clock = realClock();
const log = silentLog();

it('continues the culture of a board in another process, including the elapsed time', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'lcs-board-'));
  onTestFinished(() => rm(dataFolder, { recursive: true }));
  await mkdir(join(dataFolder, 'storage'));
  const places = { unit: 'unit1', dataFolder, clock, wire: clock, log };
  /** Starts and stops a node; the given settings apply where its folder has no state. */
  const odAfterRun = async (initialOd: number) => {
    const choice = { kind: 'process', seed: 1, vial: { initialOd } } as const;
    const { board } = await openSimulatedBoard(choice, places);
    const tree = new LifecycleTree('board', board.parts, { wire: clock, log });
    await tree.start(new AbortController().signal);
    await tree.stop();
    const state = (await savedVial(dataFolder, clock, log))?.state;
    if (state === undefined) throw new Error('nothing was saved');
    return vialPlantOf({ state }, 1).vial.od;
  };
  const od = await odAfterRun(0.2);
  expect(od).toBeCloseTo(0.2, 2);
  expect(await odAfterRun(0.01)).toBeCloseTo(0.2, 2);
  const path = vialPathIn(dataFolder);
  const saved = JSON.parse(await readFile(path, 'utf8'));
  await writeFile(path, JSON.stringify({ ...saved, at: saved.at - 2 * 3_600_000 }));
  expect(await odAfterRun(0.01)).toBeGreaterThan(0.22);
});
