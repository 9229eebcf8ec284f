import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { ProgramIo } from './program-io.ts';
import { ServiceManager } from './service-manager.ts';

/** A line of the terminal that is not shown while it is typed. */
async function hiddenInput(prompt: string): Promise<string> {
  process.stderr.write(prompt);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  lines.on('SIGINT', () => process.exit(130));
  try {
    const [line] = await once(lines, 'line');
    return String(line);
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}

/** This process, as the program uses it. */
export const processIo = (defaultDataFolder: string): ProgramIo => ({
  arguments: process.argv.slice(2),
  environment: process.env,
  defaultDataFolder,
  input: () => createInterface({ input: process.stdin }),
  ...(process.stdin.isTTY && process.stderr.isTTY && { hiddenInput }),
  stdout: process.stdout,
  stderr: process.stderr,
  serviceManager: ServiceManager.of(process.env),
  onSignal: (signal, action) => process.on(signal, action),
  exit: (code) => process.exit(code),
});
