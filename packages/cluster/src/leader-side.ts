import type { LeaderRole, LeaderSchema } from '@lcs/leader';
import type {
  JobRuntime,
  Living,
  NodePlugins,
  NodePluginsOptions,
  NodeSystem,
  ServedApi,
  SqliteDatabase,
} from '@lcs/platform';
import type { MachineOutputs } from './machine-stage.ts';
import type { NodeInputs } from './node-inputs.ts';

/** What both kinds of a leader's node are composed with: without a board, and with one. */
export interface LeaderSideNeeds extends NodeInputs, MachineOutputs {
  readonly leaderRole: LeaderRole;
  /** The leader's store, which has the tasks and jobs of the node too. */
  readonly nodeDatabase: SqliteDatabase<LeaderSchema>;
  readonly pluginOptions: Pick<NodePluginsOptions, 'sources'> & Partial<Pick<NodePluginsOptions, 'tool' | 'limits'>>;
}

/** The jobs of a leader's node, and its `/unit_api`. */
export interface LeaderSide {
  readonly runtime: JobRuntime;
  readonly plugins: NodePlugins;
  readonly serveApi: (system: NodeSystem) => ServedApi;
  /** The clock of the computer was set. */
  readonly clockSet: (utcMs: number) => void;
  /** Before all that uses a store. */
  readonly stores: readonly Living[];
  /** After the parts of the leader role, before the tasks. */
  readonly parts: readonly Living[];
  /** After HTTP and the leader role. */
  readonly partsAfterHttp: readonly Living[];
}
