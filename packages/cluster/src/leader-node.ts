import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unitApi } from '@lcs/contract';
import { checkLeaderName, createLeaderRole, type LeaderRole, type LeaderSchema, leaderMigrations } from '@lcs/leader';
import {
  type Clock,
  type CrashAt,
  crashPassage,
  type DataFolder,
  HttpShell,
  type Identity,
  LifecycleTree,
  type Living,
  type Log,
  loadIdentity,
  nodeHandlers,
  openDataFolder,
  programVersion,
  realClock,
  reasonOf,
  SqliteDatabase,
  StartupError,
  StoreError,
  serve,
  TaskRunner,
  taskMigrations,
} from '@lcs/platform';

export interface LeaderNodeOptions {
  /** The leader's own unit name. */
  readonly name: string;
  readonly dataFolder: string;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** 0: any free port. */
  readonly mqttPort: number;
  readonly log: Log;
  /** Time stamps, ages, retention; real unless told. */
  readonly clock?: Clock;
  /** Sockets and time limits; always real. */
  readonly wire?: Clock;
  /** For tests: an answer that is not the declared one becomes a logged 500. */
  readonly checkAnswers?: boolean;
  /** For crash tests. */
  readonly crashAt?: CrashAt;
}

/** A node with the leader role. */
export interface LeaderNode extends Living {
  /** Known once started. */
  readonly url: string;
  readonly mqttPort: number;
  /** Resolves when the node cannot go on (its store is lost) and must be stopped. */
  readonly failed: Promise<void>;
}

/** The built page lies beside its sources, in a clone as in the package. */
const pageFolder = fileURLToPath(new URL('../../web/dist', import.meta.url));

interface Running {
  readonly tree: LifecycleTree;
  readonly folder: DataFolder;
  readonly http: HttpShell;
  readonly role: LeaderRole;
}

async function createFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StartupError(`The folder ${path} cannot be used: ${reasonOf(error)}.`, { cause: error });
  }
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

  get mqttPort(): number {
    return this.#up().role.broker.port;
  }

  get failed(): Promise<void> {
    return this.#failed.promise;
  }

  /** @throws StartupError with one sentence for the operator */
  async start(signal: AbortSignal): Promise<void> {
    checkLeaderName(this.name);
    const folder = await openDataFolder(this.#options.dataFolder);
    try {
      const identity = await loadIdentity(folder.path, { name: this.name, clock: this.#clock });
      const { tree, http, role } = await this.#compose(folder, identity);
      await tree.start(signal);
      this.#running = { tree, folder, http, role };
    } catch (error) {
      await folder.close();
      // What the store says of a file it cannot use is a sentence for the operator.
      throw error instanceof StoreError ? new StartupError(error.message, { cause: error }) : error;
    }
  }

  async stop(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    this.#running = undefined;
    try {
      await running.tree.stop();
    } finally {
      await running.folder.close();
    }
  }

  async #compose(folder: DataFolder, identity: Identity) {
    const { log, host, port, mqttPort, crashAt, checkAnswers } = this.#options;
    const clock = this.#clock;
    const wire = this.#wire;
    const probe = crashPassage(crashAt);
    const path = join(folder.path, 'storage', 'leader.sqlite');
    await createFolder(dirname(path));
    const database = new SqliteDatabase<LeaderSchema>({
      path,
      migrations: [...taskMigrations, ...leaderMigrations],
      clock: wire,
      holds: clock,
      log,
      probe,
      ...(crashAt ? { crashAt } : {}),
      onFatal: () => this.#failed.resolve(),
    });
    const tasks = new TaskRunner({ database, clock, wire, log });
    const role = createLeaderRole({
      leader: this.name,
      version: programVersion,
      // Not the boot number alone: it begins again in another data folder, and a page that follows this address stays open.
      run: `${identity.id.slice(0, 8)}.${identity.boot.toString(36)}`,
      host,
      httpPort: port,
      mqttPort,
      ownUrl: () => http.url,
      dataFolder: folder.path,
      pageFolder,
      clock,
      wire,
      log,
      database,
      tasks,
      newId: randomUUID,
      probe,
    });
    const node = nodeHandlers({ unit: this.name, version: programVersion, clock, tasks });
    const http: HttpShell = new HttpShell({
      host,
      port,
      log,
      clock: wire,
      holds: clock,
      apis: [role.api, serve(unitApi, node)],
      notFound: role.notFound,
      ...(checkAnswers ? { checkAnswers } : {}),
    });
    const tree = new LifecycleTree(this.name, [database, ...role.parts, tasks, ...role.partsAfterTasks, http], {
      log,
      wire,
    });
    return { tree, http, role };
  }

  #up(): Running {
    if (!this.#running) throw new Error(`${this.name} is not running.`);
    return this.#running;
  }
}

/** A leader, ready to be started. */
export const createLeaderNode = (options: LeaderNodeOptions): LeaderNode => new OneLeaderNode(options);
