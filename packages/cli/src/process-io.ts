import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { ProgramIo } from './program-io.ts';
import { ServiceManager } from './service-manager.ts';

/** The exit code of shells after Ctrl-C. */
const interrupted = 130;

/** A line of the terminal that is not shown while it is typed. */
async function hiddenInput(prompt: string): Promise<string> {
  process.stderr.write(prompt);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  lines.on('SIGINT', () => process.exit(interrupted));
  try {
    const [line] = await once(lines, 'line');
    return String(line);
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}

/** A line of the terminal. Its end, or Ctrl-C, ends the program: nothing has been changed before the last question. */
async function askedLine(prompt: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const interrupt = () => process.exit(interrupted);
  lines.on('SIGINT', interrupt);
  lines.on('close', interrupt);
  lines.setPrompt(prompt);
  lines.prompt();
  const [line] = await once(lines, 'line');
  lines.off('close', interrupt);
  lines.close();
  return String(line);
}

/** This process, as the program uses it. */
export const processIo = (defaultDataFolder: string): ProgramIo => ({
  arguments: process.argv.slice(2),
  environment: process.env,
  defaultDataFolder,
  input: () => createInterface({ input: process.stdin }),
  ...(process.stdin.isTTY && process.stderr.isTTY && { hiddenInput, ask: askedLine }),
  isRoot: process.getuid?.() === 0,
  stdout: process.stdout,
  stderr: process.stderr,
  serviceManager: ServiceManager.of(process.env),
  onSignal: (signal, action) => process.on(signal, action),
  exit: (code) => process.exit(code),
});
