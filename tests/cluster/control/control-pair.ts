import { createClient, leaderApi } from '@lcs/contract';
import { PostgresAdmin } from '@lcs/platform/testing';
import { type NodeProcess, startApiProcess, startControlProcess } from '@lcs/testkit';
import { vi } from 'vitest';

export interface ControlPairOptions {
  readonly dataFolder: string;
  readonly database: string;
  readonly mqttPort: number;
}

/** How the active process ends: by a kill, or because the server ends the connection of its lock. */
export type End = 'killed' | 'cut off';

/** What a process answers at an address. */
export async function answerAt(process: NodeProcess, path: string): Promise<{ status: number; code: unknown }> {
  const response = await fetch(`${process.url}${path}`);
  const body: unknown = await response.json();
  return { status: response.status, code: typeof body === 'object' && body !== null && Reflect.get(body, 'code') };
}

/** The active process of a database and its standby, both with one data folder, and an api process in front of them. */
export class ControlPair implements AsyncDisposable {
  active: NodeProcess;
  standby: NodeProcess;
  readonly api: NodeProcess;
  readonly #options: ControlPairOptions;

  private constructor(options: ControlPairOptions, active: NodeProcess, standby: NodeProcess, api: NodeProcess) {
    this.#options = options;
    this.api = api;
    this.active = active;
    this.standby = standby;
  }

  static async start(options: ControlPairOptions): Promise<ControlPair> {
    const active = await startControlProcess(options);
    const [standby, api] = await Promise.all([startControlProcess(options), startApiProcess(options.database)]);
    return new ControlPair(options, active, standby, api);
  }

  get client() {
    return createClient(leaderApi, { baseUrl: this.active.url });
  }

  /** Ends the active process, and waits until the standby has taken over. Resolves to the time from the end to that, in milliseconds. */
  async takeOver(end: End): Promise<{ ended: NodeProcess['ended']; tookMs: number }> {
    const { active, standby } = this;
    const sinceMs = performance.now();
    if (end === 'killed') active.child.kill('SIGKILL');
    else await this.#cutOff();
    await vi.waitFor(
      async () => {
        const { status } = await answerAt(standby, '/readyz').catch(() => ({ status: 0 }));
        if (status !== 200) throw new Error(`The standby is not active yet: ${status}.`);
      },
      { timeout: 30_000, interval: 50 },
    );
    this.active = standby;
    return { ended: active.ended, tookMs: performance.now() - sinceMs };
  }

  async nextStandby(): Promise<void> {
    this.standby = await startControlProcess(this.#options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.standby, this.active, this.api].map((process) => process.kill('SIGKILL')));
  }

  /** Only the connection of the lock: the process could still write by the others. */
  async #cutOff(): Promise<void> {
    await using admin = await PostgresAdmin.open(this.#options.database);
    await admin.run(`select pg_terminate_backend(pid) from pg_locks
      where locktype = 'advisory' and granted and objid::bigint = hashtext('active')::bigint & 4294967295
        and database = (select oid from pg_database where datname = current_database())`);
  }
}
