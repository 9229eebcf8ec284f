import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { realClock } from '@lcs/platform';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { board12 } from '../board-layout.ts';
import type { GuardProcessOptions } from '../guard/guard-message.ts';
import { defaultWiring } from '../guard/guard-types.ts';
import { makeSafe } from '../guard/make-safe.ts';
import { type FilePwmChannel, pwmFolders, writeSysfs } from '../testing/sysfs-files.ts';
import { LinuxBuses, type LinuxPlaces } from './linux-buses.ts';

/**
 * Replaces `i2c-bus`: records what is written to a file beside itself, and answers every read as a temperature of 25 degrees. While there
 * is a file `mistake`, it throws where nothing catches it. While there is a file `hang`, a transfer holds a thread, as the kernel does with
 * a bus that hangs: until someone writes to `hanging`, which is a pipe.
 */
const bindingText = `
import { appendFileSync, existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
const passed = async () => {
  if (!existsSync(new URL('./hang', import.meta.url))) return;
  appendFileSync(new URL('./hangs', import.meta.url), '.');
  await (await open(new URL('./hanging', import.meta.url))).close();
};
const record = new URL('./i2c', import.meta.url);
const mistake = new URL('./mistake', import.meta.url);
setInterval(() => {
  if (existsSync(mistake)) throw new TypeError('a mistake of the program');
}, 10).unref();
export const openPromisified = async () => ({
  readI2cBlock: async (address, command, length, buffer) => {
    await passed();
    buffer.set([0x19, 0x00].slice(0, length));
    return { bytesRead: length };
  },
  writeI2cBlock: async (address, command, length, buffer) => {
    await passed();
    appendFileSync(record, JSON.stringify([address, command, ...buffer.subarray(0, length)]) + '\\n');
    return { bytesWritten: length };
  },
  close: async () => {},
});
`;

/** Node, guard and the files of a kernel: the guard process drives them as it would drive those of a Raspberry Pi. */
describe('outputs of a real board, on files that simulate /sys and /dev/i2c-1', () => {
  let root: string;
  let places: LinuxPlaces;
  let node: ChildProcess | undefined;

  const duty = async (channel: FilePwmChannel): Promise<number> => {
    const read = async (attribute: string) =>
      Number(await readFile(join(root, 'class/pwm', pwmFolders[channel], attribute), 'utf8'));
    return (await read('duty_cycle')) / (await read('period'));
  };
  const duties = async () => [await duty(1), await duty(2), await duty(3), await duty(4), await duty(5)];
  /** The newest duty byte of each LED, as the board's controller got it. */
  const leds = async () => {
    const newest = new Map<number, number>();
    for (const line of (await readFile(join(root, 'i2c'), 'utf8')).split('\n')) {
      if (line === '') continue;
      const [, register = -1, value = -1] = JSON.parse(line);
      newest.set(register, value);
    }
    return [0, 1, 2, 3].map((register) => newest.get(register));
  };
  const untilAllOff = () =>
    vi.waitFor(async () => expect([...(await duties()), ...(await leds())]).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0]), {
      timeout: 8000,
      interval: 20,
    });

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'lcs-linux-'));
    await writeSysfs(root);
    const binding = join(root, 'binding.mjs');
    await writeFile(binding, bindingText);
    await writeFile(join(root, 'i2c'), '');
    places = { sysfs: root, i2cBinding: pathToFileURL(binding).href };
  });

  afterEach(async () => {
    node?.kill('SIGKILL');
    node = undefined;
    await untilAllOff();
    await rm(root, { recursive: true });
  });

  const startNode = async (...more: readonly string[]): Promise<number> => {
    const options: GuardProcessOptions = { board: { kind: 'linux', places }, layout: board12, wiring: defaultWiring };
    const program = fileURLToPath(new URL('../testing/test-node.ts', import.meta.url));
    const args = [program, JSON.stringify(options), ...more];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    node = child;
    const [line] = await once(child.stdout, 'data');
    expect((await duties()).map((share) => Math.round(100 * share))).toEqual([40, 60, 0, 0, 30]);
    expect(await leds()).toEqual([204, 0, 0, 0]);
    return JSON.parse(String(line)).guard;
  };

  it('are off after the node was killed', async () => {
    await startNode();
    node?.kill('SIGKILL');
    await untilAllOff();
  });

  it('are off while the node is stopped', async () => {
    await startNode();
    node?.kill('SIGSTOP');
    await untilAllOff();
  });

  it('are off when the guard was killed: the kernel continues the signal, the next guard ends it', async () => {
    const guard = await startNode();
    process.kill(guard, 'SIGKILL');
    await untilAllOff();
    expect(node?.exitCode).toBeNull();
  });

  it('are off before a guard ends by a mistake of its program, and another one follows', async () => {
    const guard = await startNode();
    await writeFile(join(root, 'mistake'), '');
    const isThere = () => {
      try {
        return process.kill(guard, 0);
      } catch {
        return false;
      }
    };
    await vi.waitFor(() => expect(isThere()).toBe(false), { timeout: 8000, interval: 5 });
    expect(await duties()).toEqual([0, 0, 0, 0, 0]);
    expect(await leds()).toEqual([0, 0, 0, 0]);
    await rm(join(root, 'mistake'));
    expect(node?.exitCode).toBeNull();
  });

  it('are off when node and guard were killed at one moment: the watchdog switches them off', async () => {
    const guard = await startNode(join(root, 'watchdog.pid'));
    process.kill(guard, 'SIGKILL');
    node?.kill('SIGKILL');
    await untilAllOff();
  });

  it('end in time while I2C hangs: a pump, and all PWM outputs when the node is killed', async () => {
    execFileSync('mkfifo', [join(root, 'hanging')]);
    await startNode('', '4000');
    await writeFile(join(root, 'hang'), '');
    // An LED is set again each two seconds, and the heater's temperature is read each second.
    await vi.waitFor(() => readFile(join(root, 'hangs')), { timeout: 8000, interval: 5 });
    await vi.waitFor(async () => expect(await duty(2)).toBe(0), { timeout: 8000, interval: 5 });
    expect((await duties()).map((share) => Math.round(100 * share))).toEqual([40, 0, 0, 0, 30]);
    node?.kill('SIGKILL');
    await vi.waitFor(async () => expect(await duties()).toEqual([0, 0, 0, 0, 0]), { timeout: 8000, interval: 5 });
    // All the time it was one and the same transfer.
    expect(await leds()).toEqual([204, 0, 0, 0]);
    await rm(join(root, 'hang'));
    await (await open(join(root, 'hanging'), 'w')).close();
  });

  it('are off after the command when node, guard and watchdog are gone', async () => {
    expect(await duties()).toEqual([1, 1, 1, 1, 1]);
    const buses = new LinuxBuses({ places, lines: board12.pwmLines, wire: realClock() });
    expect(await makeSafe(buses, board12)).toEqual([]);
    await untilAllOff();
    await buses.stop();
  });

  it('are listed one by one when they cannot be switched off', async () => {
    const buses = new LinuxBuses({
      places: { ...places, i2cBinding: 'no-such-package-of-i2c', sysfs: join(root, 'nothing') },
      lines: board12.pwmLines,
      wire: realClock(),
    });
    const left = await makeSafe(buses, board12);
    expect(left.map(({ output }) => output)).toEqual([
      'pwm1',
      'pwm2',
      'pwm3',
      'pwm4',
      'pwm5',
      'ledA',
      'ledB',
      'ledC',
      'ledD',
    ]);
    expect(left[4]?.reason).toContain('dtoverlay=pwm-gpio,gpio=18');
    expect(left[5]?.reason).toContain('i2c-bus is not installed');
    await makeSafe(new LinuxBuses({ places, lines: board12.pwmLines, wire: realClock() }), board12);
  });
});
