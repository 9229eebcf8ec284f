import { join } from 'node:path';
import { createClient, leaderApi, waitForTask } from '@lcs/contract';
import type { HistoryPort } from '@lcs/leader';
import {
  type Clock,
  type Living,
  type Log,
  realClock,
  type TaskContext,
  type TaskRunner,
  WriterHost,
} from '@lcs/platform';
import type { PastEnd } from '@lcs/unit';
import { createLeaderNode, type LeaderNode, type LeaderNodeOptions } from '../leader-node.ts';
import { createUnitNode, type UnitNode } from '../unit-node.ts';
import { DemoBook } from './demo-book.ts';
import {
  type DemoUnit,
  demoExperiment,
  demoJobs,
  demoModel,
  demoUnits,
  pastHours,
  unitsBeforeReady,
} from './demo-units.ts';
import { writePast } from './past-writer.ts';

export interface DemoOptions extends Omit<LeaderNodeOptions, 'extend'> {
  /** 0 to 200 units in this process, each with a server and a data folder of its own. */
  readonly units: number;
  /** Growth runs this many times faster, 1 to 1,000. */
  readonly speed: number;
  readonly seed: number;
}

/** A leader and simulated units in one process. */
export interface Demo extends Living {
  readonly url: string;
  readonly mqttUrl: string | undefined;
  readonly units: readonly { readonly name: string; readonly url: string }[];
  /** Resolves when it cannot go on and must be stopped. */
  readonly failed: Promise<void>;
}

interface RunningUnit {
  readonly unit: DemoUnit;
  readonly node: UnitNode;
}

const hourMs = 3_600_000;
/** So many nodes start at once. */
const startsAtOnce = 8;
const memberWithinMs = 60_000;

class OneDemo implements Demo {
  readonly name = 'demo';
  readonly #options: DemoOptions;
  readonly #clock: Clock;
  readonly #wire: Clock;
  readonly #log: Log;
  readonly #leader: LeaderNode;
  readonly #book: DemoBook;
  readonly #writer = new WriterHost();
  readonly #failed = Promise.withResolvers<void>();
  readonly #pasts = new Map<string, PastEnd>();
  #inside: { readonly tasks: TaskRunner; readonly history: HistoryPort } | undefined;
  #running: RunningUnit[] = [];

  constructor(options: DemoOptions) {
    this.#options = options;
    this.#clock = options.clock ?? realClock();
    this.#wire = options.wire ?? realClock();
    this.#log = options.log;
    this.#book = new DemoBook(options.dataFolder);
    this.#leader = createLeaderNode({
      ...options,
      extend: ({ tasks, history }) => {
        this.#inside = { tasks, history };
        tasks.register(this.#beginning);
        return [];
      },
    });
  }

  get url(): string {
    return this.#leader.url;
  }

  get mqttUrl(): string | undefined {
    return this.#leader.mqttUrl;
  }

  get units(): Demo['units'] {
    return this.#running.map(({ unit, node }) => ({ name: unit.name, url: node.url }));
  }

  get failed(): Promise<void> {
    return Promise.race([this.#failed.promise, this.#leader.failed]);
  }

  /** @throws StartupError with one sentence for the operator */
  async start(signal: AbortSignal): Promise<void> {
    await this.#leader.start(signal);
    try {
      await this.#book.load();
      const units = demoUnits(this.#options.units, this.#options.speed);
      if (units.length === 0) return;
      await this.#begin(units, signal);
      await this.#writer.start();
      await this.#startUnits(units, signal);
      await this.#goOn(units);
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    // The leader last: what units still have to tell reaches it.
    const running = this.#running;
    this.#running = [];
    await Promise.all(running.map(({ node }) => node.stop()));
    await this.#writer.stop();
    await this.#leader.stop();
  }

  /** At the first start: the experiment, and the past of the first units. */
  async #begin(units: readonly DemoUnit[], signal: AbortSignal): Promise<void> {
    const { history } = this.#up();
    if (this.#book.begun === undefined) {
      const now = this.#clock.now();
      const beganAt = now - pastHours * hourMs;
      const begun = await history.begin({
        name: demoExperiment,
        description:
          'Simulated yeast in batch culture at 25 °C. Try it: stop stirring, change its speed, start heating.',
        tags: ['demo', 'yeast'],
        beganAt,
        units: units.map(({ name }) => ({ unit: name, model: demoModel })),
      });
      if (begun === undefined) return;
      const { seed } = this.#options;
      await this.#book.begin({
        seed,
        experiment: begun.name,
        experiment_uid: begun.uid,
        began_at: beganAt,
        started_at: now,
      });
    }
    for (const unit of this.#unbegun(units).slice(0, unitsBeforeReady)) await this.#writePast(unit, signal);
  }

  /** Units of the experiment whose beginning is not complete. */
  #unbegun(units: readonly DemoUnit[]): readonly DemoUnit[] {
    const { begun } = this.#book;
    return begun === undefined ? [] : units.filter(({ name }) => !begun.done.includes(name));
  }

  async #writePast({ name, vial }: DemoUnit, signal: AbortSignal): Promise<void> {
    const { begun } = this.#book;
    if (begun === undefined) return;
    // The past was not hurried: speed is what happens from now on.
    const past = await writePast(
      {
        unit: name,
        settings: { ...vial, speed: 1 },
        seed: begun.seed,
        experimentUid: begun.experiment_uid,
        fromMs: begun.began_at,
        toMs: begun.started_at,
      },
      { history: this.#up().history, wire: this.#wire, signal },
    );
    this.#pasts.set(name, past);
  }

  async #startUnits(units: readonly DemoUnit[], signal: AbortSignal): Promise<void> {
    const waiting = [...units];
    const startSome = async () => {
      for (let unit = waiting.shift(); unit !== undefined; unit = waiting.shift()) {
        const node = this.#nodeOf(unit);
        await node.start(signal);
        void node.failed.then(() => this.#failed.resolve());
        this.#running.push({ unit, node });
      }
    };
    await Promise.all(Array.from({ length: startsAtOnce }, startSome));
    this.#running.sort((a, b) => units.indexOf(a.unit) - units.indexOf(b.unit));
  }

  #nodeOf({ name, vial }: DemoUnit): UnitNode {
    const { dataFolder, host, log, seed } = this.#options;
    const past = this.#pasts.get(name);
    const goesOn = past && {
      state: past.vial,
      passS: Math.max(0, this.#clock.now() - (this.#book.begun?.started_at ?? 0)) / 1000,
    };
    return createUnitNode({
      name,
      dataFolder: join(dataFolder, 'units', name),
      host,
      port: 0,
      leaderUrl: () => this.#leader.url,
      board: {
        kind: 'here',
        seed: this.#book.begun?.seed ?? seed,
        vial: { ...vial, ...goesOn },
        oversampling: 'closed_form',
      },
      log,
      clock: this.#clock,
      wire: this.#wire,
      writer: this.#writer,
      hostSynced: () => true,
      mqttUrl: () => this.#leader.mqttUrl,
    });
  }

  /** What a start does not wait for: jobs, and the past of the other units. */
  async #goOn(units: readonly DemoUnit[]): Promise<void> {
    if (this.#unbegun(units).length > 0) await this.#up().tasks.submit(this.#beginning, {});
  }

  readonly #beginning = {
    kind: 'demo.begin',
    lock: 'demo',
    run: async (_input: Record<string, never>, { signal, progress }: TaskContext) => {
      const units = this.#unbegun(this.#running.map(({ unit }) => unit));
      for (const [index, unit] of units.entries()) {
        progress(index / units.length, `Simulating the day before of ${unit.name}`);
        signal.throwIfAborted();
        await this.#beginUnit(unit, signal);
      }
      return { units: units.length };
    },
  };

  async #beginUnit(unit: DemoUnit, signal: AbortSignal): Promise<void> {
    const { begun } = this.#book;
    const node = this.#running.find((running) => running.unit === unit)?.node;
    if (begun === undefined || node === undefined) return;
    if (!this.#pasts.has(unit.name)) await this.#writePast(unit, signal);
    for (const [key, value] of Object.entries(this.#pasts.get(unit.name)?.memory ?? {})) {
      node.memory.write(begun.experiment_uid, key, value);
    }
    await this.#startJobs(unit.name, signal);
    await this.#book.done(unit.name);
  }

  async #startJobs(unit: string, signal: AbortSignal): Promise<void> {
    const leader = createClient(leaderApi, { baseUrl: this.#leader.url });
    const sleep = (ms: number) => this.#wire.sleep(ms, signal);
    const until = this.#wire.monotonic() + memberWithinMs;
    const isMember = async () =>
      (await leader.listUnits()).some(
        ({ reactor_unit, applied_version }) => reactor_unit === unit && applied_version > 0,
      );
    while (!(await isMember()) && this.#wire.monotonic() < until) await sleep(100);
    for (const { job, options } of demoJobs) {
      const params = { reactor_unit: unit, job, experiment: demoExperiment };
      const accepted = await leader.runWorkerJob({ params, body: { options, env: { JOB_SOURCE: 'demo' } } });
      const ended = await waitForTask(this.#leader.url, accepted, { sleep, signal });
      if (ended.status === 'failed') this.#log.warn('A job of the demonstration did not start', { unit, job, ended });
    }
  }

  #up() {
    if (this.#inside === undefined) throw new Error('The demonstration is not running.');
    return this.#inside;
  }
}

/** A leader with simulated units and a day of their past, ready to be started. */
export const createDemo = (options: DemoOptions): Demo => new OneDemo(options);
