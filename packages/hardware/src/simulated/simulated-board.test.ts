import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock, VirtualClock } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { board12 } from '../board-layout.ts';
import { BoardLink } from '../board-process/board-link.ts';
import { startBoardProcess } from '../board-process/start-board-process.ts';
import { readWitness } from '../board-process/witness-file.ts';
import { Ads1114 } from '../chips/ads1114.ts';
import { boardContract } from './board-contract.ts';
import { SimulatedBoard } from './simulated-board.ts';
import { SteadyPlant } from './steady-plant.ts';
import type { WitnessEntry } from './witness.ts';

boardContract('a simulated board in the same process', async () => {
  const clock = new VirtualClock();
  const entries: WitnessEntry[] = [];
  const board = new SimulatedBoard({
    layout: board12,
    plant: new SteadyPlant(),
    clock,
    seed: 1,
    witness: (entry) => entries.push(entry),
  });
  return {
    buses: board,
    clock,
    run: async (work) => {
      let isDone = false;
      const whenDone = () => {
        isDone = true;
      };
      void work.then(whenDone, whenDone);
      await clock.advanceUntil(() => isDone, 60_000);
      return work;
    },
    silence: async (address) => board.i2c.silence(address),
    restore: async (address) => board.i2c.restore(address),
    witness: () => entries,
    close: async () => {},
  };
});

async function boardInProcess() {
  const folder = await mkdtemp(join(tmpdir(), 'lcs-board-'));
  const clock = realClock();
  const options = {
    socketPath: join(folder, 'board.sock'),
    witnessPath: join(folder, 'witness.jsonl'),
    seed: 1,
    layout: board12,
    plantModule: new URL('../testing/test-plant.ts', import.meta.url).href,
    plantOptions: {},
  };
  const process = await startBoardProcess(options);
  const link = new BoardLink({ socketPath: options.socketPath, wire: clock });
  await link.start();
  return {
    buses: link,
    clock,
    run: <T>(work: Promise<T>) => work,
    silence: (address: number) => link.silence(address),
    restore: (address: number) => link.restore(address),
    witness: () => readWitness(options.witnessPath),
    process,
    close: async () => {
      await link.stop();
      await process.stop();
      await rm(folder, { recursive: true });
    },
  };
}

boardContract('a simulated board in a process of its own', boardInProcess);

describe('the link to a board process', () => {
  it('fails calls when the process is gone', async () => {
    const board = await boardInProcess();
    await board.process.stop();
    await expect(board.buses.pwm.exportChannel(1)).rejects.toMatchObject({ name: 'BusError', device: 'board' });
    await board.close();
  });
});

describe('a seed', () => {
  const series = async (seed: number) => {
    const clock = new VirtualClock();
    const board = new SimulatedBoard({ layout: board12, plant: new SteadyPlant(), clock, seed });
    const adc = new Ads1114(board.i2c, 0x48, clock);
    await adc.setGain(5);
    const readings = adc.readSeries(40);
    await clock.advance(1000);
    return readings;
  };

  it('fixes the readings of a board', async () => {
    expect(await series(7)).toEqual(await series(7));
    expect(await series(7)).not.toEqual(await series(8));
  });
});
