import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Architecture } from './architectures.ts';
import { addonArchives, unpacked } from './archives.ts';
import { BuildFailure } from './build-failure.ts';

const sources = path.join(import.meta.dirname, 'native');
/** The same bytes from the same sources, wherever they lie. */
const reproducible = (folder: string): readonly string[] => [
  '-O2',
  '-g0',
  `-ffile-prefix-map=${folder}=.`,
  '-Wl,--build-id=none',
  '-s',
];

function run({ tools, compilers }: Architecture, tool: 'gcc' | 'g++' | 'strip', args: readonly string[]): void {
  const program = `${tools}-${tool}`;
  try {
    execFileSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (isMissing) throw new BuildFailure(`${program} is missing: apt-get install ${compilers}.`);
    throw error;
  }
}

/** `lcs-notify` and `lcs-outputs-off`. @throws BuildFailure */
export function buildPrograms(architecture: Architecture, target: string): void {
  mkdirSync(target, { recursive: true });
  for (const name of ['notify', 'outputs-off'] as const) {
    const source = path.join(sources, `${name}.c`);
    const args = ['-std=gnu17', '-Wall', '-Wextra', '-Werror', ...reproducible(sources), source];
    run(architecture, 'gcc', [...args, '-o', path.join(target, `lcs-${name}`)]);
  }
}

/** The addon that speaks to I2C buses, with what it is loaded by, into a folder `node_modules`. @throws BuildFailure */
export function installAddon(architecture: Architecture, nodeFolder: string, cache: string, nodeModules: string): void {
  for (const name of ['i2c-bus', 'bindings', 'file-uri-to-path'] as const) {
    const from = unpacked(addonArchives[name], cache);
    const to = path.join(nodeModules, name);
    mkdirSync(to, { recursive: true });
    for (const file of readdirSync(from)) {
      if (/\.js$|^package\.json$/.test(file)) copyFileSync(path.join(from, file), path.join(to, file));
    }
  }
  buildAddon(architecture, nodeFolder, cache, path.join(nodeModules, 'i2c-bus/build/Release/i2c.node'));
}

/** The addon against the headers of the pinned Node. */
function buildAddon(architecture: Architecture, nodeFolder: string, cache: string, target: string): void {
  const addon = unpacked(addonArchives['i2c-bus'], cache);
  mkdirSync(path.dirname(target), { recursive: true });
  run(architecture, 'g++', [
    '-shared',
    '-fPIC',
    '-std=c++20',
    ...reproducible(cache),
    // Its own build has the same (binding.gyp).
    '-Wno-deprecated-declarations',
    '-Wno-cast-function-type',
    '-DNODE_GYP_MODULE_NAME=i2c',
    '-DBUILDING_NODE_EXTENSION',
    `-I${path.join(nodeFolder, 'include', 'node')}`,
    `-I${unpacked(addonArchives.nan, cache)}`,
    path.join(addon, 'src', 'i2c.cc'),
    '-o',
    target,
  ]);
}

/** A program without its symbols: a tenth of Node's size on the disk. */
export const strip = (architecture: Architecture, file: string): void => run(architecture, 'strip', [file]);
