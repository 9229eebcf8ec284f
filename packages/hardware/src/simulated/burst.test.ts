import {
  defaultNoise,
  defaultOversampling,
  defaultStart,
  defaultVialParameters,
  type Fault,
  fitMainsHum,
  oversamplingFor,
  slotWaitS,
} from '@lcs/domain';
import { VirtualClock } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { board12 } from '../board-layout.ts';
import { countingBuses } from '../buses/counting-buses.ts';
import { Ads1114, type Ads1114Gain } from '../chips/ads1114.ts';
import { BoardController } from '../chips/board-controller.ts';
import { PwmOutput } from '../chips/pwm-output.ts';
import { VialPlant } from '../vial-plant/vial-plant.ts';
import { type Oversampling, SimulatedBoard } from './simulated-board.ts';

const plan = defaultOversampling;

interface StillVial {
  readonly od: number;
  readonly faults?: readonly Fault[];
}

/** A lit photodiode of a stirred vial in which nothing moves but the noise. */
async function litBoard(oversampling: Oversampling, still: StillVial, gain: Ads1114Gain) {
  const clock = new VirtualClock();
  const { od, faults = [] } = still;
  const plant = new VialPlant({
    // No growth below 5 °C, and no shocks: they are rare, and would decide what the readings scatter by.
    parameters: { ...defaultVialParameters(), ambientC: 2, noise: { ...defaultNoise, shockChance: 0 }, faults },
    start: { ...defaultStart, od },
    seed: 1,
  });
  const board = new SimulatedBoard({ layout: board12, plant, clock, seed: 1, oversampling });
  const buses = countingBuses(board);
  const adc = new Ads1114(buses.i2c, 0x49, clock);
  await new BoardController(board.i2c, board12.ledDriver.address).set('A', 80);
  const stirrer = new PwmOutput(board.pwm, 1, 200);
  await stirrer.open();
  await stirrer.set(30);
  await adc.setGain(gain);
  await clock.advance(60_000);
  const run = async <T>(work: Promise<T>): Promise<T> => {
    let isDone = false;
    const whenDone = () => {
      isDone = true;
    };
    void work.then(whenDone, whenDone);
    await clock.advanceUntil(() => isDone, 60_000);
    return work;
  };
  return { clock, adc, buses, run };
}

type Lit = Awaited<ReturnType<typeof litBoard>>;

/** One reading as on a real board: conversion after conversion, then the regression. */
async function slotBySlotLevel({ clock, adc, run }: Lit): Promise<number> {
  const samples: { timeS: number; value: number }[] = [];
  const startMs = clock.monotonic();
  for (let round = 0; round < plan.rounds; round += 1) {
    const roundMs = clock.monotonic();
    const value = await run(adc.readVolts());
    samples.push({ timeS: (clock.monotonic() - startMs) / 1000, value });
    await clock.advance(Math.max(0, slotWaitS(plan, round) * 1000 - (clock.monotonic() - roundMs)));
  }
  return fitMainsHum(samples, 50).level;
}

const burstLevel = async ({ adc, run }: Lit): Promise<number> => (await run(adc.burst(plan))) ?? Number.NaN;

async function levels(read: (lit: Lit) => Promise<number>, lit: Lit, count: number): Promise<number[]> {
  const found: number[] = [];
  for (let reading = 0; reading < count; reading += 1) {
    found.push(await read(lit));
    await lit.clock.advance(100);
  }
  return found;
}

function meanAndDeviation(values: readonly number[]): { mean: number; deviation: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: Math.sqrt(squares / (values.length - 1)) };
}

const still: StillVial = { od: 0.5 };

describe('a reading in closed form', () => {
  it('has the mean and the deviation of a reading made conversion by conversion', async () => {
    const count = 500;
    const slots = meanAndDeviation(await levels(slotBySlotLevel, await litBoard('slot_by_slot', still, 4), count));
    const bursts = meanAndDeviation(await levels(burstLevel, await litBoard('closed_form', still, 4), count));
    // A mean of n readings deviates by a reading's deviation / √n, a deviation by its own / √2n; both differences by √2 more.
    const threeTimes = 3 * Math.SQRT2;
    expect(Math.abs(bursts.mean - slots.mean) / slots.deviation).toBeLessThan(threeTimes / Math.sqrt(count));
    expect(Math.abs(bursts.deviation / slots.deviation - 1)).toBeLessThan(threeTimes / Math.sqrt(2 * count));
  });

  it('takes the time of the conversions and two transactions', async () => {
    const { clock, adc, buses, run } = await litBoard('closed_form', still, 4);
    await run(adc.burst(plan));
    const [startMs, before] = [clock.monotonic(), buses.transactions];
    await run(adc.burst(plan));
    expect(buses.transactions - before).toBe(2);
    expect(clock.monotonic() - startMs).toBeGreaterThan(plan.rounds * (2 / 128) * 1000);
    expect(buses.transactionsBy.get('i2c 0x49')).toBe(buses.transactions);
  });

  it('clips like its conversions', async () => {
    const bright: StillVial = { od: 4 };
    const lit = await litBoard('closed_form', bright, 5);
    expect(await burstLevel(lit)).toBeLessThanOrEqual(0.256);
    const half = await litBoard(
      'closed_form',
      { ...bright, faults: [{ fault: 'photodiode_saturated', fromS: 0, untilS: 1e9 }] },
      1,
    );
    expect(await burstLevel(half)).toBeCloseTo(3.3, 3);
  });

  it('is there for quick readings with few rounds too', async () => {
    const lit = await litBoard('closed_form', still, 4);
    const quick = await lit.run(lit.adc.burst(oversamplingFor(0.1)));
    expect(quick).toBeCloseTo(await burstLevel(lit), 2);
  });

  it('is not offered by a chip without these registers, nor requested for on a bus that has no such chips', async () => {
    const plain = await litBoard('slot_by_slot', still, 4);
    expect(await plain.run(plain.adc.burst(plan))).toBeUndefined();
    const requested: number[] = [];
    const real = {
      readRegister: async (_address: number, register: number, length: number) => {
        requested.push(register);
        return new Uint8Array(length);
      },
      writeRegister: async () => {},
    };
    expect(await new Ads1114(real, 0x49, new VirtualClock()).burst(plan)).toBeUndefined();
    expect(requested).toEqual([]);
  });
});
