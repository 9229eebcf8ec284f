import { join } from 'node:path';
import type { UnitBoard } from '@lcs/hardware';
import {
  type Clock,
  type CrashAt,
  crashPassage,
  type Identity,
  type Log,
  type NodePluginsOptions,
  type NodeSystem,
  programVersion,
  SqliteDatabase,
  type TaskRunner,
  type WriterHost,
} from '@lcs/platform';
import {
  createUnitRole,
  type OutboxTables,
  outboxMigrations,
  type UnitRole,
  type UnitRoleOptions,
  type UnitTables,
  unitMigrations,
} from '@lcs/unit';
import { createFolder } from './create-folder.ts';
import { type LinuxBoardChoice, openLinuxBoard } from './linux-board.ts';
import type { nodeHost } from './node-host.ts';
import { openSimulatedBoard, type SimulatedBoardChoice } from './simulated-board.ts';
import { systemSynced } from './system-synced.ts';
import type { VialFile } from './vial-file.ts';

interface StoreOptions {
  readonly dataFolder: string;
  /** The thread in which they are written. */
  readonly writer: WriterHost;
  readonly clock: Clock;
  readonly wire: Clock;
  readonly log: Log;
  readonly crashAt?: CrashAt;
  /** A store is lost: the node cannot go on. */
  readonly onFatal: () => void;
}

/** The files of a unit role, to be started before it. */
export async function openUnitStores({ dataFolder, clock, wire, ...options }: StoreOptions) {
  const storage = join(dataFolder, 'storage');
  await createFolder(storage);
  const common = { ...options, clock: wire, holds: clock };
  return {
    database: new SqliteDatabase<UnitTables>({
      ...common,
      path: join(storage, 'unit.sqlite'),
      migrations: unitMigrations,
    }),
    outboxDatabase: new SqliteDatabase<OutboxTables>({
      ...common,
      path: join(storage, 'outbox.sqlite'),
      migrations: outboxMigrations,
      onDamaged: 'set-aside',
    }),
  };
}

export type BoardChoice = SimulatedBoardChoice | LinuxBoardChoice;

export interface UnitPartOptions
  extends Pick<
    UnitRoleOptions,
    'unit' | 'dataFolder' | 'instance' | 'replace' | 'address' | 'camera' | 'mqttUrl' | 'leading' | 'newId' | 'random'
  > {
  readonly identity: Identity;
  readonly stores: Awaited<ReturnType<typeof openUnitStores>>;
  /** Where tasks and jobs of the node are recorded. */
  readonly nodeDatabase: UnitRoleOptions['nodeDatabase'];
  readonly tasks: TaskRunner;
  readonly board: BoardChoice;
  /** Base URL of its leader, asked at each attempt to enrol. */
  readonly leaderUrl: () => string;
  readonly clock: Clock;
  readonly wire: Clock;
  readonly log: Log;
  /** Default: what systemd says. */
  readonly hostSynced: UnitRoleOptions['hostSynced'] | undefined;
  readonly crashAt: CrashAt | undefined;
  readonly machine: ReturnType<typeof nodeHost>;
  /** Asked while the node is up. */
  readonly system: () => NodeSystem;
  readonly plugins: Partial<Pick<NodePluginsOptions, 'sources' | 'tool' | 'limits'>> | undefined;
}

/** The unit role of a node, with its board. */
export interface UnitPart {
  readonly role: UnitRole;
  readonly board: UnitBoard;
  /** Keeps the vial where it lives in this process; to be started before the role. */
  readonly vialFile: VialFile | undefined;
}

/** Opens the board and builds the unit role over it; nothing is started. @throws StartupError */
export async function createUnitPart(options: UnitPartOptions): Promise<UnitPart> {
  const { stores, machine, system, leaderUrl, crashAt, hostSynced, plugins, ...common } = options;
  const { board, vialFile } = await openBoard(options);
  const role = createUnitRole({
    ...common,
    ...stores,
    board,
    version: programVersion,
    leaderUrl: () => new URL(leaderUrl()),
    hostSynced: hostSynced ?? systemSynced,
    powerOff: async () => {
      if (machine.host.refusal !== undefined) return false;
      await machine.host.shutDown();
      return true;
    },
    plugins: {
      sources: {
        uploads: { find: (id) => machine.uploads.find(id) },
        drives: { holds: (path) => system().usb.holds(path) },
      },
      ...plugins,
    },
    ...(crashAt && { probe: crashPassage(crashAt) }),
  });
  return { role, board, vialFile };
}

function openBoard({ unit, dataFolder, clock, wire, log, board: choice }: UnitPartOptions) {
  const places = { unit, dataFolder, clock, wire, log };
  return choice.kind === 'linux'
    ? openLinuxBoard(choice, places).then((board) => ({ board, vialFile: undefined }))
    : openSimulatedBoard(choice, places);
}
