import { VirtualClock } from '@lcs/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import { allOff, board12 } from '../board-layout.ts';
import { BusError, busHangs } from '../buses/bus-error.ts';
import { SimulatedBoard } from '../simulated/simulated-board.ts';
import { SteadyPlant } from '../simulated/steady-plant.ts';
import { Actuators, GuardRefused } from './actuators.ts';
import { Guard } from './guard.ts';
import { defaultWiring, type GuardLimits, type GuardNotice, type GuardRequest } from './guard-types.ts';
import { makeSafe, makeSafeWithin } from './make-safe.ts';

const pump = { maxRunMs: 60_000, maxRunMl: 10, maxHourMs: 60_000, maxHourMl: 10, mlPerSecondAtFull: 0.1 };
const limits: GuardLimits = {
  heat: { reduceCelsius: 78, disableCelsius: 80, shutdownCelsius: 85 },
  pumps: { 2: pump },
};

describe('a guard beside its node', () => {
  let clock: VirtualClock;
  let board: SimulatedBoard;
  let guard: Guard;
  let actuators: Actuators;
  let notices: GuardNotice[];

  beforeEach(async () => {
    clock = new VirtualClock();
    board = new SimulatedBoard({ layout: board12, plant: new SteadyPlant(), clock, seed: 1 });
    notices = [];
    guard = new Guard({
      buses: board,
      layout: board12,
      wiring: defaultWiring,
      clock,
      watch: undefined,
      notify: (notice) => notices.push(notice),
    });
    actuators = new Actuators({ guard, wire: undefined });
  });

  const startAll = async () => {
    await guard.start();
    await actuators.start();
    await actuators.setLimits(limits);
  };

  it('begins by switching off what was left on', async () => {
    for (const channel of [1, 2, 5]) {
      await board.pwm.exportChannel(channel);
      await board.pwm.setPeriod(channel, 1000);
      await board.pwm.setDuty(channel, 700);
      await board.pwm.setEnabled(channel, true);
    }
    await board.i2c.writeRegister(board12.ledDriver.address, 2, Uint8Array.of(255));
    await guard.start();
    expect(board.levels).toEqual(allOff);
  });

  it('starts without an LED driver, switches the other outputs off, and drives it when it is there', async () => {
    await board.pwm.exportChannel(5);
    await board.pwm.setPeriod(5, 1000);
    await board.pwm.setDuty(5, 700);
    await board.pwm.setEnabled(5, true);
    board.i2c.silence(board12.ledDriver.address);
    await startAll();
    expect(board.levels.pwm[5]).toBe(0);
    expect(notices.filter(({ what }) => what === 'output_failed')).toHaveLength(4);
    expect([guard.isSafe, guard.onlyAbsentLeft]).toEqual([false, true]);
    const lease = await actuators.acquire(1, ['ledA', 'pwm1']);
    await expect(lease.set('ledA', 20)).rejects.toMatchObject({ code: 'output_failed' });
    await lease.set('pwm1', 20);
    expect(board.levels.pwm[1]).toBe(20);
    board.i2c.restore(board12.ledDriver.address);
    await lease.set('ledA', 20);
    expect(board.levels.led.A).toBeCloseTo(20, 0);
  });

  it('continues switching, off above all, after a driver has failed unexpectedly', async () => {
    await startAll();
    const lease = await actuators.acquire(1, ['pwm1', 'pwm2', 'ledA']);
    await lease.set('pwm1', 40);
    const setDuty = board.pwm.setDuty.bind(board.pwm);
    board.pwm.setDuty = (channel, dutyNs) =>
      channel === 2 ? Promise.reject(new TypeError('no such thing')) : setDuty(channel, dutyNs);
    await expect(lease.set('pwm2', 50, 1000)).rejects.toMatchObject({ code: 'output_failed' });
    const reason = 'TypeError: no such thing';
    expect(notices).toContainEqual({ what: 'output_failed', output: 'pwm2', reason });
    await lease.set('ledA', 20);
    expect(board.levels.led.A).toBeCloseTo(20, 0);
    await actuators.stopUpTo(1);
    expect([board.levels.pwm[1], board.levels.led.A]).toEqual([0, 0]);
    board.pwm.setDuty = setDuty;
    await clock.advance(200);
    expect(guard.isSafe).toBe(true);
  });

  it('starts, and switches the others off, when one output fails unexpectedly', async () => {
    await board.i2c.writeRegister(board12.ledDriver.address, 2, Uint8Array.of(255));
    const exportChannel = board.pwm.exportChannel.bind(board.pwm);
    board.pwm.exportChannel = (channel) =>
      channel === 1 ? Promise.reject(new TypeError('no such thing')) : exportChannel(channel);
    await guard.start();
    expect(board.levels).toEqual(allOff);
    expect(notices).toEqual([{ what: 'output_failed', output: 'pwm1', reason: 'TypeError: no such thing' }]);
    expect(await makeSafe(board, board12)).toEqual([{ output: 'pwm1', reason: 'TypeError: no such thing' }]);
  });

  it('retries a missing output every five seconds, and then has it off', async () => {
    board.i2c.silence(board12.ledDriver.address);
    await startAll();
    await clock.advance(10_000);
    const buses = board.i2c;
    let writes = 0;
    const write = buses.writeRegister.bind(buses);
    buses.writeRegister = (...args) => {
      writes += 1;
      return write(...args);
    };
    await clock.advance(20_500);
    expect(writes).toBe(16);
    board.i2c.restore(board12.ledDriver.address);
    await clock.advance(5000);
    // Each of the four is opened and set.
    expect([guard.isSafe, writes]).toEqual([true, 24]);
    expect(notices.filter(({ what }) => what === 'output_failed')).toHaveLength(4);
  });

  it('ends a pump after its time, to the millisecond', async () => {
    await startAll();
    const lease = await actuators.acquire(1, ['pwm2']);
    await lease.set('pwm2', 100, 1234);
    await clock.advance(1233);
    expect(board.levels.pwm[2]).toBe(100);
    await clock.advance(1);
    expect(board.levels.pwm[2]).toBe(0);
    expect(notices).toContainEqual({ what: 'ended', output: 'pwm2', ranMs: 1234 });
  });

  it('holds a level for days without anything to do, when it is not heating', async () => {
    await startAll();
    const lease = await actuators.acquire(1, ['pwm1']);
    await lease.set('pwm1', 30);
    await clock.advance(10 * 86_400_000);
    expect(board.levels.pwm[1]).toBe(30);
  });

  it('switches the heater off within 31 s when the sensor does not answer', async () => {
    await startAll();
    const lease = await actuators.acquire(1, ['pwm5']);
    await lease.set('pwm5', 50);
    await clock.advance(60_000);
    expect(board.levels.pwm[5]).toBe(50);
    board.i2c.silence(board12.temperatureAddress);
    await clock.advance(29_000);
    expect(board.levels.pwm[5]).toBe(50);
    await clock.advance(2000);
    expect(board.levels.pwm[5]).toBe(0);
    expect(notices).toContainEqual(expect.objectContaining({ what: 'limit', limit: 'no_temperature' }));
    await expect(lease.set('pwm5', 50)).rejects.toMatchObject({ code: 'no_temperature' });
  });

  it('reads the temperature in time while pumps end, as rarely as in a rehearsal', async () => {
    clock = new VirtualClock({ turns: 'microtasks', batchesTimers: true });
    board = new SimulatedBoard({ layout: board12, plant: new SteadyPlant(), clock, seed: 1 });
    const [buses, layout, wiring] = [board, board12, defaultWiring];
    const notify = (notice: GuardNotice) => void notices.push(notice);
    guard = new Guard({ buses, layout, wiring, clock, watch: undefined, heatCheckMs: 20_000, notify });
    actuators = new Actuators({ guard, wire: undefined });
    await startAll();
    const lease = await actuators.acquire(1, ['pwm2', 'pwm5']);
    await lease.set('pwm5', 50);
    // Ends just before the temperature is due: it is not old enough to be read then.
    await lease.set('pwm2', 100, 18_900);
    await clock.advance(120_000);
    expect(board.levels.pwm).toMatchObject({ 2: 0, 5: 50 });
    expect(notices.map(({ what }) => what)).toEqual(['ended']);
  });

  it('cuts a heater that grows too hot', async () => {
    await startAll();
    const lease = await actuators.acquire(1, ['pwm5']);
    // At 100 % the plant is at 75 degrees.
    await actuators.setLimits({ ...limits, heat: { reduceCelsius: 60, disableCelsius: 70, shutdownCelsius: 85 } });
    await lease.set('pwm5', 100);
    await clock.advance(1500);
    expect(board.levels.pwm[5]).toBe(0);
    expect(notices).toContainEqual(expect.objectContaining({ what: 'limit', limit: 'disable' }));
  });

  /** From now on the sensor of the heater's board returns these temperatures, °C, then the last of them. */
  const sensorReturns = (...celsius: readonly number[]) => {
    const { i2c } = board;
    const { readRegister } = i2c;
    let reads = 0;
    Object.assign(i2c, {
      readRegister: (...request: Parameters<typeof readRegister>) => {
        if (request[0] !== board12.temperatureAddress) return readRegister.apply(i2c, request);
        const word = 16 * ((celsius[Math.min(reads, celsius.length - 1)] ?? 0) / 0.0625);
        reads += 1;
        return Promise.resolve(Uint8Array.of((word >> 8) & 255, word & 255));
      },
    });
  };
  const shutdowns = () => notices.filter((notice) => notice.what === 'limit' && notice.limit === 'shutdown');

  it('switches a heater off for one disturbed reading, and has it on again a moment later', async () => {
    await startAll();
    const lease = await actuators.acquire(1, ['pwm5']);
    await lease.set('pwm5', 50);
    sensorReturns(110, 30);
    await clock.advance(1000);
    expect(board.levels.pwm[5]).toBe(0);
    await clock.advance(250);
    expect(board.levels.pwm[5]).toBe(50);
    await clock.advance(60_000);
    expect(board.levels.pwm[5]).toBe(50);
    const overridden = { what: 'overridden', output: 'pwm5', requested: 50 };
    expect(notices).toEqual([
      { ...overridden, percent: 0 },
      { ...overridden, percent: 50 },
    ]);
  });

  it('reads three times within a second before it treats a board as far too hot, then refuses until a newer job', async () => {
    await startAll();
    const lease = await actuators.acquire(1, ['pwm5']);
    await lease.set('pwm5', 50);
    sensorReturns(90, 90, 89, 30);
    await clock.advance(1000);
    expect([board.levels.pwm[5], shutdowns()]).toEqual([0, []]);
    await clock.advance(500);
    expect(shutdowns()).toHaveLength(1);
    await clock.advance(60_000);
    await expect(lease.set('pwm5', 50)).rejects.toMatchObject({ code: 'shut_down' });
    await lease.release();
    const newer = await actuators.acquire(2, ['pwm5']);
    await newer.set('pwm5', 50);
    expect(board.levels.pwm[5]).toBe(50);
  });

  it('retries to switch off an output that fails, and reports it once', async () => {
    await startAll();
    const lease = await actuators.acquire(1, ['ledA']);
    await lease.set('ledA', 80);
    board.i2c.silence(board12.ledDriver.address);
    await actuators.stopUpTo(1);
    await clock.advance(5000);
    expect(board.levels.led.A).toBe(80);
    expect(guard.isSafe).toBe(false);
    board.i2c.restore(board12.ledDriver.address);
    await clock.advance(200);
    expect(board.levels.led.A).toBe(0);
    expect(guard.isSafe).toBe(true);
    expect(notices.filter(({ what }) => what === 'output_failed')).toHaveLength(1);
  });

  it('does not confirm a level that the chip did not take', async () => {
    await startAll();
    const lease = await actuators.acquire(1, ['ledA']);
    board.i2c.silence(board12.ledDriver.address);
    await expect(lease.set('ledA', 80)).rejects.toMatchObject({ code: 'output_failed' });
  });

  it('refuses after a stop what was begun before it', async () => {
    await startAll();
    const lease = await actuators.acquire(3, ['pwm1']);
    await lease.set('pwm1', 50);
    await actuators.stopUpTo(3);
    expect(board.levels).toEqual(allOff);
    await expect(lease.set('pwm1', 50)).rejects.toThrow(GuardRefused);
    await expect(actuators.acquire(2, ['pwm1'])).rejects.toMatchObject({ code: 'stopped' });
    const newer = await actuators.acquire(4, ['pwm1']);
    await newer.set('pwm1', 20);
    expect(board.levels.pwm[1]).toBe(20);
  });

  it('drives outputs as they are wired from now on, at their frequency', async () => {
    await startAll();
    const held = await actuators.acquire(1, ['pwm1']);
    await held.set('pwm1', 30);
    await actuators.setWiring({ 1: { use: 'heater', hertz: 16 }, 5: { use: 'stirrer', hertz: 200 } });
    expect(board.levels.pwm[1]).toBe(30);
    await expect(actuators.acquire(2, ['pwm5'])).rejects.toMatchObject({ code: 'wiring_changes' });
    await held.release();
    const lease = await actuators.acquire(2, ['pwm1', 'pwm5']);
    await lease.set('pwm1', 25);
    await lease.set('pwm5', 60);
    expect([board.levels.pwm[1], board.levels.pwm[5]]).toEqual([25, 60]);
    // At 100 % the plant is at 75 degrees: it is the heater that is cut.
    await actuators.setLimits({ ...limits, heat: { reduceCelsius: 20, disableCelsius: 21, shutdownCelsius: 85 } });
    await clock.advance(1500);
    expect([board.levels.pwm[1], board.levels.pwm[5]]).toEqual([0, 60]);
  });

  it('sends a new guard the wiring before anything else', async () => {
    const requests: string[] = [];
    const link = {
      request: async ({ kind }: GuardRequest) => {
        requests.push(kind);
        return { ok: true } as const;
      },
    };
    const actuators = new Actuators({ guard: link, wire: undefined });
    await actuators.setWiring(defaultWiring);
    await actuators.setLimits(limits);
    await actuators.stopUpTo(3, ['pwm1']);
    requests.length = 0;
    await actuators.take({ what: 'guard_ready' });
    expect(requests).toEqual(['wiring', 'stop', 'limits']);
  });

  it('sends a new guard the earlier runs, each with its duration', async () => {
    const requests: GuardRequest[] = [];
    const link = {
      request: async (request: GuardRequest) => {
        requests.push(request);
        return { ok: true } as const;
      },
    };
    const actuators = new Actuators({ guard: link, wire: clock });
    await actuators.recall([{ output: 'pwm4', percent: 50, ranMs: 2000, endedAgoMs: 60_000 }]);
    const lease = await actuators.acquire(1, ['pwm2', 'pwm3']);
    await lease.set('pwm2', 100, 5000);
    await clock.advance(1000);
    await lease.set('pwm2', 0);
    await lease.set('pwm3', 100, 500);
    await clock.advance(10_000);
    requests.length = 0;
    await actuators.take({ what: 'guard_ready' });
    expect(requests.find(({ kind }) => kind === 'past_runs')).toEqual({
      kind: 'past_runs',
      runs: [
        { output: 'pwm4', percent: 50, ranMs: 2000, endedAgoMs: 71_000 },
        { output: 'pwm2', percent: 100, ranMs: 1000, endedAgoMs: 10_000 },
        { output: 'pwm3', percent: 100, ranMs: 500, endedAgoMs: 9500 },
      ],
    });
  });

  it('leaves everything off when it is stopped', async () => {
    await startAll();
    const lease = await actuators.acquire(1, ['pwm1', 'pwm5']);
    await lease.set('pwm1', 50);
    await lease.set('pwm5', 50);
    await guard.stop();
    expect(board.levels).toEqual(allOff);
  });

  it('writes LEDs again each two seconds: a chip that lost power, and answers, has them back', async () => {
    guard = new Guard({
      buses: board,
      layout: board12,
      wiring: defaultWiring,
      clock,
      watch: { leaseMs: 5000, stallMs: 800 },
      notify: (notice) => notices.push(notice),
    });
    actuators = new Actuators({ guard, wire: clock });
    await startAll();
    const lease = await actuators.acquire(1, ['ledB']);
    await lease.set('ledB', 40);
    await clock.advance(9000);
    board.i2c.powerCut();
    expect(board.levels.led.B).toBe(0);
    board.i2c.silence(board12.ledDriver.address);
    await clock.advance(100_000);
    expect(notices.filter(({ what }) => what === 'output_failed')).toHaveLength(1);
    board.i2c.restore(board12.ledDriver.address);
    await clock.advance(200);
    expect(board.levels.led.B).toBeCloseTo(40, 0);
    board.i2c.powerCut();
    await clock.advance(2000);
    expect(board.levels.led.B).toBeCloseTo(40, 0);
    await actuators.stop();
  });

  it.each(['LEDs', 'the temperature sensor'])('ends pumps to the millisecond while I2C hangs in %s', async (what) => {
    await startAll();
    const lease = await actuators.acquire(1, ['ledA', 'pwm1', 'pwm2', 'pwm5']);
    await lease.set('pwm1', 30);
    await lease.set('pwm5', 20);
    await lease.set('pwm2', 100, 500);
    const hangs = () => clock.sleep(1000).then(() => Promise.reject(new BusError('i2c', 'transfer', busHangs)));
    if (what === 'LEDs') board.i2c.writeRegister = hangs;
    else board.i2c.readRegister = hangs;
    const light = lease.set('ledA', 50);
    light.catch(() => {});
    if (what !== 'LEDs') await clock.advance(400);
    await clock.advance(what === 'LEDs' ? 499 : 99);
    expect(board.levels.pwm[2]).toBe(100);
    await clock.advance(1);
    expect(board.levels.pwm[2]).toBe(0);
    // Other commands to PWM do not wait either.
    await lease.set('pwm1', 40);
    expect(board.levels.pwm[1]).toBe(40);
    const stop = actuators.stopUpTo(1);
    await clock.advance(0);
    expect(board.levels.pwm).toEqual(allOff.pwm);
    await clock.advance(10_000);
    await stop;
  });

  it('is made safe without waiting for I2C', async () => {
    await startAll();
    const lease = await actuators.acquire(1, ['pwm1', 'pwm2']);
    await lease.set('pwm1', 30);
    await lease.set('pwm2', 100, 60_000);
    board.i2c.writeRegister = () =>
      clock.sleep(1000).then(() => Promise.reject(new BusError('i2c', 'transfer', busHangs)));
    const safe = makeSafe(board, board12);
    await clock.advance(0);
    expect(board.levels.pwm).toEqual(allOff.pwm);
    await clock.advance(10_000);
    expect(await safe).toHaveLength(4);
  });

  it('is made safe again until every output is off, within a time', async () => {
    await startAll();
    const lease = await actuators.acquire(1, ['pwm2']);
    await lease.set('pwm2', 100, 60_000);
    const { setDuty } = board.pwm;
    board.pwm.setDuty = async () => Promise.reject(new BusError('pwm', 'write', 'made up'));
    const { setEnabled } = board.pwm;
    board.pwm.setEnabled = async () => Promise.reject(new BusError('pwm', 'write', 'made up'));
    const never = makeSafeWithin(2000, clock, board, board12);
    await clock.advance(2400);
    expect((await never).length).toBeGreaterThan(0);
    const safe = makeSafeWithin(2000, clock, board, board12);
    await clock.advance(500);
    expect(board.levels.pwm[2]).toBe(100);
    Object.assign(board.pwm, { setDuty, setEnabled });
    await clock.advance(500);
    expect(await safe).toEqual([]);
    expect(board.levels.pwm[2]).toBe(0);
  });

  it('has one reading of the temperature under way, however long it hangs', async () => {
    await startAll();
    const lease = await actuators.acquire(1, ['pwm5']);
    await lease.set('pwm5', 20);
    const { readRegister } = board.i2c;
    const { promise: hang, resolve: answer } = Promise.withResolvers<void>();
    let calls = 0;
    board.i2c.readRegister = async (...read) => {
      calls += 1;
      await hang;
      return readRegister.apply(board.i2c, read);
    };
    await clock.advance(5000);
    const renewed = lease.set('pwm5', 30);
    await clock.advance(5000);
    expect(calls).toBe(1);
    answer();
    await renewed;
    expect(board.levels.pwm[5]).toBe(30);
    await clock.advance(2000);
    expect(calls).toBeGreaterThan(1);
  });

  it('treats any failure of the temperature sensor as no reading, reports it once, and goes on', async () => {
    await startAll();
    const lease = await actuators.acquire(1, ['pwm2', 'pwm5']);
    await lease.set('pwm5', 20);
    const { readRegister } = board.i2c;
    board.i2c.readRegister = () => Promise.reject(new TypeError('no such thing'));
    await lease.set('pwm2', 100, 5000);
    await clock.advance(5000);
    expect(board.levels.pwm).toMatchObject({ 2: 0, 5: 20 });
    await clock.advance(30_000);
    expect(board.levels.pwm[5]).toBe(0);
    expect(notices.filter(({ what }) => what === 'output_failed')).toHaveLength(1);
    board.i2c.readRegister = readRegister;
    await lease.set('pwm5', 20);
    expect(board.levels.pwm[5]).toBe(20);
  });

  it('drives what it has decided when its listener throws, and says so', async () => {
    const unexpected: unknown[] = [];
    guard = new Guard({
      buses: board,
      layout: board12,
      wiring: defaultWiring,
      clock,
      watch: undefined,
      notify: () => {
        throw new TypeError('no such listener');
      },
      onUnexpected: (error) => unexpected.push(error),
    });
    actuators = new Actuators({ guard, wire: undefined });
    await startAll();
    const lease = await actuators.acquire(1, ['pwm1', 'pwm2']);
    await lease.set('pwm2', 100, 500);
    await clock.advance(500);
    expect(board.levels.pwm[2]).toBe(0);
    await lease.set('pwm2', 100, 300);
    await lease.set('pwm1', 30);
    await clock.advance(300);
    expect(board.levels.pwm).toMatchObject({ 1: 30, 2: 0 });
    expect(unexpected).toHaveLength(2);
  });

  it('continues after a driver that throws at once, without a promise', async () => {
    await startAll();
    const lease = await actuators.acquire(1, ['pwm1', 'pwm2']);
    const { setDuty } = board.pwm;
    board.pwm.setDuty = () => {
      throw new TypeError('no such thing');
    };
    await expect(lease.set('pwm1', 30)).rejects.toMatchObject({ code: 'output_failed' });
    board.pwm.setDuty = setDuty;
    await clock.advance(100);
    await lease.set('pwm2', 100, 500);
    await clock.advance(500);
    expect([board.levels.pwm[2], guard.isSafe]).toEqual([0, true]);
  });
});
