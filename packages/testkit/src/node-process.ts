import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(import.meta.resolve('../../cli/bin/lcs.js'));
const builtProgram = fileURLToPath(import.meta.resolve('./built-program.js'));

/** A node in a separate process. */
export interface NodeProcess {
  /** Empty for a process that answers no requests. */
  readonly url: string;
  /** Of its broker, or the one it uses; undefined where the ready line has none. */
  readonly mqttUrl: string | undefined;
  readonly pid: number;
  /** The fields of its ready line. */
  readonly ready: Readonly<Record<string, unknown>>;
  /** Milliseconds from spawning to the ready line. */
  readonly startUpMs: number;
  readonly child: ChildProcess;
  /** Resolves when the process has ended, however. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  kill(signal: NodeJS.Signals): Promise<void>;
}

export interface NodeProcessOptions {
  /** `point:hits`: the process kills itself when it passes the named point for the n-th time. */
  readonly crashAt?: string;
  /** Network namespace of the process. Default: that of the tests. */
  readonly namespace?: string;
  /** Runs what `npm run build` has made, also where a source is newer. Default: what `lcs` runs. */
  readonly isBuilt?: boolean;
  /** Receives the lines of its log. */
  readonly onLog?: (line: string) => void;
}

interface ReadyLine {
  readonly ready: true;
  /** Null: it answers no requests. */
  readonly url: string | null;
  readonly mqtt?: unknown;
}

const isReadyLine = (value: unknown): value is ReadyLine =>
  typeof value === 'object' &&
  value !== null &&
  'ready' in value &&
  'url' in value &&
  (typeof value.url === 'string' || value.url === null);

/** Runs `lcs` with these args and waits for its ready line; rejects with what it wrote when it ends before. */
export async function startNodeProcess(
  args: readonly string[],
  { crashAt, namespace, isBuilt = false, onLog }: NodeProcessOptions = {},
): Promise<NodeProcess> {
  const spawnedAt = performance.now();
  const [command = '', ...all] = [
    // It becomes the program itself, with the same process ID.
    ...(namespace === undefined ? [] : ['ip', 'netns', 'exec', namespace]),
    ...[process.execPath, isBuilt ? builtProgram : program, ...args, '--json'],
  ];
  const child = spawn(command, all, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, ...(crashAt ? { LCS_CRASH_AT: crashAt } : {}) },
  });
  const ended = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
  let stderrText = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderrText = (stderrText + chunk.toString()).slice(-4000);
  });
  if (onLog !== undefined) createInterface({ input: child.stderr }).on('line', onLog);
  const ready = await new Promise<ReadyLine>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message: unknown = JSON.parse(line);
      if (isReadyLine(message)) resolve(message);
    });
    void ended.then(({ code, signal }) => {
      reject(new Error(`lcs ${args[0]} ended before it was ready (${code ?? signal}): ${stderrText}`));
    });
  });
  const { url, mqtt } = ready;
  return {
    url: url ?? '',
    ready: { ...ready },
    mqttUrl: typeof mqtt === 'string' ? mqtt : undefined,
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
