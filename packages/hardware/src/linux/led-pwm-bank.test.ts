import { VirtualClock } from '@lcs/platform';
import { describe, expect, it, vi } from 'vitest';
import { board12 } from '../board-layout.ts';
import { PwmOutput } from '../chips/pwm-output.ts';
import { Guard } from '../guard/guard.ts';
import { leaseMs, stallMs } from '../guard/guard-message.ts';
import { defaultWiring, type GuardNotice } from '../guard/guard-types.ts';
import { makeSafe } from '../guard/make-safe.ts';
import { FakeSysfs } from '../testing/test-kernel.ts';
import { FakeLeds, type FakeLedsOptions } from '../testing/test-leds.ts';
import type { KernelFiles } from './kernel-files.ts';
import { heldMs, LedPwmBank, ledFolder, rewriteEveryMs } from './led-pwm-bank.ts';
import { LinuxPwm } from './linux-pwm.ts';
import { findOutputDrives } from './output-drives.ts';
import { raspberryPi4 } from './raspberry-pi.transcript.ts';

const channels = [1, 2, 3, 4, 5] as const;
const heater = `${ledFolder(5)}/`;

/** Waits for work that the clock must move on. */
const on = async <T>(clock: VirtualClock, work: Promise<T>): Promise<T> => {
  let isDone = false;
  const whenDone = () => {
    isDone = true;
  };
  void work.then(whenDone, whenDone);
  await clock.advanceUntil(() => isDone, 60_000);
  return work;
};

/** @param writeMs the process is held up for so long after each write */
const kernel = (options: Partial<FakeLedsOptions> = {}, writeMs = 0) => {
  const clock = new VirtualClock();
  const leds = new FakeLeds({ clock, channels, ...options });
  const files: KernelFiles = {
    list: (folder) => leds.list(folder),
    read: (file) => leds.read(file),
    write: async (file, text) => {
      await leds.write(file, text);
      if (writeMs > 0) await clock.sleep(writeMs);
    },
  };
  const bank = new LedPwmBank({ files, wire: clock });
  const output = new PwmOutput(bank, 5, 16);
  return { clock, leds, bank, output, open: () => on(clock, output.open()) };
};

describe('a PWM output as an LED of the kernel', () => {
  it('has its level in steps of 0.01 %, and goes off by itself', async () => {
    const { clock, leds, output, open } = kernel();
    await open();
    await on(clock, output.set(12.34));
    const [onAt] = leds.changes;
    expect(onAt).toMatchObject({ channel: 5, brightness: 1234 });
    await clock.advance(2000);
    const offMs = (leds.changes[1]?.atMs ?? 0) - (onAt?.atMs ?? 0);
    expect(leds.changes.map(({ brightness }) => brightness)).toEqual([1234, 0]);
    expect(offMs).toBeGreaterThanOrEqual(heldMs);
    expect(offMs).toBeLessThan(2000);
  });

  it.each([0, 10])(
    'stays without a gap while it is written again, and is on again after it ran out (%d ms)',
    async (writeMs) => {
      const { clock, leds, output, open } = kernel({}, writeMs);
      await open();
      for (let written = 0; written < 20; written += 1) {
        await on(clock, output.set(40));
        await clock.advance(rewriteEveryMs);
      }
      expect(leds.changes.map(({ brightness }) => brightness)).toEqual([4000]);
      await clock.advance(10_000);
      await on(clock, output.set(60));
      // Never the old level for a moment: the pattern that ran out is not begun again.
      expect(leds.changes.map(({ brightness }) => brightness)).toEqual([4000, 0, 6000]);
    },
  );

  it('goes off with one write, and stays off', async () => {
    const { clock, leds, output, open } = kernel();
    await open();
    await on(clock, output.set(100));
    await on(clock, output.set(0));
    await clock.advance(10_000);
    expect(leds.changes.map(({ brightness }) => brightness)).toEqual([10_000, 0]);
  });

  it('takes over a level that a killed guard has left', async () => {
    const { clock, leds, output, open } = kernel();
    await leds.write(`${heater}pattern`, '5000 600000 5000 0\n');
    await clock.advance(100);
    expect(leds.brightness(5)).toBe(5000);
    await open();
    expect(leds.brightness(5)).toBe(0);
    await on(clock, output.set(1));
    await clock.advance(2000);
    expect(leds.brightness(5)).toBe(0);
  });

  it('activates the trigger where the kernel has not, and waits for its files', async () => {
    const { clock, leds, output, open } = kernel({ trigger: 'loaded', deniedAttempts: 3 });
    await open();
    await on(clock, output.set(50));
    expect(leds.brightness(5)).toBe(5000);
    await clock.advance(2000);
    expect(leds.brightness(5)).toBe(0);
  });

  it('has no level before its pattern is bounded', async () => {
    const { clock, leds, output, open } = kernel();
    await open();
    await leds.write(`${heater}brightness`, '0');
    leds.failures.set(`${heater}repeat`, 'EACCES');
    // The first attempt activates the trigger, the second one finds it.
    for (const _ of [1, 2]) await expect(on(clock, output.set(50))).rejects.toMatchObject({ name: 'BusError' });
    await clock.advance(5000);
    expect(leds.changes).toEqual([]);
    leds.failures.clear();
    let isKilled = false;
    vi.spyOn(leds, 'write').mockImplementation(async (file, text) => {
      if (isKilled) return new Promise<void>(() => {});
      isKilled = file === `${heater}pattern`;
      return FakeLeds.prototype.write.call(leds, file, text);
    });
    void output.set(50);
    await clock.advance(10_000);
    expect(leds.changes.map(({ brightness }) => brightness)).toEqual([5000, 0]);
  });

  it('activates it again after another program has switched off by brightness', async () => {
    const { clock, leds, output, open } = kernel();
    await open();
    await leds.write(`${heater}brightness`, '0');
    await on(clock, output.set(50));
    await clock.advance(2000);
    expect(leds.changes.map(({ brightness }) => brightness)).toEqual([5000, 0]);
  });

  it('keeps its level where the kernel has no such trigger, and asks for no rewriting', async () => {
    const { clock, leds, bank, output, open } = kernel({ trigger: 'missing' });
    await open();
    await on(clock, output.set(50));
    await clock.advance(10_000);
    expect([leds.brightness(5), bank.rewriteMs(5)]).toEqual([5000, undefined]);
    await on(clock, output.set(0));
    expect(leds.brightness(5)).toBe(0);
  });

  it('goes off by brightness when its pattern cannot be written', async () => {
    const { clock, leds, output, open } = kernel();
    await open();
    await on(clock, output.set(50));
    leds.failures.set(`${heater}pattern`, 'EBUSY');
    await on(clock, output.set(0));
    expect(leds.brightness(5)).toBe(0);
    await expect(on(clock, output.set(50))).rejects.toMatchObject({ name: 'BusError', device: 'pwm 5' });
  });

  it.each([
    ['a write that arrives in two parts', (leds: FakeLeds) => (leds.isShort = true)],
    ['a kernel that accepts a pattern and does not run it', (leds: FakeLeds) => (leds.isDeaf = true)],
    ['a file that is missing', (leds: FakeLeds) => leds.failures.set(`${heater}repeat`, 'EIO')],
  ])('reports %s', async (_what, spoil) => {
    const { clock, leds, output, open } = kernel();
    await open();
    spoil(leds);
    await expect(on(clock, output.set(30))).rejects.toMatchObject({ device: 'pwm 5', operation: 'set duty' });
  });

  it('refuses another frequency than that of its overlay, and switches off at any', async () => {
    const { clock, leds, output, open } = kernel({ periodsNs: { 5: 4_000_000 } });
    await open();
    await expect(on(clock, output.set(30))).rejects.toThrow(/dtoverlay=lcs-outputs,period5=62500000/);
    await on(clock, output.set(0));
    expect(leds.changes).toEqual([]);
  });

  it('refuses an unexported channel', async () => {
    const { bank } = kernel();
    await expect(bank.setDuty(5, 1)).rejects.toMatchObject({ reason: 'the channel is not exported' });
  });
});

describe('the outputs of a board over this kernel', () => {
  it.each([
    ['active', 'led_with_end'],
    ['loaded', 'led_with_end'],
    ['missing', 'led'],
  ] as const)('are distinguished by what the kernel has: trigger %s', async (trigger, drive) => {
    const { leds } = kernel({ channels: [1, 5], trigger });
    expect(await findOutputDrives(leds)).toEqual({ 1: drive, 2: 'pwm', 3: 'pwm', 4: 'pwm', 5: drive });
  });

  it('are LEDs where the overlay has made one, and PWM channels elsewhere', async () => {
    const clock = new VirtualClock();
    const sysfs = new FakeSysfs({ chips: raspberryPi4 });
    const leds = new FakeLeds({ clock, channels: [5], others: sysfs });
    const pwm = new LinuxPwm({ files: leds, lines: board12.pwmLines, wire: clock });
    for (const channel of [1, 5]) {
      const output = new PwmOutput(pwm, channel, 200);
      await on(clock, output.open());
      await on(clock, output.set(50));
    }
    expect([pwm.rewriteMs(1), pwm.rewriteMs(5)]).toEqual([undefined, rewriteEveryMs]);
    expect(leds.brightness(5)).toBe(5000);
    expect(sysfs.state('class/pwm/pwmchip3/pwm0')?.duty_cycle).toBe(2_500_000);
    await clock.advance(10_000);
    expect([leds.brightness(5), sysfs.state('class/pwm/pwmchip3/pwm0')?.duty_cycle]).toEqual([0, 2_500_000]);
    const silent = { i2c: { readRegister: async () => new Uint8Array(2), writeRegister: async () => {} }, pwm };
    const gpio = {
      watch: async () => {},
      takeEdges: async () => [],
      unwatch: async () => {},
      setOutput: async () => {},
    };
    expect(await on(clock, makeSafe({ ...silent, gpio }, board12))).toEqual([]);
    expect(sysfs.state('class/pwm/pwmchip3/pwm0')?.duty_cycle).toBe(0);
  });

  it('end a run, with the time that it had, when they cannot be written again', async () => {
    const clock = new VirtualClock();
    const leds = new FakeLeds({ clock, channels });
    const pwm = new LinuxPwm({ files: leds, lines: board12.pwmLines, wire: clock });
    const i2c = { readRegister: async () => Uint8Array.of(0x19, 0), writeRegister: async () => {} };
    const gpio = {
      watch: async () => {},
      takeEdges: async () => [],
      unwatch: async () => {},
      setOutput: async () => {},
    };
    const notices: GuardNotice[] = [];
    const guard = new Guard({
      buses: { i2c, pwm, gpio },
      layout: board12,
      wiring: defaultWiring,
      clock,
      watch: { leaseMs: 60_000, stallMs: 60_000 },
      notify: (notice) => notices.push(notice),
    });
    await on(clock, guard.start());
    const pump = { maxRunMs: 60_000, maxRunMl: 9, maxHourMs: 60_000, maxHourMl: 9, mlPerSecondAtFull: 0.1 };
    const limits = { heat: { reduceCelsius: 63, disableCelsius: 65, shutdownCelsius: 66 }, pumps: { 2: pump } };
    await on(clock, guard.request({ kind: 'limits', limits }));
    const command = { lease: 'a', generation: 1 } as const;
    await on(clock, guard.request({ kind: 'acquire', ...command, outputs: ['pwm1', 'pwm2'] }));
    await on(clock, guard.request({ kind: 'set', ...command, output: 'pwm1', percent: 40 }));
    await on(clock, guard.request({ kind: 'set', ...command, output: 'pwm2', percent: 100, forMs: 10_000 }));
    await clock.advance(1000);
    for (const channel of [1, 2]) leds.failures.set(`${ledFolder(channel)}/pattern`, 'EIO');
    await clock.advance(10_000);
    const [onAt, offAt] = leds.changes.filter(({ channel }) => channel === 2).map(({ atMs }) => atMs);
    expect(notices.filter(({ what }) => what !== 'output_failed')).toEqual([
      { what: 'cut', output: 'pwm2', ranMs: expect.any(Number) },
    ]);
    const [cut] = notices.filter((notice) => notice.what === 'cut');
    // The kernel's timer may be 32 ms late.
    expect(Math.abs((cut?.ranMs ?? 0) - ((offAt ?? 0) - (onAt ?? 0)))).toBeLessThan(50);
    expect(notices.filter(({ what }) => what === 'output_failed')).toHaveLength(2);
    // A level without an end has its output again when it can be written.
    leds.failures.clear();
    await clock.advance(200);
    expect([leds.brightness(1), leds.brightness(2)]).toEqual([4000, 0]);
    await on(clock, guard.stop());
  });

  it('are off within 2 s when node and guard die together, at any moment', async () => {
    for (const livesMs of [3000, 3250, 3499]) {
      const clock = new VirtualClock();
      // The clock of the programs stops with them, that of the kernel does not.
      const programs = new VirtualClock();
      const leds = new FakeLeds({ clock, channels });
      const pwm = new LinuxPwm({ files: leds, lines: board12.pwmLines, wire: programs });
      // A sensor at 25 °C that takes every LED.
      const i2c = { readRegister: async () => Uint8Array.of(0x19, 0), writeRegister: async () => {} };
      const gpio = {
        watch: async () => {},
        takeEdges: async () => [],
        unwatch: async () => {},
        setOutput: async () => {},
      };
      const guard = new Guard({
        buses: { i2c, pwm, gpio },
        layout: board12,
        wiring: defaultWiring,
        clock: programs,
        watch: { leaseMs, stallMs },
        notify: () => {},
      });
      const together = async (ms: number) => {
        for (let passed = 0; passed < ms; passed += 1) {
          await clock.advance(1);
          await programs.advance(1);
        }
      };
      const step = async <T>(work: Promise<T>): Promise<T> => {
        let isDone = false;
        const whenDone = () => {
          isDone = true;
        };
        void work.then(whenDone, whenDone);
        while (!isDone) await together(1);
        return work;
      };
      await step(guard.start());
      const pump = { maxRunMs: 60_000, maxRunMl: 9, maxHourMs: 60_000, maxHourMl: 9, mlPerSecondAtFull: 0.1 };
      const limits = { heat: { reduceCelsius: 63, disableCelsius: 65, shutdownCelsius: 66 }, pumps: { 2: pump } };
      await step(guard.request({ kind: 'limits', limits }));
      await step(guard.request({ kind: 'acquire', lease: 'a', generation: 1, outputs: ['pwm1', 'pwm2', 'pwm5'] }));
      const set = (output: 'pwm1' | 'pwm2' | 'pwm5', percent: number, forMs?: number) =>
        step(guard.request({ kind: 'set', lease: 'a', generation: 1, output, percent, ...(forMs && { forMs }) }));
      await set('pwm1', 40);
      await set('pwm2', 100, 60_000);
      await set('pwm5', 30);
      for (let livedMs = 0; livedMs < livesMs; livedMs += 100) {
        await step(guard.request({ kind: 'renew', leases: ['a'] }));
        await together(Math.min(100, livesMs - livedMs));
      }
      const brightnesses = () => channels.map((channel) => leds.brightness(channel));
      expect(brightnesses()).toEqual([4000, 10_000, 0, 0, 3000]);
      expect(leds.changes).toHaveLength(3);
      const diedMs = clock.monotonic();
      await clock.advance(2000);
      expect(brightnesses()).toEqual([0, 0, 0, 0, 0]);
      expect(Math.max(...leds.changes.map(({ atMs }) => atMs)) - diedMs).toBeLessThan(1900);
    }
  });
});
