import { join } from 'node:path';
import { ApiError } from '@lcs/contract';
import type { HistoryPort } from '@lcs/leader';
import {
  type Clock,
  isLoopback,
  type Log,
  realClock,
  type Service,
  StartupError,
  type TaskContext,
  type TaskRunner,
  UncleanStop,
  WriterHost,
} from '@lcs/platform';
import { createLeaderNode, type LeaderNode, type LeaderNodeOptions, type OwnCalls } from '../leader-node.ts';
import { createUnitNode, type UnitNode } from '../unit-node.ts';
import { DemoBeginning } from './demo-beginning.ts';
import { DemoProgress } from './demo-progress.ts';
import { type DemoUnit, demoUnits, pastHours } from './demo-units.ts';
import { fewAtOnce } from './few-at-once.ts';

export interface DemoOptions extends Omit<LeaderNodeOptions, 'extend'> {
  /** 0 to 200 units in this process, each with a server and a data folder of its own. */
  readonly units: number;
  /** Growth runs this many times faster, 1 to 1,000. */
  readonly speed: number;
  /** Of the first start in a data folder; later ones continue with the stored state. */
  readonly seed: number;
  /** Hours before the first start that the units have measured. Default: a day. */
  readonly pastHours?: number;
}

/** A leader and simulated units in one process. */
export interface Demo extends Service {
  readonly url: string;
  readonly mqttUrl: string | undefined;
  readonly units: readonly { readonly name: string; readonly url: string }[];
  /** Resolves when it has failed and must be stopped. */
  readonly failed: Promise<void>;
}

interface LeaderParts {
  readonly tasks: TaskRunner;
  readonly history: HistoryPort;
  readonly own: () => OwnCalls;
}

interface RunningUnit {
  readonly unit: DemoUnit;
  readonly node: UnitNode;
}

/** Nodes that start concurrently. */
const startsAtOnce = 8;
/** Units whose first start is completed concurrently; most of the time is waiting for their jobs. */
const completedAtOnce = 4;

class DemoNodes implements Demo {
  readonly name = 'demo';
  readonly #options: DemoOptions;
  readonly #clock: Clock;
  readonly #wire: Clock;
  readonly #log: Log;
  readonly #leader: LeaderNode;
  readonly #progress: DemoProgress;
  readonly #writer = new WriterHost();
  readonly #failed = Promise.withResolvers<void>();
  readonly #ending = new AbortController();
  #leaderParts: LeaderParts | undefined;
  #beginning: DemoBeginning | undefined;
  #running: RunningUnit[] = [];
  /** The task that completes the beginning; never rejects. */
  #completing: Promise<unknown> = Promise.resolve();

  constructor(options: DemoOptions) {
    this.#options = options;
    this.#clock = options.clock ?? realClock();
    this.#wire = options.wire ?? realClock();
    this.#log = options.log;
    this.#progress = new DemoProgress(options.dataFolder);
    this.#leader = createLeaderNode({
      ...options,
      extend: ({ tasks, history, own }) => {
        this.#leaderParts = { tasks, history, own };
        tasks.register(this.#completion);
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
    const { host } = this.#options;
    if (!isLoopback(host))
      throw new StartupError(
        `The demonstration is for this machine only: it cannot listen on ${host}. On a network run lcs leader, and lcs unit on each unit.`,
      );
    await this.#leader.start(signal);
    try {
      await this.#progress.load();
      const units = demoUnits(this.#options.units, this.#options.speed);
      if (units.length > 0) await this.#startUnits(units, signal);
    } catch (error) {
      const [stop] = await Promise.allSettled([this.stop()]);
      // Report why it did not start, unless the start was cancelled.
      throw signal.aborted && stop.status === 'rejected' ? stop.reason : error;
    }
  }

  /** Stops all nodes, each whether or not the others succeeded. @throws UncleanStop */
  async stop(): Promise<void> {
    this.#ending.abort(new ApiError('shutting_down', {}));
    await this.#completing;
    // The leader last: it receives the last records of the units.
    const running = this.#running;
    this.#running = [];
    const ends = await Promise.allSettled(running.map(({ node }) => node.stop()));
    ends.push(...(await Promise.allSettled([this.#writer.stop()])));
    ends.push(...(await Promise.allSettled([this.#leader.stop()])));
    const errors: unknown[] = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    for (const error of errors) {
      // The nodes have logged the parts that did not stop.
      if (!(error instanceof UncleanStop)) this.#log.error('The demo did not stop cleanly.', { error });
    }
    if (errors.length > 0) throw new UncleanStop(errors, `${errors.length} parts of the demo did not stop cleanly.`);
  }

  async #startUnits(units: readonly DemoUnit[], signal: AbortSignal): Promise<void> {
    if (this.#leaderParts === undefined) throw new Error('The leader is not running.');
    const { tasks, history, own } = this.#leaderParts;
    const beginning = new DemoBeginning({
      progress: this.#progress,
      pastHours: this.#options.pastHours ?? pastHours,
      history,
      own: own(),
      clock: this.#clock,
      wire: this.#wire,
      log: this.#log,
    });
    this.#beginning = beginning;
    await beginning.begin(units, this.#options.seed, signal);
    await this.#writer.start();
    await fewAtOnce(startsAtOnce, units, async (unit) => {
      const node = await this.#nodeOf(unit, beginning);
      await node.start(signal);
      this.#running.push({ unit, node });
      await beginning.calibrate(unit, node);
      void node.failed.then(() => this.#failed.resolve());
    });
    this.#running.sort((a, b) => units.indexOf(a.unit) - units.indexOf(b.unit));
    await beginning.addUnits(units, signal);
    await beginning.written;
    // A start does not wait for jobs, nor for the past of the other units.
    if (this.#incomplete().length > 0) await tasks.submit(this.#completion, {});
  }

  async #nodeOf({ name, vial }: DemoUnit, beginning: DemoBeginning): Promise<UnitNode> {
    const { host, log, seed, checkResponses } = this.#options;
    const dataFolder = join(this.#options.dataFolder, 'units', name);
    const code = await beginning.codeFor(dataFolder);
    return createUnitNode({
      name,
      dataFolder,
      ...(code !== undefined && { code }),
      host,
      port: 0,
      leaderUrl: () => this.#leader.url,
      board: {
        kind: 'here',
        seed: this.#progress.seed ?? seed,
        vial: { ...vial, ...beginning.vialOf(name) },
        oversampling: 'closed_form',
      },
      log,
      clock: this.#clock,
      wire: this.#wire,
      writer: this.#writer,
      hostSynced: () => true,
      mqttUrl: () => this.#leader.mqttUrl,
      ...(checkResponses === undefined ? {} : { checkResponses }),
    });
  }

  #incomplete(): readonly RunningUnit[] {
    const { incompleteUnits } = this.#progress;
    return this.#running.filter(({ unit }) => incompleteUnits.includes(unit.name));
  }

  readonly #completion = {
    kind: 'demo.begin',
    lock: 'demo',
    run: (_input: Record<string, never>, context: TaskContext) => {
      const completed = this.#complete(context);
      this.#completing = completed.catch(() => {});
      return completed;
    },
  };

  async #complete({ signal, progress }: TaskContext) {
    const incomplete = this.#incomplete();
    const until = AbortSignal.any([signal, this.#ending.signal]);
    const failed: string[] = [];
    let count = 0;
    progress(0, `The past and the jobs of ${incomplete.length} units`);
    await fewAtOnce(completedAtOnce, incomplete, async ({ unit, node }) => {
      try {
        await this.#beginning?.complete(unit, node, until);
      } catch (error) {
        if (until.aborted) throw error;
        // The others still start; this one is retried at the next start.
        this.#log.error('The first start of a simulated unit failed', { unit: unit.name, error });
        failed.push(unit.name);
      }
      count += 1;
      progress(count / incomplete.length);
    });
    return { units: count - failed.length, failed };
  }
}

/** A leader with simulated units and a day of their past, ready to be started. */
export const createDemo = (options: DemoOptions): Demo => new DemoNodes(options);
