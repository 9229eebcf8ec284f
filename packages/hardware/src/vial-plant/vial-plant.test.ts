import { measuredRpm } from '@lcs/domain';
import { VirtualClock } from '@lcs/platform';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allOff, board12, type OutputLevels } from '../board-layout.ts';
import { Ads1114 } from '../chips/ads1114.ts';
import { BoardController } from '../chips/board-controller.ts';
import { HallSensor } from '../chips/hall-sensor.ts';
import { PwmOutput } from '../chips/pwm-output.ts';
import { Tmp1075 } from '../chips/tmp1075.ts';
import { SimulatedBoard } from '../simulated/simulated-board.ts';
import { RotationHistory } from './rotation-history.ts';
import type { VialPlant } from './vial-plant.ts';
import { createPlant } from './vial-plant-module.ts';
import { UnknownSimulation, type VialPlantSettings, vialPlantOf } from './vial-plant-settings.ts';

const hourMs = 3_600_000;
const running: OutputLevels = { pwm: { ...allOff.pwm, 1: 40, 5: 25 }, led: { ...allOff.led, A: 80 } };

function boardWith(settings: VialPlantSettings) {
  const clock = new VirtualClock();
  const plant = vialPlantOf(settings, 1);
  const board = new SimulatedBoard({ layout: board12, plant, clock, seed: 1 });
  const run = async <T>(work: Promise<T>): Promise<T> => {
    let isDone = false;
    const whenDone = () => {
      isDone = true;
    };
    void work.then(whenDone, whenDone);
    await clock.advanceUntil(() => isDone, 60_000);
    return work;
  };
  return { clock, plant, board, run };
}

/** Hours pass under the levels of a running experiment. */
function live(plant: VialPlant, hours: number, stepMs = 60_000): void {
  plant.setOutputs(running, 0);
  for (let atMs = stepMs; atMs <= hours * hourMs; atMs += stepMs) plant.boardCelsius(atMs);
}

describe('a vial behind the chips of a board', () => {
  it('shows its culture to the photodiode at 90 degrees and only the LED to the reference', async () => {
    const voltsAt = async (initialOd: number) => {
      const { board, clock, run } = boardWith({ initialOd, noise: 'quiet' });
      await new BoardController(board.i2c, board12.ledDriver.address).set('A', 80);
      const volts: number[] = [];
      for (const address of [0x48, 0x49]) {
        const adc = new Ads1114(board.i2c, address, clock);
        await adc.setGain(1);
        volts.push(await run(adc.readVolts()));
      }
      return volts;
    };
    const [thinReference = 0, thin = 0] = await voltsAt(0.05);
    const [denseReference = 0, dense = 0] = await voltsAt(1);
    expect(dense / thin).toBeGreaterThan(8);
    expect(denseReference / thinReference).toBeCloseTo(1, 1);
    expect(thinReference).toBeCloseTo(0.1, 1);
  });

  it('turns its stirrer at a speed that the hall sensor finds', async () => {
    const { board, clock, plant, run } = boardWith({});
    const stirrer = new PwmOutput(board.pwm, 1, 200);
    await stirrer.open();
    await stirrer.set(40);
    await clock.advance(20_000);
    const edges = await run(new HallSensor(board.gpio, board12.hallLine, clock).measure(3000));
    expect(edges.length).toBeGreaterThan(20);
    expect(measuredRpm(edges.map((edgeUs) => edgeUs / 1e6))).toBeCloseTo(plant.vial.state.stirrer.rpm, -1);
    await stirrer.set(0);
    await clock.advance(20_000);
    expect(await run(new HallSensor(board.gpio, board12.hallLine, clock).measure(3000))).toEqual([]);
  });

  it('grows, and faster with a higher speed of growth', () => {
    const grown = [1, 4].map((speed) => {
      const plant = vialPlantOf({ organism: 'ecoli_lb', speed }, 3);
      live(plant, 2);
      return plant.vial.od;
    });
    expect(grown[0]).toBeGreaterThan(0.055);
    expect(grown[1]).toBeGreaterThan(2 * (grown[0] ?? 0));
  });

  it('slows with the alternative medium only where that is configured', () => {
    const inhibition = { halfShare: 0.25, steepness: 2 };
    const fed = [undefined, inhibition].map((setting) => {
      const settings = setting === undefined ? { speed: 4 } : { speed: 4, inhibition: setting };
      const plant = vialPlantOf({ organism: 'ecoli_lb', capacityMl: 40, ...settings }, 3);
      plant.setOutputs({ ...allOff, pwm: { ...allOff.pwm, 3: 100 } }, 0);
      plant.setOutputs(allOff, 120_000);
      live(plant, 2);
      return plant.vial.od;
    });
    expect(fed[0]).toBeGreaterThan(2 * (fed[1] ?? Number.POSITIVE_INFINITY));
  });

  it('does not depend on how often it is read', () => {
    const often = vialPlantOf({}, 5);
    const seldom = vialPlantOf({}, 5);
    live(often, 1, 5000);
    live(seldom, 1, hourMs);
    expect(often.vial.od).toBeCloseTo(seldom.vial.od, 9);
    expect(often.vial.state.stirrer.turns).toBeCloseTo(seldom.vial.state.stirrer.turns, 3);
  });

  it('notes a cooling curve while it goes on, as single readings find it', () => {
    const [read, followed] = [boardWith({ isTypical: true }).plant, boardWith({ isTypical: true }).plant];
    const timesMs = Array.from({ length: 21 }, (_, index) => hourMs + 1 + 5_000 * index);
    for (const plant of [read, followed]) {
      live(plant, 1);
      plant.setOutputs(allOff, hourMs + 1);
    }
    const curve = followed.followBoard(timesMs);
    // Something else uses the vial in between.
    followed.setOutputs({ ...allOff, led: { ...allOff.led, A: 80 } }, hourMs + 33_000);
    const endMs = timesMs.at(-1) ?? 0;
    const expected = timesMs.map((atMs) => read.boardCelsius(atMs));
    expect(curve(endMs)).toHaveLength(21);
    expect((expected[0] ?? 0) - (expected.at(-1) ?? 0)).toBeGreaterThan(3);
    for (const [index, celsius] of curve(endMs).entries()) expect(celsius).toBeCloseTo(expected[index] ?? 0, 3);
    // Nothing is noted after its last time.
    followed.boardCelsius(endMs + 60_000);
    expect(curve(endMs + 60_000)).toHaveLength(21);
  });

  it('continues from its state, stored as JSON, without a difference', () => {
    const plant = vialPlantOf({}, 7);
    live(plant, 1);
    const again = vialPlantOf({ state: JSON.parse(JSON.stringify(plant.state())) }, 7);
    const [of, ofAgain] = [plant, again].map((one, index) => {
      // The second board is new: its clock begins anew, and its outputs are switched on again.
      const startMs = index === 0 ? hourMs : 12;
      one.setOutputs(running, startMs);
      return [one.photodiodeVolts(2, startMs + 60_000), one.vial.state];
    });
    expect(of).toEqual(ofAgain);
  });

  it('simulates the time without a board, with everything off', () => {
    const before = vialPlantOf({ organism: 'ecoli_lb', ambientC: 30 }, 9);
    live(before, 1);
    const after = vialPlantOf({ ambientC: 30, organism: 'ecoli_lb', state: before.state(), passS: 3600 }, 9);
    expect(after.vial.od).toBeGreaterThan(1.2 * before.vial.od);
    expect(after.vial.state.stirrer.rpm).toBe(0);
    expect(after.vial.state.timeS).toBe(7200);
  });

  it('takes the place of another one while the board runs, under the same outputs', () => {
    const other = vialPlantOf({ initialOd: 1 }, 9);
    live(other, 1);
    const plant = vialPlantOf({ initialOd: 0.01 }, 9);
    live(plant, 1);
    plant.replace(other.state(), 60);
    expect(plant.vial.od).toBeCloseTo(other.vial.od, 1);
    const begun = plant.vial.state.timeS;
    expect(begun).toBe(other.vial.state.timeS + 60);
    plant.boardCelsius(hourMs);
    expect(plant.state(hourMs + 30_000).vial.state.timeS).toBe(begun + 30);
    expect(plant.vial.state.stirrer.rpm).toBeGreaterThan(100);
  });

  it('has units that differ, and one unit that is always the same', () => {
    const constants = (unit: string) => vialPlantOf({ unit }, 1).vial.parameters;
    expect(constants('unit1')).toEqual(constants('unit1'));
    expect(constants('unit1').sensitivity).not.toBe(constants('unit2').sensitivity);
  });

  it('carries out faults of its script', async () => {
    const dead = [{ fault: 'temperature_sensor_dead', fromS: 10, untilS: 20 } as const];
    const { board, clock } = boardWith({ faults: dead });
    const sensor = new Tmp1075(board.i2c, board12.temperatureAddress);
    await sensor.readCelsius();
    await clock.advance(15_000);
    await expect(sensor.readCelsius()).rejects.toMatchObject({ name: 'BusError', reason: 'no acknowledgement' });
    await clock.advance(10_000);
    expect(await sensor.readCelsius()).toBeCloseTo(22, -1);
  });

  it('lists the known names when a name is unknown', () => {
    expect(() => createPlant({ organism: 'elephant' }, 1)).toThrow(UnknownSimulation);
    expect(() => createPlant({ noise: 'loud' }, 1)).toThrow(/typical/);
  });
});

describe('the rotation history', () => {
  it('gives each whole turn once, in order, for any windows and sampling times', () => {
    const steps = fc.array(
      fc.record({ ms: fc.integer({ min: 1, max: 900 }), turns: fc.double({ min: 0, max: 9, noNaN: true }) }),
      {
        minLength: 2,
        maxLength: 9,
      },
    );
    fc.assert(
      fc.property(steps, fc.nat(8000), (moves, cutMs) => {
        const record = new RotationHistory();
        let [atMs, turns] = [0, 0];
        record.add(atMs, turns);
        for (const move of moves) {
          atMs += move.ms;
          turns += move.turns;
          record.add(atMs, turns);
        }
        const passes = [
          ...record.turnTimesMs(0, Math.min(cutMs, atMs)),
          ...record.turnTimesMs(Math.min(cutMs, atMs), atMs),
        ];
        expect(Math.abs(passes.length - Math.floor(turns))).toBeLessThanOrEqual(1e-9);
        expect(passes).toEqual(passes.toSorted((a, b) => a - b));
      }),
    );
  });
});
