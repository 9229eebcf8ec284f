import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  checkLeaderName,
  createLeaderRole,
  type HistoryPort,
  type LeaderRole,
  type LeaderSchema,
  leaderMigrations,
  loadBackupPlace,
  loadBrokerSettings,
  loadLiveConnections,
} from '@lcs/leader';
import {
  adoptImport,
  type Clock,
  type CrashAt,
  crashPassage,
  createNodeSystem,
  type DataFolder,
  type HttpAddress,
  HttpShell,
  type Identity,
  jobMigrations,
  LifecycleTree,
  type Living,
  type Log,
  type NodePluginsOptions,
  type OnAnswer,
  type Probe,
  programVersion,
  realClock,
  SqliteDatabase,
  type TaskRunner,
  taskMigrations,
  type WriterHost,
} from '@lcs/platform';
import type { BoardChoice } from './board-stage.ts';
import { boardlessSide } from './boardless-side.ts';
import { createFolder } from './create-folder.ts';
import type { LeaderSide, LeaderSideNeeds } from './leader-side.ts';
import { machineStage, type NodeHostOptions, randomFraction, systemSynced } from './machine-stage.ts';
import type { NodeInputs } from './node-inputs.ts';
import { startComposed, stopComposed } from './running-node.ts';

export interface LeaderNodeOptions extends NodeHostOptions {
  /** The leader's own unit name. */
  readonly name: string;
  readonly dataFolder: string;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Its own board, which makes the node a unit too. Default: it has none. */
  readonly board?: BoardChoice;
  /** Of the embedded broker; 0: any free port. Default: what leader.ini says, else 1883. */
  readonly mqttPort?: number;
  /** An external broker instead of the one that leader.ini says. */
  readonly brokerUrl?: string;
  readonly log: Log;
  /** Time stamps, ages, retention; real by default. */
  readonly clock?: Clock;
  /** Whether NTP keeps the host's clock now; default: as systemd says. */
  readonly hostSynced?: () => boolean;
  /** Sockets and time limits; always real. */
  readonly wire?: Clock;
  /** For tests: an answer that is not the declared one becomes a logged 500. */
  readonly checkAnswers?: boolean;
  /** For tests: hears of each answer to a declared route. */
  readonly onAnswer?: OnAnswer;
  /** The thread in which its store is written, up before this and shared with other nodes. Default: one of its own. */
  readonly writer?: WriterHost;
  /** For crash tests. */
  readonly crashAt?: CrashAt;
  /** For tests: called at each named point (docs/interfaces.md, 12). */
  readonly probe?: Probe;
  /** Where files of plugins come from, what installs packages, what their processes may take. */
  readonly plugins?: Partial<Pick<NodePluginsOptions, 'sources' | 'tool' | 'limits'>>;
  /** Further parts of this node, started last; kinds of tasks can be registered here. */
  readonly extend?: (inside: LeaderInside) => readonly Living[];
}

/** What an extension of the node may use. */
interface LeaderInside {
  readonly tasks: TaskRunner;
  readonly history: HistoryPort;
  readonly clock: Clock;
}

/** A node with the leader role. */
export interface LeaderNode extends Living {
  /** Known once started. */
  readonly url: string;
  /** Where clients find the broker; undefined where there is none. */
  readonly mqttUrl: string | undefined;
  /** People's notes of the volumes of vials. */
  readonly volumeNotes: LeaderRole['volumeNotes'];
  /** Resolves when the node cannot go on (its store is lost) and must be stopped. */
  readonly failed: Promise<void>;
}

/** The built page lies beside its sources, in a clone as in the package. */
const pageFolder = fileURLToPath(new URL('../../web/dist', import.meta.url));

/** Loads the code for a board only if there is one: most leaders have none. */
async function composedSide(needs: LeaderSideNeeds, board: BoardChoice | undefined): Promise<LeaderSide> {
  if (board === undefined) return boardlessSide(needs);
  const { boardSide } = await import('./board-side.ts');
  return boardSide(needs, board);
}

interface Running {
  readonly tree: LifecycleTree;
  readonly folder: DataFolder;
  readonly address: HttpAddress;
  readonly role: LeaderRole;
}

class OneLeaderNode implements LeaderNode {
  readonly name: string;
  readonly #options: LeaderNodeOptions;
  readonly #clock: Clock;
  readonly #wire: Clock;
  readonly #failed = Promise.withResolvers<void>();
  #running: Running | undefined;

  constructor(options: LeaderNodeOptions) {
    this.name = options.name;
    this.#options = options;
    this.#clock = options.clock ?? realClock();
    this.#wire = options.wire ?? realClock();
  }

  get url(): string {
    return this.#up().address.url;
  }

  get mqttUrl(): string | undefined {
    return this.#up().role.broker.url;
  }

  get volumeNotes(): LeaderRole['volumeNotes'] {
    return this.#up().role.volumeNotes;
  }

  get failed(): Promise<void> {
    return this.#failed.promise;
  }

  /** @throws StartupError with one sentence for the operator */
  async start(signal: AbortSignal): Promise<void> {
    checkLeaderName(this.name);
    const { dataFolder, log } = this.#options;
    const compose = (folder: DataFolder, identity: Identity) => this.#compose(folder, identity);
    this.#running = await startComposed({ name: this.name, dataFolder, clock: this.#clock, log, compose }, signal);
  }

  async stop(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    this.#running = undefined;
    await stopComposed(running);
  }

  async #compose(folder: DataFolder, identity: Identity): Promise<Running> {
    const { log, host, port, mqttPort, brokerUrl, crashAt, checkAnswers, extend, writer } = this.#options;
    const clock = this.#clock;
    const wire = this.#wire;
    const probe = this.#options.probe ?? crashPassage(crashAt);
    const path = join(folder.path, 'storage', 'leader.sqlite');
    await createFolder(dirname(path));
    const database = new SqliteDatabase<LeaderSchema>({
      path,
      migrations: [...taskMigrations, ...jobMigrations, ...leaderMigrations],
      clock: wire,
      holds: clock,
      log,
      probe,
      ...(writer ? { writer } : {}),
      ...(crashAt ? { crashAt } : {}),
      onFatal: () => this.#failed.resolve(),
    });
    const inputs: NodeInputs = {
      ...{ name: this.name, folder, identity, clock, wire, log, crashAt, sharedWriter: writer },
      onFatal: () => this.#failed.resolve(),
      hostSynced: this.#options.hostSynced,
      pluginOptions: this.#options.plugins,
    };
    const stage = machineStage({ ...inputs, hostOptions: this.#options, nodeDatabase: database });
    const { machine, tasks, address } = stage.outputs;
    const pluginSources = this.#options.plugins?.sources ?? { uploads: machine.uploads, drives: machine.usb };
    const role = createLeaderRole({
      leader: this.name,
      leaderId: identity.id,
      version: programVersion,
      // Not the boot number alone: it begins again in another data folder, and a page that follows this address stays open.
      run: `${identity.id.slice(0, 8)}.${identity.boot.toString(36)}`,
      host,
      httpPort: port,
      broker: await loadBrokerSettings(folder.path, {
        host,
        ...(mqttPort !== undefined && { port: mqttPort }),
        ...(brokerUrl !== undefined && { url: brokerUrl }),
      }),
      backupPlace: await loadBackupPlace(folder.path),
      liveConnections: await loadLiveConnections(folder.path),
      ownUrl: () => address.url,
      isReachable: () => address.isListening,
      hasUnitRole: this.#options.board !== undefined,
      dataFolder: folder.path,
      pageFolder,
      clock,
      hostSynced: this.#options.hostSynced ?? systemSynced,
      wire,
      log,
      database,
      tasks,
      newId: randomUUID,
      random: randomFraction,
      checkDatabase: () => database.integrityCheck(),
      jobs: () => side.runtime,
      plugins: () => side.plugins.plugins,
      pluginSources,
      machine: { ...machine, importOwnData: (request) => system.handlers.importDataFolder(request) },
      probe,
    });
    const needs: LeaderSideNeeds = {
      ...{ ...inputs, ...stage.outputs, leaderRole: role, nodeDatabase: database },
      pluginOptions: { ...this.#options.plugins, sources: pluginSources },
    };
    const side: LeaderSide = await composedSide(needs, this.#options.board);
    const system = createNodeSystem({
      ...machine,
      ...{ unit: this.name, isLeader: true, leader: () => this.name, version: programVersion, dataFolder: folder.path },
      ...{ clock, wire, log, newId: randomUUID, tasks },
      stopJobs: async () => void (await side.runtime.stopJobs({})),
      onClockSet: (utcMs) => side.clockSet(utcMs),
    });
    const http = new HttpShell({
      ...{ host, port, log, clock: wire, holds: clock, address },
      apis: [role.api, side.serveApi(system)],
      notFound: role.notFound,
      upgrades: role.broker.upgrades,
      uploads: machine.uploads,
      ...(checkAnswers ? { checkAnswers } : {}),
      ...(this.#options.onAnswer ? { onAnswer: this.#options.onAnswer } : {}),
    });
    const further = extend?.({ tasks, history: role.history, clock }) ?? [];
    const tree = new LifecycleTree(
      this.name,
      [
        database,
        ...side.stores,
        ...role.parts,
        ...side.parts,
        machine.uploads,
        adoptImport(folder.path, database),
        tasks,
        ...role.partsAfterTasks,
        http,
        ...role.partsAfterHttp,
        ...side.partsAfterHttp,
        ...further,
      ],
      { log, wire },
    );
    return { tree, folder, address, role };
  }

  #up(): Running {
    if (!this.#running) throw new Error(`${this.name} is not running.`);
    return this.#running;
  }
}

/** A leader, ready to be started. */
export const createLeaderNode = (options: LeaderNodeOptions): LeaderNode => new OneLeaderNode(options);
