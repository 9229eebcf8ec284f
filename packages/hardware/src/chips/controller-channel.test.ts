import { VirtualClock } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { board12, type Photodiodes } from '../board-layout.ts';
import { SimulatedBoard } from '../simulated/simulated-board.ts';
import { SteadyPlant } from '../simulated/steady-plant.ts';
import { BoardController } from './board-controller.ts';
import { ControllerChannel } from './controller-channel.ts';

const { address } = board12.ledDriver;
const photodiodes: Photodiodes = {
  1: { chip: 'controller', address, input: 2 },
  2: { chip: 'controller', address, input: 3 },
};

/** A board whose controller is at any point of its loop; its photodiode 2 gives 20 mV for each percent of LED A. */
async function controllerBoard(seed: number, oversampling: 'slot_by_slot' | 'closed_form' = 'slot_by_slot') {
  const clock = new VirtualClock();
  const layout = { ...board12, photodiodes };
  const board = new SimulatedBoard({ layout, plant: new SteadyPlant(), clock, seed, oversampling });
  const controller = new BoardController(board.i2c, address);
  const channel = new ControllerChannel(controller, 3, clock);
  await clock.advance(1000 + 3 * seed);
  await channel.readVolts();
  await clock.advance(50);
  return { clock, controller, channel };
}

const seeds = Array.from({ length: 12 }, (_, index) => index + 1);

describe('a photodiode on the controller', () => {
  it.each(['slot_by_slot', 'closed_form'] as const)(
    'shows all of a light that has come on after its settling time (%s)',
    async (how) => {
      for (const seed of seeds) {
        const { clock, controller, channel } = await controllerBoard(seed, how);
        await controller.set('A', 20);
        await clock.advance(channel.settlingMs);
        expect((await channel.readVolts()) / 0.4).toBeGreaterThan(0.998);
      }
    },
  );

  it('lacks some percent after the usual wait of 125 ms, by an amount that depends on the phase of its loop', async () => {
    const missing: number[] = [];
    for (const seed of seeds) {
      const { clock, controller, channel } = await controllerBoard(seed);
      await controller.set('A', 20);
      await clock.advance(125);
      missing.push(1 - (await channel.readVolts()) / 0.4);
    }
    expect(Math.min(...missing)).toBeGreaterThan(0.02);
    expect(Math.max(...missing)).toBeLessThan(0.05);
    expect(new Set(missing).size).toBeGreaterThan(6);
  });

  it('gives a new value with each of a series while the light changes', async () => {
    for (const seed of seeds) {
      const { clock, controller, channel } = await controllerBoard(seed);
      await controller.set('A', 20);
      const series = channel.readSeries(12);
      await clock.advance(200);
      expect(new Set(await series).size).toBe(12);
    }
  });
});
