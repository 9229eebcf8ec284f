import { mkdirSync, readFileSync } from 'node:fs';
import { createClient, leaderApi, waitForTask } from '@lcs/contract';
import { BoardLink } from '@lcs/hardware';
import { realClock } from '@lcs/platform';
import { startLeaderProcess, startUnitProcess } from '@lcs/testkit';
import { vi } from 'vitest';
import { type CompletedKill, ProcessRuns } from './killed-process.ts';
import { Ledger } from './ledger.ts';
import type { KillPlan } from './plan.ts';
import { StoredRecords } from './stored.ts';

export const experiment = 'nothing lost';
const readEveryMs = 400;
/** Two photodiodes, raw and as OD, growth rate and smooth OD: some 26 readings a second of each unit. */
const odOptions = { interval: 0.2 };
const jobs = ['stirring', 'od_reading', 'growth_rate_calculating'];
const photodiodes = '[od_config.photodiode_channel]\n1=45\n2=90\n';

const portOf = (url: string) => Number(new URL(url).port);

export interface FleetOptions {
  readonly folder: string;
  readonly plan: KillPlan;
  /** Of each unit. */
  readonly bufferMebibytes: number;
  /** `leader`: the leader's own; `process`: one in a process of its own. */
  readonly broker: 'leader' | 'process';
  /** Time limit for reaching a named point. */
  readonly pointTimeoutMs?: number;
}

/** A leader, a broker and units, each with a board and a guard, all of them processes that are killed as planned. */
export class Fleet implements AsyncDisposable {
  readonly kills: CompletedKill[] = [];
  readonly ledgers: readonly Ledger[];
  readonly wire = realClock();
  readonly #names: readonly string[];
  readonly #broker: ProcessRuns;
  readonly #leader: ProcessRuns;
  readonly #units: readonly ProcessRuns[];
  readonly #options: FleetOptions;
  #reading: { stop(): Promise<void> } | undefined;
  #unitPorts: readonly number[] = [];
  #leaderPort = 0;
  #brokerPort = 0;

  constructor(options: FleetOptions) {
    const { plan } = options;
    this.#options = options;
    this.#names = plan.units.map((_, index) => `unit${index + 1}`);
    this.ledgers = this.#names.map((name) => new Ledger(name, this.folderOf(name)));
    const onKill = (kill: CompletedKill) => {
      this.kills.push(kill);
    };
    const runs = (
      name: string,
      kills: KillPlan['leader'],
      start: (crashAt?: string) => ReturnType<typeof startLeaderProcess>,
    ) => new ProcessRuns({ name, kills, pointTimeoutMs: options.pointTimeoutMs ?? 40_000, start }, this.wire, onKill);
    // The broker of another leader: in its own process, without other clients.
    this.#broker = runs('broker', plan.broker, () =>
      startLeaderProcess({ dataFolder: this.folderOf('broker'), mqttPort: this.#brokerPort }),
    );
    this.#leader = runs('leader', plan.leader, (crashAt) =>
      startLeaderProcess({
        dataFolder: this.folderOf('leader'),
        port: this.#leaderPort,
        ...(options.broker === 'process' && { brokerUrl: this.mqttUrl }),
        ...(crashAt !== undefined && { crashAt }),
      }),
    );
    this.#units = this.#names.map((name, index) =>
      runs(name, plan.units[index] ?? [], (crashAt) =>
        startUnitProcess({
          name,
          leaderUrl: this.leaderUrl,
          dataFolder: this.folderOf(name),
          witnessPath: this.witnessOf(name),
          seed: index + 1,
          mqttUrl: this.mqttUrl,
          // A new address would have to be sent to a running leader.
          port: this.#unitPorts[index] ?? 0,
          ...(crashAt !== undefined && { crashAt }),
        }),
      ),
    );
  }

  folderOf(name: string): string {
    return `${this.#options.folder}/${name}`;
  }

  witnessOf(name: string): string {
    return `${this.#options.folder}/${name}.witness`;
  }

  get mqttUrl(): string {
    return `mqtt://127.0.0.1:${this.#brokerPort}`;
  }

  get leaderUrl(): string {
    return `http://127.0.0.1:${this.#leaderPort}`;
  }

  get client() {
    return createClient(leaderApi, { baseUrl: this.leaderUrl });
  }

  /** Everything is up and measures. */
  async begin(): Promise<void> {
    mkdirSync(this.#options.folder, { recursive: true });
    if (this.#options.broker === 'process') this.#brokerPort = portOf((await this.#broker.begin()).mqttUrl ?? '');
    const { url, mqttUrl } = await this.#leader.begin();
    this.#leaderPort = portOf(url);
    this.#brokerPort = portOf(mqttUrl ?? '');
    const { client } = this;
    const shared = readFileSync(`${this.folderOf('leader')}/config.ini`, 'utf8');
    const code = `${shared.replace(/\[od_config\.photodiode_channel\]\n[^[]*/, '')}\n${photodiodes}\n[outbox]\nmax_mb=${this.#options.bufferMebibytes}\n\n[resume]\nwait_s=10\n`;
    await client.saveSharedConfig({ body: { code } });
    await client.createExperiment({ body: { experiment } });
    const units = await Promise.all(this.#units.map((unit) => unit.begin()));
    this.#unitPorts = units.map(({ url: unitUrl }) => portOf(unitUrl));
    for (const reactor_unit of this.#names) {
      await client.registerWorker({ body: { reactor_unit, model_name: 'reactor_40ml', model_version: '1.5' } });
      await client.assignWorker({ params: { experiment }, body: { reactor_unit } });
    }
    await this.allOnline();
    await Promise.all(
      this.#names.map(async (reactor_unit) => {
        for (const job of jobs) await this.#run(reactor_unit, job, job === 'od_reading' ? odOptions : {});
      }),
    );
    for (const ledger of this.ledgers) ledger.open();
    // From now on and to the end: a unit may trim or thin out at any time.
    this.#reading = this.#readAlong();
  }

  async #run(reactor_unit: string, job: string, options: Record<string, number>): Promise<void> {
    const accepted = await this.client.runWorkerJob({ params: { reactor_unit, experiment, job }, body: { options } });
    const task = await waitForTask(this.leaderUrl, accepted, { sleep: (ms) => this.wire.sleep(ms) });
    if (task.status !== 'succeeded' || !JSON.stringify(task.result).includes('"ok":true'))
      throw new Error(`${job} of ${reactor_unit} did not start: ${JSON.stringify(task)}`);
  }

  async allOnline(): Promise<void> {
    await vi.waitFor(
      async () => {
        const units = await this.client.listUnits();
        for (const name of this.#names) {
          const unit = units.find(({ reactor_unit }) => reactor_unit === name);
          if (unit?.liveness !== 'online' || unit.applied_version < unit.desired_version || unit.desired_version === 0)
            throw new Error(`${name} is not there yet: ${JSON.stringify(unit)}`);
        }
      },
      { timeout: 60_000, interval: 200 },
    );
  }

  async runKillPlan(): Promise<void> {
    await Promise.all([this.#broker, this.#leader, ...this.#units].map((runs) => runs.run()));
    await this.allOnline();
  }

  /** How many readings the units commit in a second, each, over `seconds`. */
  async rate(seconds: number): Promise<number[]> {
    const readings = () => {
      for (const ledger of this.ledgers) ledger.read();
      return this.ledgers.map(({ records }) => records.filter(({ series }) => series !== null).length);
    };
    const before = readings();
    const sinceMs = this.wire.monotonic();
    await this.wire.sleep(1_000 * seconds);
    const after = readings();
    const passedS = (this.wire.monotonic() - sinceMs) / 1_000;
    return after.map((count, index) => (count - (before[index] ?? 0)) / passedS);
  }

  /** Jobs are stopped, and the leader has all that was committed until then: up to these numbers, by unit. */
  async catchUp(): Promise<ReadonlyMap<string, number>> {
    const params = { reactor_unit: '$broadcast', experiment };
    const accepted = await this.client.stopWorkerJobsOfExperiment({ params });
    await waitForTask(this.leaderUrl, accepted, { sleep: (ms) => this.wire.sleep(ms) });
    for (const ledger of this.ledgers) ledger.read();
    const heads = new Map(this.ledgers.map(({ unit, head }) => [unit, head]));
    using stored = new StoredRecords(this.folderOf('leader'));
    await vi.waitFor(
      () => {
        for (const { unit, epoch, head } of this.ledgers) {
          const [mark] = stored.rows('select seq from feed_marks where reactor_unit = ? and epoch = ?', unit, epoch);
          if (Number(mark?.seq ?? 0) < head) throw new Error(`${unit} is at ${String(mark?.seq)} of ${head}.`);
        }
      },
      { timeout: 60_000, interval: 200 },
    );
    return heads;
  }

  /** Every unit continues its work from before it was killed. */
  async allMeasure(): Promise<void> {
    await vi.waitFor(
      async () => {
        const accepted = await this.client.listWorkerRunningJobs({ params: { reactor_unit: '$broadcast' } });
        const task = await waitForTask(this.leaderUrl, accepted, { sleep: (ms) => this.wire.sleep(ms) });
        const result: Record<string, unknown> = task.status === 'succeeded' ? { ...Object(task.result) } : {};
        for (const name of this.#names) {
          const running = JSON.stringify(result[name] ?? null);
          for (const job of jobs)
            if (!running.includes(`"job_name":"${job}"`)) throw new Error(`${name} does not run ${job}: ${running}`);
        }
      },
      { timeout: 60_000, interval: 500 },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reading?.stop();
    for (const ledger of this.ledgers) ledger.close();
    await this.end('SIGKILL');
  }

  /** Ends everything, the boards too, which outlive their units. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await this.#reading?.stop();
    await Promise.all([...this.#units, this.#leader, this.#broker].map((runs) => runs.end(signal)));
    for (const name of this.#names) await this.#endBoard(`${this.folderOf(name)}/run/board.sock`);
  }

  async #endBoard(socketPath: string): Promise<void> {
    const link = new BoardLink({ socketPath, wire: this.wire });
    const pid = await link.pid().catch(() => undefined);
    await link.stop();
    if (pid !== undefined) process.kill(pid, 'SIGTERM');
  }

  #readAlong(): { stop(): Promise<void> } {
    const ending = new AbortController();
    const loop = async () => {
      while (!ending.signal.aborted) {
        for (const ledger of this.ledgers) ledger.read();
        await this.wire.sleep(readEveryMs, ending.signal).catch(() => undefined);
      }
      for (const ledger of this.ledgers) ledger.read();
    };
    const ended = loop();
    return {
      stop: async () => {
        ending.abort();
        await ended;
      },
    };
  }
}
