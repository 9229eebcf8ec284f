import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { compileCacheForChild, reasonOf, StartupError } from '@lcs/platform';
import { programFile } from '../program-file.ts';
import type { BoardProcessOptions } from './board-process-options.ts';

/** A board process that can be reached. */
export interface BoardProcess {
  readonly pid: number;
  readonly ended: Promise<void>;
  /** Ends it with a signal; the socket's file is removed. */
  stop(): Promise<void>;
}

/** Starts a board process, in a process group of its own so that a signal to the node's group does not reach it. @throws StartupError */
export async function startBoardProcess(options: BoardProcessOptions): Promise<BoardProcess> {
  const program = fileURLToPath(programFile('board-process', import.meta.url));
  const child = spawn(process.execPath, [program, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: compileCacheForChild(),
  });
  const ended = once(child, 'exit').then(
    () => undefined,
    (error: unknown) => {
      throw new StartupError(`The simulated board did not start: ${reasonOf(error)}.`, { cause: error });
    },
  );
  await untilReady(child, ended);
  return {
    pid: child.pid ?? 0,
    ended,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function untilReady(child: ChildProcess, ended: Promise<void>): Promise<void> {
  let message = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    message = (message + chunk.toString()).slice(-4000);
  });
  const ready = child.stdout === null ? ended : once(child.stdout, 'data').then(() => 'ready' as const);
  if ((await Promise.race([ready, ended])) !== 'ready') {
    throw new StartupError(`The simulated board did not start: ${message}`);
  }
}
