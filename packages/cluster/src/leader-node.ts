import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { leaderSettings } from '@lcs/domain';
import {
  type AuditTables,
  auditDatabaseFile,
  auditMigrations,
  checkLeaderName,
  createLeaderBase,
  type HistoryPort,
  type LeaderBase,
  type LeaderRole,
  type LeaderRoleInputs,
  type LeaderSchema,
  leaderMigrations,
  leaderRoleStage,
  loadBackupPlace,
  loadBrokerSettings,
  loadLeaderSetting,
  loadOtherLeaders,
  type PasswordCost,
  postgresViews,
  type StartDatasets,
  type StartReader,
  sealLeaderFile,
} from '@lcs/leader';
import {
  adoptImport,
  type CodeCost,
  createNodeSystem,
  type DataFolder,
  jobMigrations,
  type NodePluginsOptions,
  type NodeSystem,
} from '@lcs/node';
import {
  type ActiveLock,
  Broadcaster,
  type Clock,
  Composition,
  type CrashAt,
  crashPoint,
  type HttpAddress,
  HttpServer,
  type HttpServerOptions,
  IngestRegister,
  isLoopback,
  LifecycleTree,
  type Log,
  PostgresDatabase,
  type Probe,
  programVersion,
  realClock,
  type Service,
  SqliteDatabase,
  type Stage,
  type StoredDatabase,
  type TaskRunner,
  taskMigrations,
  type WriterHost,
} from '@lcs/platform';
import type { BoardChoice } from './board-stage.ts';
import { activeProcess } from './control/active-process.ts';
import { createFolder } from './create-folder.ts';
import { jobsWithoutBoard } from './jobs-without-board.ts';
import { type JobsOutputs, type LeaderNodeJobs, type LeaderStoreOutputs, pluginSources } from './leader-node-jobs.ts';
import { auditSchema, liveChannel, storeSchema } from './leader-schemas.ts';
import { type MachineOutputs, machineStage, type NodeHostOptions, randomFraction } from './machine-stage.ts';
import { type NodeInputs, socketPath } from './node-inputs.ts';
import { rehearse } from './rehearsal/rehearse.ts';
import { type Opened, startComposed, stopComposed } from './running-node.ts';
import { systemClockSync } from './system-clock-sync.ts';
import { type CertificateFacts, type CertificatePaths, hostNames, leaderTls, type TlsOutputs } from './tls-stage.ts';

export interface LeaderNodeOptions
  extends NodeHostOptions,
    Pick<HttpServerOptions, 'checkResponses' | 'onResponse' | 'requestRates'> {
  /** The leader's own unit name. */
  readonly name: string;
  readonly dataFolder: string;
  readonly host: string;
  /** Nobody may change anything: for the data of others. */
  readonly readOnly?: boolean;
  /** 0: any free port. */
  readonly port: number;
  /** The certificate for browsers on a network. Default: one of the leader's own authority. */
  readonly certificatePaths?: CertificatePaths;
  /** Its own board, which makes the node a unit too. Default: it has none. */
  readonly board?: BoardChoice;
  /** Port of the embedded broker; 0: any free port. Default: that of leader.ini, else 1883. */
  readonly mqttPort?: number;
  /** The same of its port with TLS, on a network. Default: that of leader.ini, else 8883. */
  readonly mqttTlsPort?: number;
  /** `postgres://…` instead of files of SQLite in the data folder. */
  readonly database?: string;
  /** The lock of the active process of that database, held. Default: one that the node takes and keeps. */
  readonly activeLock?: ActiveLock;
  /** An external broker instead of the one in leader.ini. */
  readonly brokerUrl?: string;
  readonly log: Log;
  /** Time stamps, ages, retention; real by default. */
  readonly clock?: Clock;
  /** Whether NTP synchronises the host's clock; default: as systemd reports. */
  readonly hostSynced?: () => boolean;
  /** Sockets and time limits; always real. */
  readonly wire?: Clock;
  /** The thread that writes its store, started before and shared with other nodes. Default: a separate one. */
  readonly writer?: WriterHost;
  /** How its readers of time series are started. Default: each in a thread of its own. */
  readonly startReader?: StartReader | undefined;
  /** How its work on datasets is started. Default: each in a thread of its own. */
  readonly startDatasets?: StartDatasets | undefined;
  /** Of one-time codes; lower in tests. */
  readonly codeCost?: CodeCost;
  /** Of new passwords; lower in tests. */
  readonly passwordCost?: PasswordCost;
  /** For crash tests. */
  readonly crashAt?: CrashAt;
  /** For tests: called at each named point (docs/interfaces/crash-points.md). */
  readonly probe?: Probe;
  /** The sources of plugin files, the package tool, and the limits of plugin processes. */
  readonly plugins?: Partial<Pick<NodePluginsOptions, 'sources' | 'tool' | 'limits'>>;
  /** Index of installable plugins, instead of the setting in `leader.ini`. */
  readonly pluginIndexUrl?: string | undefined;
  /** Further parts of this node, started last; kinds of tasks can be registered here. */
  readonly extend?: (inside: LeaderInside) => readonly Service[];
}

/** What an extension of the node may use. */
interface LeaderInside {
  readonly tasks: TaskRunner;
  readonly history: HistoryPort;
  readonly clock: Clock;
  /** How the node calls itself, with all permissions; known once it has started. */
  readonly own: () => OwnCalls;
}

export interface OwnCalls {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A node with the leader role. */
export interface LeaderNode extends Service {
  /** Known once started. */
  readonly url: string;
  /** The same for other machines. */
  readonly networkUrl: string;
  /** Where clients find the broker; undefined where there is none. */
  readonly mqttUrl: string | undefined;
  /** For the first person; undefined once there is one. */
  readonly setUpCode: string | undefined;
  /** On a network. */
  readonly certificate: CertificateFacts | undefined;
  /** People's notes of the volumes of vials. */
  readonly volumeNotes: LeaderRole['volumeNotes'];
  /** Resolves when the node cannot go on (its store is lost) and must be stopped. */
  readonly failed: Promise<void>;
  /** How long the guard of its outputs has not answered; 0 without a board. Defined after the start. */
  readonly guardSilentMs: number;
}

/** The built web UI is beside its sources, in a clone and in the package. */
const pageFolder = fileURLToPath(new URL('../../web/dist', import.meta.url));

/** Loads the code for a board only if there is one: most leaders have none. */
async function jobsStage(inputs: NodeInputs & Inputs): Promise<Stage<JobsOutputs>> {
  const { board: boardChoice } = inputs.nodeOptions;
  if (boardChoice === undefined) return { outputs: { composeJobs: jobsWithoutBoard }, services: [] };
  const { jobsWithBoardStage } = await import('./jobs-with-board.ts');
  return jobsWithBoardStage({ ...inputs, boardChoice });
}

interface Running {
  readonly tree: LifecycleTree;
  readonly folder: DataFolder;
  readonly address: HttpAddress;
  readonly volumeNotes: LeaderRole['volumeNotes'];
  readonly leaderBase: LeaderBase;
  readonly certificateFacts: TlsOutputs['certificateFacts'];
  readonly guardSilentMs: () => number;
}

interface Inputs {
  readonly nodeOptions: LeaderNodeOptions;
  readonly hostOptions: NodeHostOptions;
  readonly service: 'lcs-leader';
}

/** The audit has a store of its own. */
interface AuditOutputs {
  readonly auditDatabase: StoredDatabase<AuditTables>;
  /** Tells other processes of its database where the node is reached. */
  readonly announceActive: (url: string) => Promise<void>;
  /** Of processes that read feeds for this one. */
  readonly ingestRegister?: IngestRegister;
  /** To processes that serve live events for this one. */
  readonly liveBroadcast?: Broadcaster;
}

/** The leader's store, and its audit beside it. */
async function leaderStoreStage(
  inputs: NodeInputs & Inputs,
): Promise<Stage<LeaderStoreOutputs & AuditOutputs & { readonly probe: Probe }>> {
  const { folder, clock, wire, log, crashAt, onFatal, sharedWriter: writer } = inputs;
  const probe = inputs.nodeOptions.probe ?? crashPoint(crashAt);
  const migrations = [...taskMigrations, ...jobMigrations, ...leaderMigrations];
  // Keys and other files are in it, too.
  await createFolder(join(folder.path, 'storage'));
  const { database: url } = inputs.nodeOptions;
  if (url !== undefined) {
    const active = activeProcess({ ...inputs, url, givenLock: inputs.nodeOptions.activeLock });
    const ingestRegister = new IngestRegister({ url, clock: wire, log });
    const liveBroadcast = new Broadcaster({ url, channel: liveChannel, clock: wire, log, active: active.lock });
    const common = { clock: wire, holds: clock, log, url, active: active.lock };
    const nodeDatabase = new PostgresDatabase<LeaderSchema>({
      ...common,
      schema: storeSchema,
      migrations,
      views: postgresViews,
      probe,
    });
    const auditDatabase = new PostgresDatabase<AuditTables>({
      ...common,
      schema: auditSchema,
      migrations: auditMigrations,
      readers: 1,
    });
    return {
      outputs: { nodeDatabase, auditDatabase, probe, announceActive: active.announce, ingestRegister, liveBroadcast },
      services: [active.service, nodeDatabase, auditDatabase, ingestRegister, liveBroadcast],
    };
  }
  const path = join(folder.path, 'storage', 'leader.sqlite');
  const common = { clock: wire, holds: clock, log, onFatal, ...(writer && { writer }) };
  const nodeDatabase = new SqliteDatabase<LeaderSchema>({
    ...common,
    path,
    migrations,
    probe,
    ...(crashAt && { crashAt }),
  });
  const auditDatabase = new SqliteDatabase<AuditTables>({
    ...common,
    path: join(folder.path, auditDatabaseFile),
    migrations: auditMigrations,
    // A damaged audit must not keep a leader from its cultures; the damaged file stays, and the log reports it.
    onDamaged: 'set-aside',
  });
  return {
    outputs: { nodeDatabase, auditDatabase, probe, announceActive: async () => {} },
    services: [nodeDatabase, auditDatabase],
  };
}

interface NetworkOutputs {
  /** Of `leader.ini`, beside the names of the machine. */
  readonly networkNames: readonly string[];
  readonly trustedProxies: readonly string[];
}

const listOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

/** The network of the leader, as its own file describes it. */
async function networkStage({ folder: { path } }: NodeInputs): Promise<Stage<NetworkOutputs>> {
  const { names, trustedProxies } = leaderSettings.network;
  return {
    outputs: {
      networkNames: listOf(await loadLeaderSetting(path, names)),
      trustedProxies: listOf(await loadLeaderSetting(path, trustedProxies)),
    },
    services: [],
  };
}

type BaseInputs = NodeInputs &
  Inputs &
  LeaderStoreOutputs &
  AuditOutputs &
  MachineOutputs &
  TlsOutputs & { readonly probe: Probe };

/** The stages of the leader role on which the jobs of its node depend. */
async function leaderBaseStage(inputs: BaseInputs): Promise<Stage<{ readonly leaderBase: LeaderBase }>> {
  const { name, folder, identity, identityKey, clock, wire, log, machine, tasks, address, probe } = inputs;
  const { nodeDatabase: database, auditDatabase } = inputs;
  const { host, port, mqttPort, mqttTlsPort, brokerUrl, board, codeCost, passwordCost } = inputs.nodeOptions;
  await sealLeaderFile(folder.path, log);
  const { outputs: leaderBase, services } = createLeaderBase({
    leader: name,
    leaderId: identity.id,
    identityKey,
    ...(codeCost && { codeCost }),
    ...(passwordCost && { passwordCost }),
    version: inputs.version,
    // Not the boot number alone: it begins again in another data folder, and a page that follows this address stays open.
    run: `${identity.id.slice(0, 8)}.${identity.boot.toString(36)}`,
    host,
    ...(inputs.ingestRegister && { ingestRegister: inputs.ingestRegister }),
    ...(inputs.liveBroadcast && { liveBroadcast: inputs.liveBroadcast }),
    ...(inputs.nodeOptions.readOnly && { readOnly: true }),
    tls: inputs.tls,
    httpPort: port,
    address,
    hasUnitRole: board !== undefined,
    dataFolder: folder.path,
    ...(inputs.nodeOptions.database && { storePlace: { url: inputs.nodeOptions.database, schema: storeSchema } }),
    startReader: inputs.nodeOptions.startReader,
    startDatasets: inputs.nodeOptions.startDatasets,
    pageFolder,
    brokerSettings: await loadBrokerSettings(folder.path, {
      host: isLoopback(host) ? host : '127.0.0.1',
      ...(mqttTlsPort !== undefined && { tlsPort: mqttTlsPort }),
      ...(mqttPort !== undefined && { port: mqttPort }),
      ...(brokerUrl !== undefined && { url: brokerUrl }),
    }),
    backupPlace: await loadBackupPlace(folder.path),
    otherLeaders: await loadOtherLeaders(folder.path),
    liveConnections: await loadLeaderSetting(folder.path, leaderSettings.liveConnections),
    clock,
    wire,
    log,
    database,
    auditDatabase,
    tasks,
    machine,
    probe,
    hostSynced: inputs.hostSynced ?? systemClockSync({ wire }),
    newId: randomUUID,
    random: randomFraction,
    checkDatabase: async () => [...(await database.integrityCheck()), ...(await auditDatabase.integrityCheck())],
    pluginSources: pluginSources(inputs),
    pluginIndexUrl: inputs.nodeOptions.pluginIndexUrl,
    rehearse,
  });
  return { outputs: { leaderBase }, services };
}

type SystemOutputs = Pick<LeaderRoleInputs, 'importOwnData'> & { readonly system: NodeSystem };

/** The machine of the leader, as its routes see it. */
function systemStage(inputs: NodeInputs & MachineOutputs & LeaderNodeJobs): Stage<SystemOutputs> {
  const { name, folder, clock, wire, log, machine, tasks, runtime, clockSet } = inputs;
  const system = createNodeSystem({
    ...machine,
    unit: name,
    isLeader: true,
    leader: () => name,
    version: inputs.version,
    dataFolder: folder.path,
    clock,
    wire,
    log,
    newId: randomUUID,
    tasks,
    stopJobs: async () => void (await runtime.stopJobs({})),
    onClockSet: clockSet,
  });
  return { outputs: { system, importOwnData: system.handlers.importDataFolder }, services: [] };
}

type HttpInputs = BaseInputs &
  NetworkOutputs &
  LeaderNodeJobs &
  SystemOutputs & { readonly leaderBase: LeaderBase; readonly leaderRole: LeaderRole };

/** The HTTP server of a leader. */
function leaderHttpStage(inputs: HttpInputs): Stage<object> {
  const { clock, wire, log, address, machine, system, leaderBase, leaderRole, serveNode, tls } = inputs;
  const { host, port, checkResponses, onResponse, requestRates } = inputs.nodeOptions;
  const http = new HttpServer({
    host,
    port,
    log,
    clock: wire,
    holds: clock,
    address,
    unixSocket: socketPath(inputs.folder.path),
    ...(tls && { tls }),
    allowedHosts: () => (tls === undefined ? inputs.networkNames : hostNames(inputs.networkNames)),
    trustedProxies: inputs.trustedProxies,
    uploads: machine.uploads,
    apis: [leaderRole.api, serveNode(system)],
    notFound: leaderRole.notFound,
    identify: leaderBase.access.identify,
    checkScope: leaderBase.scopes.checkRoute,
    recordRequest: leaderBase.audit.record,
    observeRequest: leaderBase.audit.observe,
    upgrades: { ...leaderBase.broker.upgrades, ...leaderBase.ingestUpgrades },
    ...(checkResponses && { checkResponses }),
    tracing: inputs.tracing,
    onResponse: (...answered) => {
      leaderRole.metrics.observe(...answered);
      onResponse?.(...answered);
    },
    ...(requestRates && { requestRates }),
  });
  const announcement: Service = {
    name: 'announcement',
    start: async () => {
      await inputs.announceActive(address.networkUrl);
      if (tls !== undefined) leaderBase.setUp.logCode();
    },
    stop: async () => {},
  };
  return { outputs: {}, services: [http, announcement] };
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

  get networkUrl(): string {
    return this.#up().address.networkUrl;
  }

  get mqttUrl(): string | undefined {
    return this.#up().leaderBase.broker.url;
  }

  get setUpCode(): string | undefined {
    return this.#up().leaderBase.setUp.code;
  }

  get certificate(): CertificateFacts | undefined {
    return this.#up().certificateFacts();
  }

  get volumeNotes(): LeaderRole['volumeNotes'] {
    return this.#up().volumeNotes;
  }

  get guardSilentMs(): number {
    return this.#up().guardSilentMs();
  }

  get failed(): Promise<void> {
    return this.#failed.promise;
  }

  /** @throws StartupError with one sentence for the operator */
  async start(signal: AbortSignal): Promise<void> {
    checkLeaderName(this.name);
    const { dataFolder, log } = this.#options;
    const compose = (...opened: Opened) => this.#compose(...opened);
    this.#running = await startComposed({ name: this.name, dataFolder, clock: this.#clock, log, compose }, signal);
  }

  async stop(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    this.#running = undefined;
    await stopComposed(running);
  }

  async #compose(...[folder, identity, identityKey]: Opened): Promise<Running> {
    const options = this.#options;
    const inputs: NodeInputs & Inputs = {
      name: this.name,
      folder,
      identity,
      identityKey,
      clock: this.#clock,
      wire: this.#wire,
      log: options.log,
      version: options.version ?? programVersion,
      crashAt: options.crashAt,
      sharedWriter: options.writer,
      nodeOptions: options,
      hostOptions: {
        ...options,
        tracingEndpoint:
          (await loadLeaderSetting(folder.path, leaderSettings.tracingEndpoint)) ?? options.tracingEndpoint,
      },
      service: 'lcs-leader',
      onFatal: () => this.#failed.resolve(),
      hostSynced: options.hostSynced,
      pluginOptions: options.plugins,
    };
    const opened = await Composition.of(inputs).open(jobsStage);
    const stored = await opened.open(leaderStoreStage);
    const networked = await stored.add(machineStage).open(networkStage);
    const encrypted = await networked.open((known) =>
      leaderTls({ ...known, host: options.host, certificatePaths: options.certificatePaths }),
    );
    const based = await encrypted.open(leaderBaseStage);
    const node = based
      .add((known) => ({ outputs: known.composeJobs(known), services: [] }))
      .add(systemStage)
      .add(leaderRoleStage)
      .add(({ jobServices, machine, nodeDatabase, tasks, leaderRole }) => ({
        outputs: {},
        services: [
          ...jobServices,
          machine.uploads,
          adoptImport(folder.path, nodeDatabase),
          tasks,
          ...leaderRole.servicesAfterTasks,
        ],
      }))
      .add(leaderHttpStage)
      .add(({ tasks, clock, leaderRole, leaderBase, address, jobServicesAfterHttp }) => ({
        outputs: {},
        services: [
          ...leaderRole.servicesAfterHttp,
          ...jobServicesAfterHttp,
          ...(options.extend?.({
            tasks,
            history: leaderRole.history,
            clock,
            own: () => ({
              baseUrl: address.ownUrl,
              headers: { authorization: `Bearer ${leaderBase.access.ownSecret}` },
            }),
          }) ?? []),
        ],
      }));
    const { address, leaderRole, leaderBase, certificateFacts, guardSilentMs } = node.outputs;
    const tree = new LifecycleTree(this.name, node.services, { log: options.log, wire: this.#wire });
    return { tree, folder, address, volumeNotes: leaderRole.volumeNotes, leaderBase, certificateFacts, guardSilentMs };
  }

  #up(): Running {
    if (!this.#running) throw new Error(`${this.name} is not running.`);
    return this.#running;
  }
}

/** A leader, ready to be started. */
export const createLeaderNode = (options: LeaderNodeOptions): LeaderNode => new OneLeaderNode(options);
