import type { LeaderRole, LeaderSchema } from '@lcs/leader';
import type {
  Clock,
  CrashAt,
  DataFolder,
  Identity,
  JobRuntime,
  Living,
  Log,
  NodePlugins,
  NodePluginsOptions,
  NodeSystem,
  ServedApi,
  SqliteDatabase,
  TaskRunner,
  WriterHost,
} from '@lcs/platform';
import type { nodeHost } from './node-host.ts';

/** What both kinds of a leader's node are composed with: without a board, and with one. */
export interface LeaderSideNeeds {
  readonly name: string;
  readonly folder: DataFolder;
  readonly identity: Identity;
  readonly clock: Clock;
  readonly wire: Clock;
  readonly log: Log;
  readonly role: LeaderRole;
  readonly system: NodeSystem;
  readonly machine: ReturnType<typeof nodeHost>;
  /** The leader's store, which has the tasks and jobs of the node too. */
  readonly database: SqliteDatabase<LeaderSchema>;
  readonly writer: WriterHost | undefined;
  readonly tasks: TaskRunner;
  readonly plugins: Pick<NodePluginsOptions, 'sources'> & Partial<Pick<NodePluginsOptions, 'tool' | 'limits'>>;
  /** Base URL of this node; asked only while it is up. */
  readonly url: () => string;
  readonly hostSynced: () => boolean;
  readonly crashAt: CrashAt | undefined;
  /** A store is lost: the node cannot go on. */
  readonly onFatal: () => void;
}

/** The jobs of a leader's node, and its `/unit_api`. */
export interface LeaderSide {
  readonly runtime: JobRuntime;
  readonly plugins: NodePlugins;
  readonly api: ServedApi;
  /** The clock of the computer was set. */
  readonly clockSet: (utcMs: number) => void;
  /** Before all that uses a store. */
  readonly stores: readonly Living[];
  /** After the parts of the leader role, before the tasks. */
  readonly parts: readonly Living[];
  /** After HTTP and the leader role. */
  readonly partsAfterHttp: readonly Living[];
}
