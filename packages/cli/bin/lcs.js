#!/usr/bin/env node
// Plain JavaScript: this file must also run on an older host Node, which it replaces by the pinned one.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const neededMajor = 24;

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
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`lcs could not start the pinned Node (${node}): ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal ? 1 : 0);
  });
}

/** When the newest source of the program was changed, in milliseconds; 0 where there are no sources (an installed package). */
function newestSourceMs() {
  let newest = 0;
  for (const name of ['contract', 'domain', 'platform', 'hardware', 'unit', 'leader', 'cluster', 'cli']) {
    const folder = fileURLToPath(new URL(`../../${name}/src`, import.meta.url));
    if (!existsSync(folder)) continue;
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || entry.name.endsWith('.test.ts')) continue;
      newest = Math.max(newest, statSync(`${entry.parentPath}/${entry.name}`).mtimeMs);
    }
  }
  return newest;
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
  outliveReaders();
  module.enableCompileCache();
  const { main } = await import(entryPoint().href);
  process.exitCode = await main({
    arguments: process.argv.slice(2),
    environment: process.env,
    // In a clone the data lie beside the program; an installed package keeps them where the system expects them.
    defaultDataFolder: existsSync(new URL('../../../package-lock.json', import.meta.url)) ? './.lcs' : '/var/lib/lcs',
    stdout: process.stdout,
    stderr: process.stderr,
    onSignal: (signal, action) => process.on(signal, action),
    exit: (code) => process.exit(code),
  });
}

if (Number(process.versions.node.split('.')[0]) < neededMajor) runOnPinnedNode();
else await run();
