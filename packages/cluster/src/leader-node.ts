import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeApi } from '@lcs/contract';
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
  boardlessHandlers,
  type Clock,
  type CrashAt,
  crashPassage,
  createNodePlugins,
  createNodeSystem,
  type DataFolder,
  descriptorHandlers,
  HttpShell,
  hostMonitorJob,
  hostStatistics,
  type Identity,
  JobRuntime,
  type JobRuntimeOptions,
  jobHandlers,
  jobMigrations,
  keepRunning,
  LifecycleTree,
  type Living,
  type Log,
  monitorDefinition,
  type NodePluginsOptions,
  nodeHandlers,
  type OnAnswer,
  type Probe,
  programVersion,
  realClock,
  SqliteDatabase,
  serve,
  TaskRunner,
  taskMigrations,
  type WriterHost,
} from '@lcs/platform';
import { chance } from './chance.ts';
import { createFolder } from './create-folder.ts';
import { type NodeHostOptions, nodeHost } from './node-host.ts';
import { startComposed, stopComposed } from './running-node.ts';
import { systemSynced } from './system-synced.ts';

export interface LeaderNodeOptions extends NodeHostOptions {
  /** The leader's own unit name. */
  readonly name: string;
  readonly dataFolder: string;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Of the embedded broker; 0: any free port. Default: what leader.ini says, else 1883. */
  readonly mqttPort?: number;
  /** An external broker instead of the one that leader.ini says. */
  readonly brokerUrl?: string;
  readonly log: Log;
  /** Time stamps, ages, retention; real unless told. */
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
  /** What people have told of volumes of vials. */
  readonly volumeNotes: LeaderRole['volumeNotes'];
  /** Resolves when the node cannot go on (its store is lost) and must be stopped. */
  readonly failed: Promise<void>;
}

/** The built page lies beside its sources, in a clone as in the package. */
const pageFolder = fileURLToPath(new URL('../../web/dist', import.meta.url));

/** A leader without a board drives nothing: its jobs serve the cluster. */
const withoutBoard: Pick<JobRuntimeOptions, 'actuators' | 'facts' | 'config'> = {
  actuators: {
    acquire: () => Promise.reject(new Error('This node has no outputs.')),
    revoke: async () => {},
  },
  facts: () => ({ experiment: undefined, isActive: false, model: undefined }),
  config: () => ({}),
};

interface Running {
  readonly tree: LifecycleTree;
  readonly folder: DataFolder;
  readonly http: HttpShell;
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
    return this.#up().http.url;
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
    const tasks = new TaskRunner({ database, clock, wire, log });
    const machine = nodeHost(folder.path, this.#options, { clock, log, newId: randomUUID });
    const system = createNodeSystem({
      ...machine,
      ...{ unit: this.name, isLeader: true, leader: () => this.name, version: programVersion, dataFolder: folder.path },
      ...{ clock, wire, log, newId: randomUUID, tasks },
      stopJobs: async () => void (await runtime.stopJobs({})),
    });
    const pluginSources = this.#options.plugins?.sources ?? { uploads: machine.uploads, drives: system.usb };
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
      ownUrl: () => http.url,
      dataFolder: folder.path,
      pageFolder,
      clock,
      hostSynced: this.#options.hostSynced ?? systemSynced,
      wire,
      log,
      database,
      tasks,
      newId: randomUUID,
      random: chance,
      checkDatabase: () => database.integrityCheck(),
      jobs: () => runtime,
      plugins: () => plugins.plugins,
      pluginSources,
      machine: { ...machine, usb: system.usb, importOwnData: system.handlers.importDataFolder },
      probe,
    });
    const { outlet } = role.ownJobs;
    const definitions = [...role.ownJobs.definitions, hostMonitorJob(hostStatistics(folder.path, programVersion))];
    const runtime: JobRuntime = new JobRuntime({
      ...{ ...withoutBoard, definitions, outlet },
      ...{ unit: this.name, database, clock, wire, log },
    });
    const plugins = createNodePlugins({
      ...{ unit: this.name, dataFolder: folder.path, isLeader: true, version: programVersion },
      ...{ wire, holds: clock, log, own: definitions, config: role.config, tasks },
      ...{ ...this.#options.plugins, sources: pluginSources },
      runtime: () => runtime,
    });
    const node = nodeHandlers({
      unit: this.name,
      version: programVersion,
      clock,
      tasks,
      api: nodeApi,
      jobs: () => runtime.definitions(),
    });
    const jobs = jobHandlers({
      runtime,
      tasks,
      database,
      clock,
      unit: this.name,
      pid: process.pid,
      leader: () => this.name,
    });
    const countUnread = ({ job = '' }: Readonly<Record<string, string>>) => runtime.countUnread(job);
    const http: HttpShell = new HttpShell({
      host,
      port,
      log,
      clock: wire,
      holds: clock,
      apis: [
        role.api,
        serve(
          nodeApi,
          {
            ...node,
            ...jobs,
            ...system.handlers,
            ...role.configHandlers,
            ...plugins.handlers,
            ...descriptorHandlers(role.descriptors),
            ...boardlessHandlers({ unit: this.name, clock, config: role.config }),
          },
          { runJob: countUnread, runJobByPatch: countUnread },
        ),
      ],
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
        ...role.parts,
        plugins.plugins,
        runtime,
        machine.uploads,
        adoptImport(folder.path, database),
        tasks,
        ...role.partsAfterTasks,
        http,
        ...role.partsAfterHttp,
        keepRunning(monitorDefinition.name, runtime, log, clock),
        ...further,
      ],
      { log, wire },
    );
    return { tree, folder, http, role };
  }

  #up(): Running {
    if (!this.#running) throw new Error(`${this.name} is not running.`);
    return this.#running;
  }
}

/** A leader, ready to be started. */
export const createLeaderNode = (options: LeaderNodeOptions): LeaderNode => new OneLeaderNode(options);
