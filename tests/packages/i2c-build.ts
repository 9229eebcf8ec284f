import { execFileSync } from 'node:child_process';
import path from 'node:path';
import type { Architecture } from '../../build/package/architectures.ts';
import { installAddon } from '../../build/package/native-programs.ts';
import { pinnedNode } from '../../build/package/program-package.ts';

const repository = path.dirname(path.dirname(import.meta.dirname));
const cache = path.join(repository, 'node_modules/.cache/packages');

/** How a program of Node, with another `/dev/i2c-1`, is run on an architecture. */
export interface I2cProgram {
  readonly file: string;
  readonly args: readonly string[];
  /** Path of the shim. */
  readonly shim: string;
  /** Address of the addon, as the packages have it. */
  readonly binding: string;
}

/** Compiles shim and addon for an architecture. That of another computer runs in an emulator. */
export function i2cProgram(architecture: Architecture, folder: string): I2cProgram {
  const { tools, debian } = architecture;
  const target = path.join(folder, debian);
  const nodeFolder = pinnedNode({ repository, cache }, architecture);
  installAddon(architecture, nodeFolder, cache, path.join(target, 'node_modules'));
  const shim = path.join(target, 'i2c-shim.so');
  const source = path.join(import.meta.dirname, 'i2c-shim.c');
  execFileSync(`${tools}-gcc`, ['-std=gnu17', '-Wall', '-Wextra', '-Werror', '-shared', '-fPIC', '-o', shim, source]);
  const binding = path.join(target, 'node_modules/i2c-bus/i2c-bus.js');
  if (debian === 'amd64') return { file: process.execPath, args: [], shim, binding };
  const node = path.join(nodeFolder, 'bin/node');
  return { file: `qemu-aarch64-static`, args: ['-L', `/usr/${tools}`, node], shim, binding };
}

/** The environment of a program whose bus is this socket. */
export const i2cEnvironment = ({ shim }: I2cProgram, socketPath: string): NodeJS.ProcessEnv => ({
  ...process.env,
  NODE_OPTIONS: '',
  // The emulator itself is of this computer: only what it runs has the shim.
  ...(shim.includes('arm64') ? { QEMU_SET_ENV: `LD_PRELOAD=${shim}` } : { LD_PRELOAD: shim }),
  LCS_I2C_SOCKET: socketPath,
});
