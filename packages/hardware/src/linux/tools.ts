import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { errnoOf } from './errno.ts';

export interface ToolOutput {
  /** null: a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningTool {
  /** Its outcome; never rejects. */
  readonly ended: Promise<ToolOutput>;
  stop(): void;
}

/** Programs of the operating system, without a shell. */
export interface Tools {
  /** Runs to its end. @throws ToolMissing */
  run(program: string, args: readonly string[]): Promise<ToolOutput>;
  /** Runs until it is stopped, and ends with this process in any case. */
  start(program: string, args: readonly string[], onLine: (line: string) => void): RunningTool;
}

/** The program is not installed. */
export class ToolMissing extends Error {
  constructor(program: string) {
    super(`${program} is not installed`);
    this.name = 'ToolMissing';
  }
}

/** `setpriv` (util-linux) makes the kernel kill the tool when its parent ends; otherwise the tool would block its line. */
const withParent = ['--pdeathsig', 'KILL', '--'];
/** The exit code of `setpriv`, as of a shell, when the program does not exist. */
const notFoundCode = 127;

/** The real ones, found in these folders (`PATH`). */
export const systemTools = (path: string): Tools => ({
  async run(program, args) {
    const output = await launch(path, program, args).ended;
    if (output.code === notFoundCode) throw new ToolMissing(program);
    return output;
  },
  start: (program, args, onLine) => launch(path, 'setpriv', [...withParent, program, ...args], onLine),
});

function launch(path: string, program: string, args: readonly string[], onLine?: (line: string) => void): RunningTool {
  const child = spawn(program, args, { env: { PATH: path, LC_ALL: 'C' }, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = `${stderr}${chunk.toString()}`.slice(-2000);
  });
  if (onLine === undefined) {
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
  } else {
    createInterface({ input: child.stdout }).on('line', onLine);
  }
  const ended = once(child, 'close').then(
    ([code]): ToolOutput => ({ code: typeof code === 'number' ? code : null, stdout, stderr: stderr.trim() }),
    (error: unknown): ToolOutput => {
      if (errnoOf(error) === 'ENOENT') return { code: notFoundCode, stdout, stderr: `${program} is not installed` };
      return { code: null, stdout, stderr: String(error) };
    },
  );
  return { ended, stop: () => void child.kill('SIGTERM') };
}
