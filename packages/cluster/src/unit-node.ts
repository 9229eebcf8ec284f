import { randomUUID } from 'node:crypto';
import { ApiError, unitApi } from '@lcs/contract';
import type { UnitBoard, VialPlantState } from '@lcs/hardware';
import {
  adoptImport,
  type Clock,
  type CrashAt,
  createNodeSystem,
  type DataFolder,
  HttpShell,
  type Identity,
  jobHandlers,
  LifecycleTree,
  type Living,
  type Log,
  type NodePluginsOptions,
  type NodeSystem,
  nodeHandlers,
  type OnAnswer,
  programVersion,
  realClock,
  type SqliteDatabase,
  serve,
  TaskRunner,
  type UploadStore,
  WriterHost,
} from '@lcs/platform';
import { askLeaderTime, type Camera, type JobMemory, type UnitRole, type UnitTables } from '@lcs/unit';
import { chance } from './chance.ts';
import { type NodeHostOptions, nodeHost } from './node-host.ts';
import { startComposed, stopComposed } from './running-node.ts';
import { checkUnitName } from './unit-name.ts';
import { type BoardChoice, createUnitPart, openUnitStores } from './unit-part.ts';
import type { VialFile } from './vial-file.ts';

export interface UnitNodeOptions extends NodeHostOptions {
  readonly name: string;
  readonly dataFolder: string;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Base URL of its leader, asked at each attempt to enrol. */
  readonly leaderUrl: () => string;
  /** Takes its name over from another machine that has it: the one that is broken. */
  readonly replace?: boolean;
  readonly board: BoardChoice;
  /** Default: one that draws what is in the simulated vial. */
  readonly camera?: Camera;
  readonly log: Log;
  /** Sampling, time stamps, retention; real unless told. */
  readonly clock?: Clock;
  /** Sockets and time limits; always real. */
  readonly wire?: Clock;
  /** Instead of the broker that the configuration names. */
  readonly mqttUrl?: () => string | undefined;
  /** The thread to write in, up before this node: for many nodes in one process. Default: one of its own. */
  readonly writer?: WriterHost;
  /** Whether NTP keeps the host's clock. Default: what systemd says. */
  readonly hostSynced?: () => boolean;
  /** From 0 to 1; scatters retries. */
  readonly random?: () => number;
  /** For tests: an answer that is not the declared one becomes a logged 500. */
  readonly checkAnswers?: boolean;
  /** For tests: hears of each answer to a declared route. */
  readonly onAnswer?: OnAnswer;
  /** Where files of plugins come from, what installs packages, what their processes may take. */
  readonly plugins?: Partial<Pick<NodePluginsOptions, 'sources' | 'tool' | 'limits'>>;
  /** For crash tests. */
  readonly crashAt?: CrashAt;
}

/** A node with the unit role. */
export interface UnitNode extends Living {
  /** Known once started. */
  readonly url: string;
  readonly board: UnitBoard;
  readonly jobs: UnitRole['runtime'];
  /** What its jobs keep between runs. */
  readonly memory: JobMemory;
  /** Resolves when the node cannot go on (its store is lost) and must be stopped. */
  readonly failed: Promise<void>;
  /** Another simulated vial takes the place of the one in this process, after `passS` seconds of its own. */
  replaceVial(state: VialPlantState, passS: number): Promise<void>;
}

interface Running {
  readonly tree: LifecycleTree;
  readonly folder: DataFolder;
  readonly http: HttpShell;
  readonly role: UnitRole;
  readonly board: UnitBoard;
  readonly vialFile: VialFile | undefined;
}

/** What only a leader serves. */
const isForLeader = (path: string): boolean => /^\/(api|mcp|static|exports)(\/|$)/.test(path);

class OneUnitNode implements UnitNode {
  readonly name: string;
  readonly #options: UnitNodeOptions;
  readonly #clock: Clock;
  readonly #wire: Clock;
  readonly #failed = Promise.withResolvers<void>();
  #running: Running | undefined;

  constructor(options: UnitNodeOptions) {
    this.name = options.name;
    this.#options = options;
    this.#clock = options.clock ?? realClock();
    this.#wire = options.wire ?? realClock();
  }

  get url(): string {
    return this.#up().http.url;
  }

  get board(): UnitBoard {
    return this.#up().board;
  }

  get jobs(): UnitRole['runtime'] {
    return this.#up().role.runtime;
  }

  get memory(): JobMemory {
    return this.#up().role.memory;
  }

  get failed(): Promise<void> {
    return this.#failed.promise;
  }

  /** @throws StartupError with one sentence for the operator */
  async start(signal: AbortSignal): Promise<void> {
    checkUnitName(this.name);
    const { dataFolder, log } = this.#options;
    const compose = (folder: DataFolder, identity: Identity) => this.#compose(folder, identity);
    this.#running = await startComposed({ name: this.name, dataFolder, clock: this.#clock, log, compose }, signal);
  }

  async replaceVial(state: VialPlantState, passS: number): Promise<void> {
    await this.#up().vialFile?.replace(state, passS);
  }

  async stop(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    this.#running = undefined;
    await stopComposed(running);
  }

  async #compose(folder: DataFolder, identity: Identity): Promise<Running> {
    const { log, host, port, leaderUrl, mqttUrl, checkAnswers, crashAt } = this.#options;
    const clock = this.#clock;
    const wire = this.#wire;
    const writer = this.#options.writer ?? new WriterHost();
    const stores = await openUnitStores({
      ...{ dataFolder: folder.path, writer, clock, wire, log },
      ...(crashAt && { crashAt }),
      onFatal: () => this.#failed.resolve(),
    });
    const { database, outboxDatabase } = stores;
    const tasks = new TaskRunner({ database, clock, wire, log });
    const instance = randomUUID();
    const machine = nodeHost(folder.path, this.#options, { clock, log, newId: randomUUID });
    const { role, board, vialFile } = await createUnitPart({
      ...{ unit: this.name, dataFolder: folder.path, identity, instance, stores, nodeDatabase: database, tasks },
      ...{ clock, wire, log, crashAt, machine, leaderUrl, newId: randomUUID },
      ...(this.#options.replace && { replace: true }),
      address: () => ({ baseUrl: null, port: http.port }),
      board: this.#options.board,
      ...(this.#options.camera && { camera: this.#options.camera }),
      random: this.#options.random ?? chance,
      hostSynced: this.#options.hostSynced,
      ...(mqttUrl && { mqttUrl }),
      plugins: this.#options.plugins,
      system: () => system,
    });
    const system: NodeSystem = createNodeSystem({
      ...machine,
      ...{ unit: this.name, isLeader: false, leader: role.leader, version: programVersion, dataFolder: folder.path },
      ...{ clock: role.clock, wire, log, newId: randomUUID, tasks },
      stopJobs: async () => void (await role.runtime.stopJobs({})),
      leaderTime: () => askLeaderTime(new URL(leaderUrl()), wire),
      onClockSet: (utcMs) => role.clockSet(utcMs),
    });
    const http: HttpShell = this.#server(role, {
      instance,
      system,
      uploads: machine.uploads,
      tasks,
      database,
      host,
      port,
      checkAnswers,
    });
    const parts = [
      ...(vialFile ? [vialFile] : []),
      // First: the guard switches everything off when it starts, whatever becomes of the databases.
      ...board.parts,
      ...(this.#options.writer === undefined ? [writer] : []),
      database,
      outboxDatabase,
      ...role.parts,
      machine.uploads,
      adoptImport(folder.path, database),
      tasks,
      http,
      ...role.partsAfterHttp,
    ];
    return { tree: new LifecycleTree(this.name, parts, { log, wire }), folder, http, role, board, vialFile };
  }

  #server(
    role: UnitRole,
    { instance, system, uploads, tasks, database, host, port, checkAnswers }: ServerNeeds,
  ): HttpShell {
    const unit = this.name;
    const wire = this.#wire;
    const { log } = this.#options;
    const { afterDesired, clock, runtime, leader, mayStart, unavailable, handlers } = role;
    const jobs = () => runtime.definitions();
    const countUnread = ({ job = '' }: Readonly<Record<string, string>>) => runtime.countUnread(job);
    return new HttpShell({
      host,
      port,
      log: this.#options.log,
      clock: this.#wire,
      holds: this.#clock,
      apis: [
        afterDesired(
          serve(
            unitApi,
            {
              ...nodeHandlers({
                unit,
                version: programVersion,
                instance,
                clock,
                tasks,
                api: unitApi,
                jobs,
                unavailable,
              }),
              ...jobHandlers({
                ...{ runtime, tasks, database, clock, wire, log, unit, leader, mayStart },
                pid: process.pid,
              }),
              ...handlers,
              ...system.handlers,
            },
            { runJob: countUnread, runJobByPatch: countUnread },
          ),
        ),
      ],
      uploads,
      notFound: ({ path }) => {
        if (!isForLeader(path)) throw new ApiError('route_not_found', { path, list: '/unit_api/openapi.json' });
        const name = leader();
        const known = name === '' ? {} : { leader: { name, url: this.#options.leaderUrl() } };
        throw new ApiError('not_the_leader', { path, unit, ...known });
      },
      ...(checkAnswers ? { checkAnswers } : {}),
      ...(this.#options.onAnswer ? { onAnswer: this.#options.onAnswer } : {}),
    });
  }

  #up(): Running {
    if (!this.#running) throw new Error(`${this.name} is not running.`);
    return this.#running;
  }
}

interface ServerNeeds {
  readonly instance: string;
  readonly system: NodeSystem;
  readonly uploads: UploadStore;
  readonly tasks: TaskRunner;
  readonly database: SqliteDatabase<UnitTables>;
  readonly host: string;
  readonly port: number;
  readonly checkAnswers: boolean | undefined;
}

/** A unit, ready to be started. */
export const createUnitNode = (options: UnitNodeOptions): UnitNode => new OneUnitNode(options);
