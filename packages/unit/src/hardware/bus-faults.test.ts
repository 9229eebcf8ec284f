import { ads1114Register, type BusFault, board12, i2cDevice } from '@lcs/hardware';
import { describe, expect, it } from 'vitest';
import { quietVial, testUnit } from '../testing/test-unit.ts';

const reference = i2cDevice(0x48);
const signal = i2cDevice(0x49);
const heaterBoard = i2cDevice(board12.temperatureAddress);
const ledDriver = i2cDevice(board12.ledDriver.address);
const stirrerLine = `gpio ${board12.hallLine}`;

/** Numbers from 0 to 1 that look like chance and are always the same. */
const anyNumbers = () => {
  let state = 12345;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
};

const absent: BusFault = { kind: 'absent' };
const short: BusFault = { kind: 'short' };
const stuck = (...bytes: number[]): BusFault => ({ kind: 'stuck', bytes });
const noise = (): BusFault => ({ kind: 'noise', random: anyNumbers() });
/** Of what a converter converts; its settings read back as they were written. */
const conversions = { registers: [ads1114Register.conversion] } as const;
const burst = (transactions: number): BusFault => ({ kind: 'burst', transactions });

/** A unit that stirs, reads the optical density and heats. */
async function unitAtWork(oversampling: 'slot_by_slot' | 'closed_form' = 'slot_by_slot') {
  const unit = await testUnit({ vial: quietVial, start: { od: 0.3, volumeMl: 14, reservoirMl: 500 }, oversampling });
  await unit.run('stirring', { options: { target_rpm: 500 } });
  await unit.run('temperature_automation', { options: { automation_name: 'thermostat', target_temperature: 37 } });
  await unit.run('od_reading');
  await unit.pass(30);
  return unit;
}
type UnitAtWork = Awaited<ReturnType<typeof unitAtWork>>;

const states = ({ runtime }: UnitAtWork) =>
  Object.fromEntries(runtime.running().map(({ origin, state }) => [origin.jobName, state.kind]));
const allReady = { stirring: 'ready', temperature_automation: 'ready', od_reading: 'ready' };

/** How many readings of each job came while `seconds` passed. */
async function readingsDuring(unit: UnitAtWork, seconds: number) {
  const before = unit.recorded.readings.length;
  await unit.pass(seconds);
  const count = (job: string) => unit.recorded.readings.slice(before).filter(({ jobName }) => jobName === job).length;
  return { od: count('od_reading'), stirring: count('stirring'), temperature: count('temperature_automation') };
}

/** Lets time pass until the heater is on, at most ten minutes: it rests while the liquid is measured. */
async function heats(unit: UnitAtWork): Promise<boolean> {
  for (let tried = 0; tried < 120; tried += 1) {
    await unit.pass(5);
    if (unit.board.levels.pwm[5] > 0) return true;
  }
  return false;
}

const errors = ({ recorded }: UnitAtWork) => recorded.logs.filter((line) => line.startsWith('ERROR'));

describe('a fault on the bus', () => {
  it.each([
    ['the reference is absent', reference, absent],
    ['the signal’s converter is absent', signal, absent],
    ['the signal’s converter gives too little', signal, short],
    ['the LED driver is absent', ledDriver, absent],
  ])(
    '%s: od_reading logs it and retries; the other jobs continue; everything works afterwards',
    async (_what, device, fault) => {
      await using unit = await unitAtWork();
      unit.faults.set(device, fault);
      await unit.pass(10);
      const during = await readingsDuring(unit, 240);
      expect(during.od).toBe(0);
      expect(during.stirring).toBeGreaterThanOrEqual(9);
      expect(during.temperature).toBeGreaterThanOrEqual(1);
      expect(states(unit)).toEqual(allReady);
      expect(errors(unit).some((line) => line.includes(device) || line.includes('output_failed'))).toBe(true);
      unit.faults.clear(device);
      await unit.pass(20);
      expect((await readingsDuring(unit, 60)).od).toBeGreaterThanOrEqual(10);
    },
  );

  it.each([
    ['is absent', absent],
    ['gives too little', short],
  ])(
    'the heater’s sensor %s while it heats: the heater is off within 31 s, and the other jobs continue',
    async (_what, fault) => {
      await using unit = await unitAtWork();
      expect(await heats(unit)).toBe(true);
      unit.faults.set(heaterBoard, fault);
      await unit.pass(31);
      expect(unit.board.levels.pwm[5]).toBe(0);
      const during = await readingsDuring(unit, 240);
      expect(during.od).toBeGreaterThanOrEqual(40);
      expect(during.stirring).toBeGreaterThanOrEqual(9);
      expect(errors(unit).some((line) => line.includes(heaterBoard))).toBe(true);
      expect(states(unit)).toEqual(allReady);
      unit.faults.clear(heaterBoard);
      expect(await heats(unit)).toBe(true);
    },
  );

  it('the heater’s sensor answers anything at all: the heater is off at the first value that is too hot to be believed', async () => {
    await using unit = await unitAtWork();
    expect(await heats(unit)).toBe(true);
    unit.faults.set(heaterBoard, noise());
    await unit.pass(60);
    expect(unit.board.levels.pwm[5]).toBe(0);
    expect(unit.plant.boardCelsius(unit.clock.monotonic())).toBeLessThan(60);
    expect((await readingsDuring(unit, 60)).od).toBeGreaterThanOrEqual(10);
  });

  it.each([
    ['stuck at nothing', { ...stuck(0), ...conversions }, 'ready'],
    ['stuck at all', { ...stuck(0x7f, 0xff), ...conversions }, undefined],
    ['at anything', { ...noise(), ...conversions }, 'ready'],
    ['at anything, in its settings too', noise(), 'ready'],
  ])(
    'the signal’s converter is %s: stirring and heating continue, independent of od_reading',
    async (_what, fault, odReading) => {
      await using unit = await unitAtWork();
      unit.faults.set(signal, fault);
      const during = await readingsDuring(unit, 240);
      expect(during.stirring).toBeGreaterThanOrEqual(9);
      expect(during.temperature).toBeGreaterThanOrEqual(1);
      expect(states(unit)).toMatchObject({ stirring: 'ready', temperature_automation: 'ready' });
      expect(states(unit).od_reading).toBe(odReading);
      const values = unit.recorded.values('od');
      expect(values.every(Number.isFinite)).toBe(true);
    },
  );

  it('the signal’s converter is stuck at nothing: readings are marked from the second one on', async () => {
    await using unit = await unitAtWork();
    const before = unit.recorded.of('od').length;
    unit.faults.set(signal, { ...stuck(0), ...conversions });
    await unit.pass(240);
    const ods = unit.recorded.of('od').slice(before + 1);
    expect(ods.length).toBeGreaterThan(40);
    expect(ods.every(({ flags = [] }) => flags.includes('vial_out'))).toBe(true);
  });

  it('the signal’s converter is stuck at all: every reading is marked, and od_reading ends within 40 s', async () => {
    await using unit = await unitAtWork();
    const before = unit.recorded.of('od').length;
    unit.faults.set(signal, { ...stuck(0x7f, 0xff), ...conversions });
    await unit.pass(40);
    const ods = unit.recorded.of('od').slice(before);
    expect(ods.length).toBeGreaterThan(0);
    expect(ods.every(({ flags = [] }) => flags.includes('saturated'))).toBe(true);
    expect(states(unit).od_reading).toBeUndefined();
    expect(errors(unit).join()).toContain('more than its input bears');
    expect(unit.board.levels.led.A).toBe(0);
  });

  it('the reference is stuck at zero: readings are flagged, and within 30 s no OD is published', async () => {
    await using unit = await unitAtWork();
    const before = unit.recorded.of('od').length;
    unit.faults.set(reference, { ...stuck(0), ...conversions });
    await unit.pass(30);
    const marked = unit.recorded.of('od').slice(before);
    expect(marked.every(({ flags = [] }) => flags.includes('led_failing'))).toBe(true);
    await unit.pass(120);
    expect(unit.recorded.of('od').slice(before + marked.length)).toEqual([]);
    expect(errors(unit).length).toBeGreaterThan(0);
    expect(states(unit)).toEqual(allReady);
  });

  it.each([
    ['stuck at one value', { ...stuck(0x10, 0x00), ...conversions }],
    ['at anything', { ...noise(), ...conversions }],
  ])('the reference is %s: every OD is a number, and stirring and heating continue', async (_what, fault) => {
    await using unit = await unitAtWork();
    const before = unit.recorded.values('od').length;
    unit.faults.set(reference, fault);
    const during = await readingsDuring(unit, 240);
    expect(during.stirring).toBeGreaterThanOrEqual(9);
    expect(during.temperature).toBeGreaterThanOrEqual(1);
    expect(states(unit)).toMatchObject({ stirring: 'ready', temperature_automation: 'ready' });
    const ods = unit.recorded.of('od').slice(before);
    expect(ods.every(({ value }) => Number.isFinite(value))).toBe(true);
    // A light that seems to change is told: with each reading, or as one that could not be made.
    const flagged = ods.filter(({ flags = [] }) => flags.length > 0).length;
    expect(flagged + errors(unit).length).toBeGreaterThan(0);
  });

  it.each([
    ['slot_by_slot', 'the converters'],
    ['closed_form', 'the converters'],
    ['slot_by_slot', 'all chips'],
  ] as const)(
    '%s: %s lose power for a moment: one reading fails, is logged once, and the next is right',
    async (oversampling, chips) => {
      await using unit = await unitAtWork(oversampling);
      const before = unit.recorded.of('od').slice(-4);
      const since = unit.recorded.of('od').length;
      unit.board.i2c.powerCut(chips === 'the converters' ? [0x48, 0x49] : undefined);
      await unit.pass(60);
      expect(errors(unit)).toHaveLength(1);
      const after = unit.recorded.of('od').slice(since);
      expect(after).toHaveLength(11);
      expect(after.flatMap(({ flags = [] }) => flags)).toEqual([]);
      for (const { value } of after) expect(value / (before[0]?.value ?? 0)).toBeCloseTo(1, 1);
      expect(states(unit)).toEqual(allReady);
    },
  );

  it('the line of the stirrer’s sensor is unavailable: stirring continues at its duty and logs it, and the other jobs continue', async () => {
    await using unit = await unitAtWork();
    await unit.pass(60);
    const duty = unit.board.levels.pwm[1];
    unit.faults.set(stirrerLine, absent);
    const during = await readingsDuring(unit, 120);
    expect(during.od).toBeGreaterThanOrEqual(20);
    expect(states(unit)).toMatchObject({ od_reading: 'ready', temperature_automation: 'ready' });
    expect(errors(unit).some((line) => line.includes(stirrerLine))).toBe(true);
    expect(unit.board.levels.pwm[1]).toBeGreaterThan(duty / 2);
  });

  it('the stirrer’s output fails: the other jobs continue', async () => {
    await using unit = await unitAtWork();
    unit.faults.set('pwm 1', absent);
    const during = await readingsDuring(unit, 240);
    expect(during.od).toBeGreaterThanOrEqual(40);
    expect(states(unit)).toMatchObject({ od_reading: 'ready', temperature_automation: 'ready' });
  });

  it.each([1, 5, 50, 500])(
    'a burst of %i disturbed transactions ends no job, and readings come again',
    async (transactions) => {
      await using unit = await unitAtWork();
      unit.faults.set('i2c', burst(transactions));
      await unit.pass(60);
      unit.faults.clear('i2c');
      await unit.pass(30);
      expect(states(unit)).toEqual(allReady);
      const after = await readingsDuring(unit, 240);
      expect(after.od).toBeGreaterThanOrEqual(40);
      expect(after.temperature).toBeGreaterThanOrEqual(1);
    },
  );

  it('all of I2C fails: heater and LEDs are off, stirring continues, and everything recovers', async () => {
    await using unit = await unitAtWork();
    expect(await heats(unit)).toBe(true);
    unit.faults.set('i2c', absent);
    await unit.pass(31);
    expect(unit.board.levels.pwm[5]).toBe(0);
    const during = await readingsDuring(unit, 120);
    expect([during.od, during.temperature]).toEqual([0, 0]);
    expect(during.stirring).toBeGreaterThanOrEqual(4);
    expect(states(unit)).toEqual(allReady);
    unit.faults.clear('i2c');
    await unit.pass(60);
    expect((await readingsDuring(unit, 60)).od).toBeGreaterThanOrEqual(10);
  });
});
