import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import sparing from '../../packages/cli/bin/sparing.json' with { type: 'json' };

/** What `measure-process.js` tells. */
export interface Measurement {
  readonly residentBytes: number;
  readonly eventLoopDelayP99Ms: number;
}

export interface LeaderUnderLoad extends AsyncDisposable {
  readonly url: string;
  readonly mqttUrl: string;
  readonly pid: number;
  readonly databasePath: string;
  readonly startUpMs: number;
  measure(): Promise<Measurement>;
}

/** A leader in a process of its own, on a fresh data folder and on any free port unless told; `words` are further options. */
export async function startLeaderUnderLoad(
  dataFolder?: string,
  port = 0,
  words: readonly string[] = [],
): Promise<LeaderUnderLoad> {
  const folder = dataFolder ?? (await mkdtemp(join(tmpdir(), 'lcs-bench-')));
  const spawnedAt = performance.now();
  const child: ChildProcess = fork(
    fileURLToPath(new URL('../../packages/cli/bin/lcs.js', import.meta.url)),
    ['leader', '--json', '--port', String(port), '--mqtt-port', '0', '--data-dir', folder, ...words],
    {
      stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
      // `lcs leader` begins anew with these flags and this environment, which would cut the channel.
      execArgv: [...sparing.flags.leader, '--import', new URL('./measure-process.js', import.meta.url).href],
      env: { ...sparing.environment.leader, ...process.env },
    },
  );
  if (!child.stdout) throw new Error('the leader has no output');
  const [line]: string[] = await once(createInterface({ input: child.stdout }), 'line');
  const startUpMs = performance.now() - spawnedAt;
  const ready: { url: string; mqtt: string } = JSON.parse(line ?? '{}');
  return {
    url: ready.url,
    mqttUrl: ready.mqtt,
    pid: child.pid ?? 0,
    databasePath: join(folder, 'storage', 'leader.sqlite'),
    startUpMs,
    measure: async () => {
      child.send('measure');
      const [measurement]: Measurement[] = await once(child, 'message');
      if (!measurement) throw new Error('the leader did not answer');
      return measurement;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
      if (!dataFolder) await rm(folder, { recursive: true, force: true });
    },
  };
}
