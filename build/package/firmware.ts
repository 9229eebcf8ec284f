import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { BuildFailure } from './build-failure.ts';

const hardware = path.join(path.dirname(path.dirname(import.meta.dirname)), 'packages/hardware');
/** Sources of the controller's firmware, its service and the program that loads it. */
export const firmwareSources = path.join(hardware, 'firmware');

/** A tool of another Debian package than the compilers of the program. @throws BuildFailure */
function run(program: string, debianPackage: string, args: readonly string[]): void {
  try {
    execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (isMissing) throw new BuildFailure(`${program} is missing: apt-get install ${debianPackage}.`);
    throw error;
  }
}

const processor = ['-mcpu=cortex-m0plus', '-mthumb', '-Os', '-g0', '-ffreestanding', '-nostdlib'];
const strict = ['-std=gnu17', '-Wall', '-Wextra', '-Werror'];

/**
 * The memory image of the board's controller, from its first byte on: without a C library, and without a path or time of the
 * computer that built it. @throws BuildFailure
 */
export function buildFirmware(target: string): void {
  mkdirSync(path.dirname(target), { recursive: true });
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lcs-firmware-'));
  try {
    const linked = path.join(folder, 'controller.elf');
    const sources = ['main.c', 'controller.c'].map((name) => path.join(firmwareSources, name));
    const reproducible = [`-ffile-prefix-map=${firmwareSources}=.`, '-Wl,--build-id=none'];
    const layout = ['-T', path.join(firmwareSources, 'memory.ld'), '-Wl,--no-warn-rwx-segments'];
    const args = [...processor, ...strict, ...reproducible, ...layout, ...sources, '-o', linked];
    run('arm-none-eabi-gcc', 'gcc-arm-none-eabi', args);
    run('arm-none-eabi-objcopy', 'gcc-arm-none-eabi', ['-O', 'binary', linked, target]);
    chmodSync(target, 0o644);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The overlay that makes the PWM outputs LEDs of the kernel. @throws BuildFailure */
export function buildOverlay(target: string): void {
  mkdirSync(path.dirname(target), { recursive: true });
  const source = path.join(hardware, 'overlay/lcs-outputs.dts');
  run('dtc', 'device-tree-compiler', ['-@', '-I', 'dts', '-O', 'dtb', '-o', target, source]);
}
