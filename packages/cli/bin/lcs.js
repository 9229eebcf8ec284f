#!/usr/bin/env node
// Plain JavaScript: this file must also run on an older host Node, which it replaces by the pinned one.
import { spawn } from 'node:child_process';
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

if (Number(process.versions.node.split('.')[0]) < neededMajor) {
  runOnPinnedNode();
} else {
  module.enableCompileCache();
  const { main } = await import('../src/main.ts');
  process.exitCode = await main({
    arguments: process.argv.slice(2),
    environment: process.env,
    stdout: process.stdout,
    stderr: process.stderr,
    onSignal: (signal, action) => process.on(signal, action),
  });
}
