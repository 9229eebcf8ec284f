#!/usr/bin/env node
// Plain JavaScript: this file must also run on an older host Node, which it replaces by the pinned one.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const neededMajor = 24;

/** `demo` is not among them: in one process with all its units it has much more to do with young objects. */
const runsForWeeks = ['leader', 'unit'].includes(process.argv[2]);

/**
 * Flags and environment that this command is run with. What runs for weeks takes little memory: young objects have 4 MB twice
 * instead of 16 MB twice, and all threads share two pools of the C library. A unit uses a hundredth of a core: half of both
 * is enough for it, it rather collects than grows, and of two quick compilers it has none: code that runs often is interpreted
 * or optimised. All this can be said only before a process begins.
 * An operator who has chosen the room for young objects himself is left alone.
 */
function wanted() {
  const isChosen = `${process.execArgv.join(' ')} ${process.env.NODE_OPTIONS ?? ''}`.includes('--max-semi-space-size');
  if (!runsForWeeks || isChosen) return { flags: [], environment: process.env };
  const sparing = JSON.parse(readFileSync(new URL('./sparing.json', import.meta.url), 'utf8'));
  const role = process.argv[2];
  return { flags: sparing.flags[role], environment: { ...sparing.environment[role], ...process.env } };
}

/** The Node binary that the lock-file pins for this machine, if its package is installed. */
function pinnedNode() {
  try {
    return module.createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/bin/node`);
  } catch {
    return undefined;
  }
}

function runOnPinnedNode() {
  const node = pinnedNode();
  if (!node) {
    process.stderr.write(
      `lcs needs Node ${neededMajor} or newer, this is ${process.version}, and no pinned Node is installed for ` +
        `${process.platform}-${process.arch}: run "npm ci" in the folder of the program, or use Node ${neededMajor}.\n`,
    );
    process.exitCode = 1;
    return;
  }
  const { flags, environment } = wanted();
  const words = [...flags, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const child = spawn(node, words, { stdio: 'inherit', env: environment });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`lcs could not start the pinned Node (${node}): ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal ? 1 : 0);
  });
}

/** Puts the same program, with what it should be run with, in the place of this process, which keeps its number. */
function beginAnew() {
  const { flags, environment } = wanted();
  // A channel to the program that has forked this one would be lost; Windows cannot do it. Then it runs in more memory.
  if (flags.length === 0 || process.channel || typeof process.execve !== 'function') return;
  const words = [...flags, ...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  process.execve(process.execPath, [process.execPath, ...words], environment);
}

/** When the newest source in a folder was changed, in milliseconds; 0 where there is no such folder (an installed package). */
function newestIn(folder) {
  if (!existsSync(folder)) return 0;
  const times = readdirSync(folder, { withFileTypes: true }).map((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return newestIn(path);
    return entry.name.endsWith('.test.ts') ? 0 : statSync(path).mtimeMs;
  });
  return Math.max(0, ...times);
}

/** The same of all sources of the program. */
function newestSourceMs() {
  const packages = ['contract', 'domain', 'platform', 'node', 'hardware', 'unit', 'leader', 'cluster', 'cli'];
  return Math.max(...packages.map((name) => newestIn(fileURLToPath(new URL(`../../${name}/src`, import.meta.url)))));
}

/** The bundle, which starts quicker and in less memory, unless a source is newer: then the sources. */
function entryPoint() {
  const bundle = new URL('../dist/main.js', import.meta.url);
  const path = fileURLToPath(bundle);
  const isCurrent = existsSync(path) && statSync(path).mtimeMs >= newestSourceMs();
  return isCurrent ? bundle : new URL('../src/main.ts', import.meta.url);
}

/** A reader that went away (`lcs logs | head`) is no failure; what only has to go on goes on. */
function outliveReaders() {
  process.stdout.on('error', (error) => {
    if (error.code !== 'EPIPE') throw error;
    process.emit('SIGPIPE');
  });
}

async function run() {
  beginAnew();
  outliveReaders();
  module.enableCompileCache();
  const { runProcess } = await import(entryPoint().href);
  // In a clone the data lie beside the program; an installed package keeps them where the system expects them.
  const isClone = existsSync(new URL('../../../package-lock.json', import.meta.url));
  process.exitCode = await runProcess(isClone ? './.lcs' : '/var/lib/lcs');
}

if (Number(process.versions.node.split('.')[0]) < neededMajor) runOnPinnedNode();
else await run();
