import { randomUUID } from 'node:crypto';
import { validateUnitName } from '@lcs/domain';
import type { UnitBoard, VialPlantState } from '@lcs/hardware';
import { adoptImport, type DataFolder, type NodePluginsOptions } from '@lcs/node';
import {
  type Clock,
  Composition,
  type CrashAt,
  type HttpAddress,
  type HttpServerOptions,
  isLoopback,
  LifecycleTree,
  type Log,
  programVersion,
  realClock,
  type Service,
  StartupError,
  type WriterHost,
} from '@lcs/platform';
import type { Camera, JobMemory, UnitRole } from '@lcs/unit';
import { type BoardChoice, type BoardInputs, boardStage } from './board-stage.ts';
import { machineStage, type NodeHostOptions, randomFraction } from './machine-stage.ts';
import type { NodeInputs } from './node-inputs.ts';
import { type Opened, startComposed, stopComposed } from './running-node.ts';
import { unitTls } from './tls-stage.ts';
import { type UnitHttpInputs, unitHttpStage } from './unit-http-stage.ts';
import { unitRoleStage } from './unit-role-stage.ts';
import { unitStoresStage } from './unit-stores-stage.ts';
import type { VialFile } from './vial-file.ts';

export interface UnitNodeOptions extends NodeHostOptions, Pick<HttpServerOptions, 'checkResponses' | 'onResponse'> {
  readonly name: string;
  readonly dataFolder: string;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Base URL of its leader, read at each attempt to enrol. */
  readonly leaderUrl: () => string;
  /** Takes over the name of another, broken machine. */
  readonly replace?: boolean;
  /** One-time code for the first enrolment. */
  readonly code?: string;
  /** Leaves its leader at the start. */
  readonly release?: boolean;
  readonly board: BoardChoice;
  /** Default: one that draws the simulated vial. */
  readonly camera?: Camera;
  readonly log: Log;
  /** Sampling, time stamps, retention. Default: real. */
  readonly clock?: Clock;
  /** Sockets and time limits; always real. */
  readonly wire?: Clock;
  /** Instead of the configured broker. */
  readonly mqttUrl?: () => string | undefined;
  /** The writing thread, started before this node: for many nodes in one process. Default: a separate one. */
  readonly writer?: WriterHost;
  /** Whether NTP keeps the host's clock. Default: the flag of systemd. */
  readonly hostSynced?: () => boolean;
  /** From 0 to 1; scatters retries. */
  readonly random?: () => number;
  /** Sources of plugin files, package installer, limits of their processes. */
  readonly plugins?: Partial<Pick<NodePluginsOptions, 'sources' | 'tool' | 'limits'>>;
  /** For crash tests. */
  readonly crashAt?: CrashAt;
}

/** A node with the unit role. */
export interface UnitNode extends Service {
  /** Defined after the start. */
  readonly url: string;
  /** The same for other machines. */
  readonly networkUrl: string;
  readonly board: UnitBoard;
  readonly jobs: UnitRole['runtime'];
  /** Persistent memory of its jobs. */
  readonly memory: JobMemory;
  /** Stores the first calibration of a device from its text, and uses it; a device that has calibrations keeps them. */
  addFirstCalibration(device: string, yaml: string): Promise<void>;
  /** Resolves when the node cannot go on (its store is lost) and must be stopped. */
  readonly failed: Promise<void>;
  /** How long the guard of its outputs has not answered. Defined after the start. */
  readonly guardSilentMs: number;
  /** Another simulated vial takes the place of the one in this process, after `passS` seconds of its own. */
  replaceVial(state: VialPlantState, passS: number): Promise<void>;
}

interface Running {
  readonly tree: LifecycleTree;
  readonly folder: DataFolder;
  readonly address: HttpAddress;
  readonly role: UnitRole;
  readonly board: UnitBoard;
  readonly vialFile: VialFile | undefined;
}

/** A unit's name is part of addresses and topics. @throws StartupError */
function checkUnitName(name: string): void {
  const validation = validateUnitName(name);
  if (validation.ok) return;
  throw new StartupError(
    `Invalid unit name ${JSON.stringify(name)}: ${validation.cause} Choose another name with --name.`,
  );
}

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
    return this.#up().address.url;
  }

  get networkUrl(): string {
    return this.#up().address.networkUrl;
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

  get guardSilentMs(): number {
    return this.#up().board.actuators.guardSilentMs;
  }

  get failed(): Promise<void> {
    return this.#failed.promise;
  }

  /** @throws StartupError with one sentence for the operator */
  async start(signal: AbortSignal): Promise<void> {
    checkUnitName(this.name);
    const { dataFolder, log } = this.#options;
    const compose = (...opened: Opened) => this.#compose(...opened);
    this.#running = await startComposed({ name: this.name, dataFolder, clock: this.#clock, log, compose }, signal);
  }

  addFirstCalibration(device: string, yaml: string): Promise<void> {
    return this.#up().role.addFirstCalibration(device, yaml);
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

  async #compose(...[folder, identity, identityKey]: Opened): Promise<Running> {
    const { log, host, port, leaderUrl, mqttUrl, camera, replace, code, release, checkResponses, onResponse } =
      this.#options;
    const instance = randomUUID();
    const inputs: NodeInputs & BoardInputs & UnitHttpInputs = {
      name: this.name,
      folder,
      identity,
      identityKey,
      clock: this.#clock,
      wire: this.#wire,
      log,
      version: this.#options.version ?? programVersion,
      instance,
      leaderUrl,
      sharedWriter: this.#options.writer,
      crashAt: this.#options.crashAt,
      onFatal: () => this.#failed.resolve(),
      hostSynced: this.#options.hostSynced,
      pluginOptions: this.#options.plugins,
      boardChoice: this.#options.board,
      tls: await unitTls(host, identityKey),
      http: { host, port, ...(checkResponses && { checkResponses }), ...(onResponse && { onResponse }) },
    };
    // The guard switches everything off when it starts, whatever the state of the databases: the board is the first stage.
    const opened = await Composition.of(inputs).open(boardStage);
    const stored = await opened.open(unitStoresStage);
    const node = stored
      .add(({ unitDatabase }) => ({
        outputs: { nodeDatabase: unitDatabase, hostOptions: this.#options, service: 'lcs-unit' as const },
        services: [],
      }))
      .add(machineStage)
      .add((known) =>
        unitRoleStage({
          ...known,
          options: {
            instance,
            newId: randomUUID,
            random: this.#options.random ?? randomFraction,
            // On loopback it serves no TLS, whatever the connection to its leader.
            address: () => ({ baseUrl: isLoopback(host) ? known.address.url : null, port: known.address.port }),
            leaderUrl: () => new URL(leaderUrl()),
            ...(replace && { replace }),
            ...(code !== undefined && { code }),
            ...(release && { release }),
            ...(camera && { camera }),
            ...(mqttUrl && { mqttUrl }),
          },
        }),
      )
      .add(({ machine, tasks, unitDatabase }) => ({
        outputs: {},
        services: [machine.uploads, adoptImport(folder.path, unitDatabase), tasks],
      }))
      .add(unitHttpStage)
      .add(({ role }) => ({ outputs: {}, services: role.partsAfterHttp }));
    const { address, role, board, vialFile } = node.outputs;
    const tree = new LifecycleTree(this.name, node.services, { log, wire: this.#wire });
    return { tree, folder, address, role, board, vialFile };
  }

  #up(): Running {
    if (!this.#running) throw new Error(`${this.name} is not running.`);
    return this.#running;
  }
}

/** A unit, ready to be started. */
export const createUnitNode = (options: UnitNodeOptions): UnitNode => new OneUnitNode(options);
