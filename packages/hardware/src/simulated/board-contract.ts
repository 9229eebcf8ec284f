import { measuredRpm } from '@lcs/domain';
import type { Clock } from '@lcs/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { board12, supplyInput } from '../board-layout.ts';
import type { Buses } from '../buses/buses.ts';
import { Ads1114 } from '../chips/ads1114.ts';
import { BoardController } from '../chips/board-controller.ts';
import { HallSensor } from '../chips/hall-sensor.ts';
import { PwmOutput } from '../chips/pwm-output.ts';
import { Tmp1075 } from '../chips/tmp1075.ts';
import type { WitnessEntry } from './witness.ts';

/** A board with a `SteadyPlant` behind it, however it is reached. */
export interface BoardUnderTest {
  readonly buses: Buses;
  readonly clock: Clock;
  /** Advances the clock while the work runs, where the clock does not advance by itself. */
  readonly run: <T>(work: Promise<T>) => Promise<T>;
  readonly silence: (address: number) => Promise<void>;
  readonly restore: (address: number) => Promise<void>;
  readonly witness: () => readonly WitnessEntry[];
  readonly close: () => Promise<void>;
}

const ledsOf = (board: BoardUnderTest) => new BoardController(board.buses.i2c, board12.ledDriver.address);

/** The contract of every board with the drivers. */
export function boardContract(name: string, open: () => Promise<BoardUnderTest>): void {
  describe(name, () => {
    let opened: BoardUnderTest;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());
    const board = () => opened;
    describe('photodiodes', () => testLight(board));
    describe('outputs and their sensors', () => testOutputs(board));
    describe('faults and records', () => testFaults(board));
  });
}

/** Conversions of the photodiodes. */
function testLight(board: () => BoardUnderTest): void {
  it('shows the light of an LED in the next conversion, not in an old one', async () => {
    const adc = new Ads1114(board().buses.i2c, 0x49, board().clock);
    await adc.setGain(2);
    const dark = await board().run(adc.readVolts());
    await ledsOf(board()).set('A', 20);
    const lit = await board().run(adc.readVolts());
    await ledsOf(board()).set('A', 0);
    expect(dark).toBeCloseTo(0, 3);
    expect(lit).toBeCloseTo(0.4, 2);
  });

  it('takes a series of conversions, each with its own noise', async () => {
    const adc = new Ads1114(board().buses.i2c, 0x48, board().clock);
    await adc.setGain(5);
    await ledsOf(board()).set('A', 10);
    const volts = await board().run(adc.readSeries(12));
    await ledsOf(board()).set('A', 0);
    expect(volts).toHaveLength(12);
    expect(new Set(volts).size).toBeGreaterThan(1);
    for (const value of volts) expect(value).toBeCloseTo(0.1, 2);
  });
}

/** Heater, stirrer and supply. */
function testOutputs(board: () => BoardUnderTest): void {
  it('warms the sensor on the heater', async () => {
    const heater = new PwmOutput(board().buses.pwm, 5, 16);
    await heater.open();
    await heater.set(50);
    const celsius = await new Tmp1075(board().buses.i2c, board12.temperatureAddress).readCelsius();
    await heater.set(0);
    expect(celsius).toBeGreaterThan(49.5);
    expect(celsius).toBeLessThan(50.5);
  });

  it('turns the stirrer, seen by the hall sensor', async () => {
    const stirrer = new PwmOutput(board().buses.pwm, 1, 200);
    await stirrer.open();
    await stirrer.set(100);
    const hall = new HallSensor(board().buses.gpio, board12.hallLine, board().clock);
    const edges = await board().run(hall.measure(300));
    await stirrer.set(0);
    expect(measuredRpm(edges.map((edgeUs) => edgeUs / 1e6))).toBeCloseTo(1500, 0);
  });

  it('measures the supply of the PWM outputs', async () => {
    const volts = await ledsOf(board()).readVolts(supplyInput.input);
    expect(volts / supplyInput.dividedBy).toBeCloseTo(5, 1);
  });
}

/** Silent chips, unprepared pins, and the witness record. */
function testFaults(board: () => BoardUnderTest): void {
  it('fails with the name of a chip that does not answer, and works again afterwards', async () => {
    const sensor = new Tmp1075(board().buses.i2c, board12.temperatureAddress);
    await board().silence(board12.temperatureAddress);
    await expect(sensor.readCelsius()).rejects.toMatchObject({
      name: 'BusError',
      device: 'i2c 0x4f',
      reason: 'no acknowledgement',
    });
    await board().restore(board12.temperatureAddress);
    expect(await sensor.readCelsius()).toBeGreaterThan(20);
  });

  it('refuses a pin and a channel that were not prepared', async () => {
    await expect(board().buses.gpio.takeEdges(3)).rejects.toMatchObject({ device: 'gpio 3' });
    await expect(board().buses.pwm.setDuty(4, 1)).rejects.toMatchObject({ device: 'pwm 4' });
  });

  it('has witnessed each conversion that was read and each change of an output', async () => {
    const before = board().witness().length;
    await ledsOf(board()).set('C', 40);
    await ledsOf(board()).set('C', 40);
    await new Tmp1075(board().buses.i2c, board12.temperatureAddress).readCelsius();
    await ledsOf(board()).set('C', 0);
    const entries = board().witness().slice(before);
    expect(entries.map(({ kind }) => kind)).toEqual(['output', 'conversion', 'output']);
    expect(entries).toMatchObject([
      { output: 'ledC', percent: 40 },
      { device: 'i2c 0x4f' },
      { output: 'ledC', percent: 0 },
    ]);
    const times = board()
      .witness()
      .map(({ mono_us }) => mono_us);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });
}
