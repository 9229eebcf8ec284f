import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TemporaryFolder, temporaryFolder } from '@lcs/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { architectures } from '../../build/package/architectures.ts';
import { buildPrograms } from '../../build/package/native-programs.ts';

/**
 * Lets a plain file stand for `/dev/i2c-1`: the address of the chip is its first byte, then follow the bytes on the wire. With
 * `BUS_HANGS` each transfer fails after a second, as with a clock line that is held.
 */
const shim = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
static int bus = -1;
ssize_t write(int file, const void *bytes, size_t size) {
  ssize_t (*next)(int, const void *, size_t) = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
  if (file != bus || getenv("BUS_HANGS") == NULL) return next(file, bytes, size);
  usleep(1000000);
  errno = ETIMEDOUT;
  return -1;
}
int ioctl(int file, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  unsigned char address = (unsigned char)va_arg(arguments, long);
  va_end(arguments);
  int is_set = request == 0x0703 && write(file, &address, 1) == 1;
  bus = file;
  return is_set ? 0 : -1;
}
`;

describe('lcs-outputs-off', () => {
  let folder: TemporaryFolder;
  let root: string;
  const channel = (name: string) => path.join(root, 'sys/class/pwm', name);

  beforeAll(async () => {
    folder = await temporaryFolder('native');
    const amd64 = architectures.find(({ debian }) => debian === 'amd64');
    if (amd64 === undefined) throw new Error('no amd64');
    buildPrograms(amd64, path.join(folder.path, 'bin'));
    writeFileSync(path.join(folder.path, 'shim.c'), shim);
    execFileSync('gcc', [
      '-shared',
      '-fPIC',
      '-o',
      path.join(folder.path, 'shim.so'),
      path.join(folder.path, 'shim.c'),
    ]);
  });
  afterAll(async () => folder[Symbol.asyncDispose]());

  beforeEach(() => {
    root = path.join(folder.path, `root-${Math.random()}`);
    for (const [name, period] of Object.entries({
      'pwmchip0/pwm0': 1_000_000,
      'pwmchip0/pwm1': 0,
      'pwmchip3/pwm0': 500,
    })) {
      mkdirSync(channel(name), { recursive: true });
      writeFileSync(path.join(channel(name), 'period'), `${period}\n`);
      writeFileSync(path.join(channel(name), 'duty_cycle'), '250\n');
    }
    mkdirSync(path.join(root, 'run/lcs-unit'), { recursive: true });
    mkdirSync(path.join(root, 'dev'));
    writeFileSync(path.join(root, 'dev/i2c-1'), '');
  });

  const run = (leds?: string, more: NodeJS.ProcessEnv = {}) => {
    if (leds !== undefined) writeFileSync(path.join(root, 'run/lcs-unit/leds'), leds);
    return spawnSync(path.join(folder.path, 'bin/lcs-outputs-off'), [root], {
      env: { LD_PRELOAD: path.join(folder.path, 'shim.so'), ...more },
      encoding: 'utf8',
    });
  };
  const duties = () =>
    ['pwmchip0/pwm0', 'pwmchip0/pwm1', 'pwmchip3/pwm0'].map((name) =>
      readFileSync(path.join(channel(name), 'duty_cycle'), 'utf8').trim(),
    );
  const wire = () => [...readFileSync(path.join(root, 'dev/i2c-1'))];

  it('switches off every channel that has a period, and the LEDs of a board with a controller', () => {
    expect(run('controller 1 44\n')).toMatchObject({ status: 0, stderr: '' });
    expect(duties()).toEqual(['0', '250', '0']);
    expect(wire()).toEqual([44, 0, 0, 1, 0, 2, 0, 3, 0]);
  });

  it('powers the LEDs of the first board down', () => {
    expect(run('dac43608 1 73\n')).toMatchObject({ status: 0, stderr: '' });
    expect(wire()).toEqual([73, 1, 0, 0xff, 8, 0, 0, 9, 0, 0, 10, 0, 0, 11, 0, 0]);
  });

  it('switches off the outputs that are LEDs of the kernel', () => {
    const led = path.join(root, 'sys/class/leds/lcs:pwm5');
    mkdirSync(led, { recursive: true });
    writeFileSync(path.join(led, 'brightness'), '4000\n');
    expect(run()).toMatchObject({ status: 0, stderr: '' });
    expect([readFileSync(path.join(led, 'brightness'), 'utf8'), duties()]).toEqual(['0\n', ['0', '250', '0']]);
  });

  it('does the channels when no LED was ever on', () => {
    expect(run()).toMatchObject({ status: 0, stderr: '' });
    expect([duties(), wire()]).toEqual([['0', '250', '0'], []]);
  });

  it.each(['controller 7 44\n', 'another 1 44\n', ''])(
    'does the channels, and fails, when the LEDs cannot be reached: %j',
    (leds) => {
      expect(run(leds)).toMatchObject({ status: 1, stderr: expect.stringContaining('LEDs') });
      expect(duties()).toEqual(['0', '250', '0']);
    },
  );

  it('has ended 6 s after its start when the bus of the LEDs hangs, and the channels before', () => {
    // Refused for ever, as a channel that needs several attempts: it must not wait for the LEDs.
    rmSync(path.join(channel('pwmchip3/pwm0'), 'duty_cycle'));
    mkdirSync(path.join(channel('pwmchip3/pwm0'), 'duty_cycle'));
    const beganMs = performance.now();
    const { status, stderr } = run('controller 1 44\n', { BUS_HANGS: '1' });
    expect(performance.now() - beganMs).toBeLessThan(6500);
    expect(status).toBe(1);
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(/pwmchip3\/pwm0 .*Is a directory/),
      expect.stringMatching(/LEDs .*timed out/),
      '',
    ]);
    expect(readFileSync(path.join(channel('pwmchip0/pwm0'), 'duty_cycle'), 'utf8')).toBe('0\n');
  });
});
