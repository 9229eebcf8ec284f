import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(import.meta.resolve('../../cli/bin/lcs.js'));

export interface LeaderProcessOptions {
  readonly dataFolder: string;
  /** `point:hits`: the process kills itself when it passes the named point for the n-th time. */
  readonly crashAt?: string;
  readonly port?: number;
}

/** A leader in a process of its own. */
export interface LeaderProcess {
  readonly url: string;
  readonly pid: number;
  /** Milliseconds from spawning to the ready line. */
  readonly startUpMs: number;
  readonly child: ChildProcess;
  /** Resolves when the process has ended, however. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  kill(signal: NodeJS.Signals): Promise<void>;
}

interface ReadyLine {
  readonly ready: true;
  readonly url: string;
}

const isReadyLine = (value: unknown): value is ReadyLine =>
  typeof value === 'object' && value !== null && 'ready' in value && 'url' in value && typeof value.url === 'string';

/** Starts `lcs leader` and waits for its ready line; rejects with what it wrote when it ends before. */
export async function startLeaderProcess(options: LeaderProcessOptions): Promise<LeaderProcess> {
  const spawnedAt = performance.now();
  const child = spawn(
    process.execPath,
    [
      program,
      'leader',
      '--json',
      '--port',
      String(options.port ?? 0),
      '--mqtt-port',
      '0',
      '--data-dir',
      options.dataFolder,
    ],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, ...(options.crashAt ? { LCS_CRASH_AT: options.crashAt } : {}) },
    },
  );
  const ended = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-4000);
  });
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message: unknown = JSON.parse(line);
      if (isReadyLine(message)) resolve(message.url);
    });
    void ended.then(({ code, signal }) => {
      reject(new Error(`the leader ended before it was ready (${code ?? signal}): ${complaint}`));
    });
  });
  return {
    url,
    pid: child.pid ?? 0,
    startUpMs: performance.now() - spawnedAt,
    child,
    ended,
    kill: async (signal) => {
      child.kill(signal);
      await ended;
    },
  };
}
