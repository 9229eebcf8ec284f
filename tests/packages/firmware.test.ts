import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { BoardController } from '@lcs/hardware';
import { type TemporaryFolder, temporaryFolder } from '@lcs/testkit';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildFirmware, buildOverlay, firmwareSources } from '../../build/package/firmware.ts';
import { LinuxI2cBus } from '../../packages/hardware/src/linux/linux-i2c-bus.ts';
import { EmulatedController } from './emulated-controller.ts';

/** Needs gcc, gcc-arm-none-eabi and device-tree-compiler. */
const ledLimitMs = 6000;

let folder: TemporaryFolder;
let image: string;

beforeAll(async () => {
  folder = await temporaryFolder('firmware');
  image = path.join(folder.path, 'lcs-controller.bin');
  buildFirmware(image);
});
afterAll(async () => folder[Symbol.asyncDispose]());

describe('the logic of the firmware, compiled for this computer', () => {
  let program: string;
  const ask = (calls: readonly string[]): readonly number[] => {
    const { stdout } = spawnSync(program, {
      input: calls.map((call) => `${call} 0 0`.split(' ').slice(0, 3).join(' ')).join('\n'),
      encoding: 'utf8',
    });
    return stdout.trim().split('\n').map(Number);
  };

  beforeAll(() => {
    program = path.join(folder.path, 'registers');
    const sources = [
      path.join(import.meta.dirname, 'firmware-registers.c'),
      path.join(firmwareSources, 'controller.c'),
    ];
    execFileSync('gcc', [
      '-std=gnu17',
      '-Wall',
      '-Wextra',
      '-Werror',
      '-fsanitize=undefined',
      '-fno-sanitize-recover',
      `-I${firmwareSources}`,
      ...sources,
      '-o',
      program,
    ]);
  });

  it('sets one LED with each byte, and ignores every other register', () => {
    const answers = ask(['p 1', 'w 204', 'd 1', 'd 0', 'p 4', 'w 9', 'p 8', 'w 9', 'p 200', 'w 9', 'd 0', 'd 1']);
    expect(answers).toEqual([-1, 1, 204, 0, -1, -1, -1, -1, -1, -1, 0, 204]);
  });

  it('answers with its version, and with 0xffff for what is not there', () => {
    expect(ask(['r', 'p 8', 'r', 'p 9', 'r', 'p 0', 'r'])).toEqual([0xffff, -1, 0x0100, -1, 0xffff, -1, 0xffff]);
  });

  it('stays at its highest value above 1.65 V', () => {
    const full = 1024 * 4095;
    expect(ask([`m 0 ${full}`, `m 2 ${full}`, `m 3 ${65_535 * 32}`])).toEqual([65_535, 65_535, 65_535]);
  });

  it('takes a quarter of each round of a photodiode, and each of the others as it is', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 65_535 * 32 }), { minLength: 1, maxLength: 60 }), (sums) => {
        let average: number | undefined;
        const expected = sums.map((sum) => {
          const value = Math.floor(sum / 32);
          average = average === undefined ? value : average + (value - average) / 4;
          return average;
        });
        for (const [index, value] of ask(sums.map((sum) => `m 2 ${sum}`)).entries())
          expect(Math.abs(value - (expected[index] ?? 0))).toBeLessThanOrEqual(1);
        expect(ask(sums.map((sum) => `m 1 ${sum}`))).toEqual(sums.map((sum) => Math.floor(sum / 32)));
      }),
      { numRuns: 25 },
    );
  });

  it.each([0, 2 ** 32 - 3_000_000])(
    'ends an LED that nobody sets for 6 s, also while its clock begins anew (from %d µs)',
    (startUs) => {
      const atUs = (us: number) => (startUs + us) % 2 ** 32;
      const calls = [
        `p 0 ${startUs}`,
        `w 50 ${startUs}`,
        `p 3 ${startUs}`,
        `w 60 ${atUs(4_000_000)}`,
        `e ${atUs(5_999_999)}`,
        `e ${atUs(6_000_000)}`,
        'd 0',
        'd 3',
        `e ${atUs(9_999_999)}`,
        `e ${atUs(10_000_000)}`,
        `e ${atUs(20_000_000)}`,
      ];
      expect(ask(calls)).toEqual([-1, 0, -1, 3, 0, 1, 0, 60, 0, 8, 0]);
    },
  );
});

describe('the compiled firmware on an emulated RP2040, behind the unit’s own driver', () => {
  const address = 0x2c;
  let chip: EmulatedController;
  let driver: BoardController;

  beforeAll(async () => {
    chip = await EmulatedController.load(readFileSync(image));
    const connection = {
      readI2cBlock: async (device: number, register: number, length: number, buffer: Buffer) => {
        buffer.set(chip.read(device, register, length));
        return { bytesRead: length };
      },
      writeI2cBlock: async (device: number, register: number, length: number, buffer: Buffer) => {
        chip.write(device, [register, ...buffer.subarray(0, length)]);
        return { bytesWritten: length };
      },
      close: async () => {},
    };
    const bus = new LinuxI2cBus({ busNumber: 1, load: async () => ({ openPromisified: async () => connection }) });
    driver = new BoardController(bus, address);
    for (const [input, sample] of [454, 830, 1200, 300].entries()) chip.setInput(input, sample);
  });

  const leds = () => [0, 1, 2, 3].map((led) => chip.ledDuty(led));

  it('does not answer before each input has a value, then within 30 ms of its start', async () => {
    await expect(driver.readFirmware()).rejects.toMatchObject({ reason: 'no acknowledgement' });
    chip.run(30);
    expect(await driver.readFirmware()).toEqual({ major: 1, minor: 0 });
    expect(leds()).toEqual([0, 0, 0, 0]);
    expect(chip.pwmFacts).toEqual({ divider: 1.5, top: 256 });
  });

  it('measures its four inputs', async () => {
    const volts = [];
    for (const input of [0, 1, 2, 3] as const) volts.push(await driver.readVolts(input));
    expect(volts).toEqual([454, 830, 1200, 300].map((sample) => expect.closeTo((sample / 4095) * 3.3, 4)));
  });

  it('averages a photodiode: a quarter each 10 ms, a thousandth is missing after 286 ms', async () => {
    const before = await driver.readVolts(2);
    chip.setInput(2, 400);
    const after = (400 / 4095) * 3.3;
    chip.run(22);
    const missing = ((await driver.readVolts(2)) - after) / (before - after);
    expect(missing).toBeGreaterThan(0.4);
    expect(missing).toBeLessThan(0.8);
    chip.run(286);
    expect(Math.abs((await driver.readVolts(2)) - after) / (before - after)).toBeLessThan(0.002);
  });

  it('drives each LED', async () => {
    for (const [led, percent] of [
      ['A', 80],
      ['B', 0.4],
      ['C', 100],
      ['D', 50],
    ] as const)
      await driver.set(led, percent);
    expect(leds()).toEqual([204, 1, 255, 128]);
    for (const led of ['B', 'C', 'D'] as const) await driver.set(led, 0);
    expect(leds()).toEqual([204, 0, 0, 0]);
  });

  it('takes nothing that is sent to all chips of the bus', () => {
    const before = leds();
    expect(() => chip.write(0, [0, 77])).toThrow(expect.objectContaining({ code: 'EREMOTEIO' }));
    expect(leds()).toEqual(before);
  });

  it('answers rightly after a host that read one byte, four bytes, or nothing', async () => {
    expect(chip.read(address, 8, 1)).toEqual([0]);
    expect(await driver.readFirmware()).toEqual({ major: 1, minor: 0 });
    expect(chip.read(address, 8, 4)).toEqual([0, 1, 0, 1]);
    chip.write(address, [8]);
    expect(await driver.readFirmware()).toEqual({ major: 1, minor: 0 });
    chip.write(
      address,
      Array.from({ length: 40 }, () => 8),
    );
    expect(await driver.readFirmware()).toEqual({ major: 1, minor: 0 });
    expect(chip.longestHoldUs).toBeLessThan(20);
  });

  it('switches an LED off that is not set again, and no other', async () => {
    await driver.set('A', 80);
    chip.run(3000);
    await driver.set('D', 50);
    chip.run(ledLimitMs - 3050);
    // Reading keeps no LED on.
    await driver.readVolts(2);
    expect(leds()).toEqual([204, 0, 0, 128]);
    chip.run(100);
    expect(leds()).toEqual([0, 0, 0, 128]);
    await driver.set('A', 80);
    expect(leds()).toEqual([204, 0, 0, 128]);
  });

  it('is reset by its watchdog when it measures no more: LEDs off, and it answers again', async () => {
    await driver.set('A', 80);
    chip.stopConverter();
    chip.run(400);
    expect(chip.restarts).toBe(0);
    chip.run(200);
    expect(chip.restarts).toBe(1);
    expect(leds()).not.toContain(204);
    chip.resumeConverter();
    chip.run(40);
    expect(await driver.readFirmware()).toEqual({ major: 1, minor: 0 });
    expect([leds(), chip.restarts]).toEqual([[0, 0, 0, 0], 1]);
  });
});

describe('the overlay', () => {
  it('is compiled to the same bytes each time, with five LEDs of 10,000 steps at their frequencies', () => {
    const [one, other] = ['one.dtbo', 'other.dtbo'].map((name) => path.join(folder.path, name));
    if (one === undefined || other === undefined) throw new Error('no names');
    buildOverlay(one);
    buildOverlay(other);
    expect(readFileSync(one).equals(readFileSync(other))).toBe(true);
    const property = (node: string, name: string) =>
      execFileSync('fdtget', [one, `/fragment@2/__overlay__/lcs_outputs/${node}`, name], { encoding: 'utf8' }).trim();
    const facts = [1, 2, 3, 4, 5].map((channel) => {
      const node = `pwm${channel}`;
      const [, number, periodNs] = property(node, 'pwms').split(' ').map(Number);
      return [
        property(node, 'label'),
        number,
        1e9 / (periodNs ?? 0),
        property(node, 'max-brightness'),
        property(node, 'linux,default-trigger'),
      ];
    });
    expect(facts).toEqual([
      ['lcs:pwm1', 0, 200, '10000', 'pattern'],
      ['lcs:pwm2', 1, 250, '10000', 'pattern'],
      ['lcs:pwm3', 0, 250, '10000', 'pattern'],
      ['lcs:pwm4', 0, 250, '10000', 'pattern'],
      ['lcs:pwm5', 0, 16, '10000', 'pattern'],
    ]);
    const gpios = [16, 17, 18].map(
      (line) =>
        execFileSync('fdtget', [one, `/fragment@2/__overlay__/lcs_pwm${line}`, 'gpios'], { encoding: 'utf8' })
          .trim()
          .split(' ')[1],
    );
    expect(gpios).toEqual(['16', '17', '18']);
  });
});

describe('the image', () => {
  it('is the same each time, and small', () => {
    const again = path.join(folder.path, 'again.bin');
    buildFirmware(again);
    expect(readFileSync(again).equals(readFileSync(image))).toBe(true);
    expect(readFileSync(image).length).toBeLessThan(8192);
  });
});

describe('lcs-load-firmware', () => {
  const script = path.join(firmwareSources, 'load-firmware.sh');
  let root: string;
  const tool = (name: string, text: string) => {
    writeFileSync(path.join(root, 'bin', name), `#!/bin/sh\n${text}\n`);
    chmodSync(path.join(root, 'bin', name), 0o755);
  };
  const board = (version: string, vendor = 'Pioreactor Inc.') => {
    mkdirSync(path.join(root, 'tree/hat'), { recursive: true });
    writeFileSync(path.join(root, 'tree/hat/vendor'), `${vendor}\0`);
    writeFileSync(path.join(root, 'tree/hat/product_ver'), `${version}\0`);
  };
  const run = (...args: readonly string[]) =>
    spawnSync(script, args, {
      env: {
        PATH: `${root}/bin:/usr/bin:/bin`,
        LCS_DEVICE_TREE: path.join(root, 'tree'),
        LCS_SYSFS: path.join(root, 'sys'),
        LCS_FIRMWARE: image,
        LCS_TRIES_S: '0',
      },
      encoding: 'utf8',
    });
  /** Its arguments, one call a line, in the file `calls`. */
  const recorded = `printf '%s|' "$@" >>"${'$'}(dirname "${'$'}0")/../calls"; echo >>"${'$'}(dirname "${'$'}0")/../calls"`;
  const calls = () => readFileSync(path.join(root, 'calls'), 'utf8').trim().split('\n');

  let number = 0;
  const fresh = () => {
    number += 1;
    root = path.join(folder.path, `load-${number}`);
    mkdirSync(path.join(root, 'bin'), { recursive: true });
    tool(
      'gpiodetect',
      "echo 'gpiochip10 [gpio-brcmstb@107d508500] (32 lines)'; echo 'gpiochip4 [pinctrl-rp1] (54 lines)'",
    );
  };

  it.each([
    ['0x0010', 1],
    ['0x0011', 0],
    ['0x0012', 0],
  ])('is needed on boards with a controller only: %s', (version, status) => {
    fresh();
    board(version);
    expect(run('--needed').status).toBe(status);
    board(version, 'Another maker');
    expect(run('--needed').status).toBe(1);
  });

  it('loads, verifies and starts at the first byte, through the lines of the header', () => {
    fresh();
    tool('openocd', `${recorded}; exit 0`);
    expect(run()).toMatchObject({ status: 0, stderr: '' });
    expect(calls()).toHaveLength(1);
    const [call = ''] = calls();
    const order = [
      'adapter driver linuxgpiod',
      'swclk 25 -chip 4',
      'swdio 24 -chip 4',
      'target/rp2040.cfg',
      'reset halt',
    ];
    const places = [
      ...order,
      `load_image ${image} 0x20000000 bin`,
      'verify_image',
      'resume 0x20000000',
      'shutdown',
    ].map((text) => call.indexOf(text));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
  });

  it('tries three times, and then says in one sentence what failed', () => {
    fresh();
    tool('openocd', `${recorded}; echo 'Error: Failed to connect multidrop rp2040.dap0' >&2; exit 1`);
    const { status, stderr } = run();
    expect([status, calls().length, stderr.trim().split('\n').length]).toEqual([1, 3, 1]);
    expect(stderr).toContain('Failed to connect multidrop rp2040.dap0');
  });

  it('succeeds when a later try does', () => {
    fresh();
    tool('openocd', `${recorded}; [ "$(wc -l <"$(dirname "$0")/../calls")" = 3 ]`);
    expect(run()).toMatchObject({ status: 0, stderr: '' });
  });

  it.each([
    ['pinctrl-bcm2711', ['linuxgpiod', 'bcm2835gpio']],
    ['pinctrl-rp1', ['linuxgpiod', 'sysfsgpio']],
  ])('takes another way with an openocd that cannot use the lines of the kernel: %s', (label, ways) => {
    fresh();
    tool('gpiodetect', `echo 'gpiochip0 [${label}] (54 lines)'`);
    const chip = path.join(root, 'sys/class/gpio/gpiochip512');
    mkdirSync(chip, { recursive: true });
    writeFileSync(path.join(chip, 'label'), `${label}\n`);
    writeFileSync(path.join(chip, 'base'), '512\n');
    const without = "echo 'Error: The specified debug interface was not found (linuxgpiod)' >&2; exit 1";
    tool('openocd', `${recorded}; case "$*" in *linuxgpiod*) ${without};; esac`);
    expect(run()).toMatchObject({ status: 0, stderr: '' });
    expect(calls().map((call) => /adapter driver (\w+)/.exec(call)?.[1])).toEqual(ways);
    if (label === 'pinctrl-rp1') expect(calls().at(-1)).toContain('sysfsgpio swd_nums 537 536');
  });

  it('says that openocd is missing', () => {
    fresh();
    // As `timeout` does for a program that does not exist.
    tool('timeout', 'exit 127');
    expect(run()).toMatchObject({ status: 1, stderr: expect.stringContaining('openocd is not installed') });
  });
});
