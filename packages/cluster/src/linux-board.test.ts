import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { LinuxPlaces } from '@lcs/hardware';
import { memoryLog, realClock, VirtualClock } from '@lcs/platform';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { detectBoard, openLinuxBoard, switchOutputsOff } from './linux-board.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lcs-linux-board-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** A device tree with the EEPROM content of a board, as the firmware writes it. */
async function deviceTree(version: string): Promise<string> {
  await mkdir(join(folder, 'tree/hat'), { recursive: true });
  const facts = { vendor: 'Pioreactor Inc.', product_id: '0x0001', product_ver: version, uuid: 'one' };
  for (const [name, value] of Object.entries(facts)) await writeFile(join(folder, 'tree/hat', name), `${value}\0`);
  return join(folder, 'tree');
}

const nowhere = () => ({ sysfs: join(folder, 'sys'), i2cBinding: 'no-such-package-of-i2c', toolPath: folder });
const open = (choice: { version?: string; deviceTree?: string }, log = memoryLog()) =>
  openLinuxBoard(
    { kind: 'linux', places: nowhere(), deviceTree: folder, ...choice },
    { dataFolder: folder, wire: realClock(), log },
  );

it('detects the board by its EEPROM, and none where there is none', async () => {
  expect(await detectBoard(await deviceTree('0x0011'))).toEqual({ version: '1.1', serial: 'one' });
  expect(await detectBoard(join(folder, 'nothing'))).toBeUndefined();
});

it('is wired according to its version, from the EEPROM or from the operator', async () => {
  const first = await open({ deviceTree: await deviceTree('0x0010') });
  expect([first.layout.hallLine, first.layout.ledDriver.chip, first.isSimulated]).toEqual([25, 'dac43608', false]);
  const told = await open({ deviceTree: await deviceTree('0x0010'), version: '1.2' });
  expect(told.layout.hallLine).toBe(21);
  expect(told.layoutFor({ name: 'reactor_20ml', version: '1.5' }).photodiodes).toEqual({ 1: 0x49, 2: 0x4a });
});

it('is treated as version 1.2 when its version is unknown, with a warning', async () => {
  const log = memoryLog();
  const board = await open({ deviceTree: await deviceTree('0x0021') }, log);
  expect(board.layout.hallLine).toBe(21);
  expect(log.messages('warn')[0]).toContain('2.1');
  await expect(open({ version: '3.0' })).rejects.toThrow('3.0');
});

it('writes which chip drives the LEDs, for the program that switches off after the end of the service', async () => {
  const ledsOf = async (version: string, i2cBus?: number) => {
    const places = { ...nowhere(), ...(i2cBus !== undefined && { i2cBus }) };
    await openLinuxBoard(
      { kind: 'linux', version, places, runtimeFolder: folder },
      { dataFolder: folder, wire: realClock(), log: memoryLog() },
    );
    return readFile(join(folder, 'leds'), 'utf8');
  };
  expect(await ledsOf('1.2')).toBe('controller 1 44\n');
  expect(await ledsOf('1.0', 3)).toBe('dac43608 3 73\n');
});

it('says at its start which outputs no kernel would switch off', async () => {
  const log = memoryLog();
  await writeKernelLeds(join(folder, 'sys'));
  await open({ version: '1.2' }, log);
  expect(log.messages('warn')).toHaveLength(1);
  for (const channel of [1, 2, 3, 4, 5])
    await writeFile(join(folder, `sys/class/leds/lcs:pwm${channel}/trigger`), 'none [pattern]\n');
  await open({ version: '1.2' }, log);
  expect([log.messages('warn').length, log.messages('info').length]).toEqual([1, 1]);
});

/** A kernel with one LED for each PWM output, as the overlay makes them; files do not run out, so without their trigger. */
async function writeKernelLeds(sysfs: string): Promise<void> {
  for (const channel of [1, 2, 3, 4, 5]) {
    const led = join(sysfs, `class/leds/lcs:pwm${channel}`);
    await mkdir(led, { recursive: true });
    for (const [name, text] of Object.entries({ brightness: '4000', max_brightness: '10000', trigger: '[none]' }))
      await writeFile(join(led, name), `${text}\n`);
  }
}

/** An I2C bus that acknowledges everything, once `connected` is there. */
const bindingText = `
import { existsSync } from 'node:fs';
const connected = new URL('./connected', import.meta.url);
export const openPromisified = async () => ({
  readI2cBlock: async () => ({ bytesRead: 0 }),
  writeI2cBlock: async (address, command, length) => {
    if (!existsSync(connected)) throw Object.assign(new Error('no acknowledgement'), { code: 'EREMOTEIO' });
    return { bytesWritten: length };
  },
  close: async () => {},
});
`;

describe('all outputs of a board, switched off without a node', () => {
  let clock: VirtualClock;
  const switchOff = (places: LinuxPlaces) =>
    switchOutputsOff({ kind: 'linux', version: '1.2', places }, { dataFolder: folder, log: memoryLog(), wire: clock });

  /** Each pause between two attempts. */
  async function untilDone<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const whenDone = () => {
      isDone = true;
    };
    void work.then(whenDone, whenDone);
    while (!isDone) {
      await vi.waitFor(() => expect(isDone || clock.pendingTimers > 0).toBe(true), { timeout: 20_000, interval: 1 });
      await clock.advance(200);
    }
    return work;
  }

  beforeEach(() => {
    clock = new VirtualClock();
  });

  it('are tried again until they respond', async () => {
    const sysfs = join(folder, 'sys');
    await writeFile(join(folder, 'binding.mjs'), bindingText);
    const work = switchOff({ sysfs, i2cBinding: pathToFileURL(join(folder, 'binding.mjs')).href, toolPath: folder });
    await vi.waitFor(() => expect(clock.pendingTimers).toBe(1), { timeout: 20_000, interval: 1 });
    await writeKernelLeds(sysfs);
    await writeFile(join(folder, 'connected'), '');
    expect(await untilDone(work)).toEqual([]);
    expect(clock.monotonic()).toBeLessThan(1000);
    expect(await readFile(join(sysfs, 'class/leds/lcs:pwm5/brightness'), 'utf8')).toBe('0');
  });

  it('are returned after five seconds when they do not', async () => {
    const left = await untilDone(switchOff(nowhere()));
    expect(left).toHaveLength(9);
    expect(left[0]).toMatchObject({ output: 'pwm1', reason: expect.stringContaining('GPIO17 has no PWM') });
    expect(clock.monotonic()).toBeLessThan(6000);
  });
});
