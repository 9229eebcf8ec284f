import type { LeaderBase, LeaderSchema, NodeJobs } from '@lcs/leader';
import type { NodePluginsOptions, NodeSystem } from '@lcs/node';
import type { ServedApi, Service, StoredDatabase } from '@lcs/platform';
import type { MachineOutputs } from './machine-stage.ts';
import type { NodeInputs } from './node-inputs.ts';

/** The leader's store, which has the tasks and jobs of its node too. */
export interface LeaderStoreOutputs {
  readonly nodeDatabase: StoredDatabase<LeaderSchema>;
}

/** What the jobs of a leader's node are composed with, without a board and with one. */
export type LeaderNodeJobsInputs = NodeInputs &
  LeaderStoreOutputs &
  MachineOutputs & { readonly leaderBase: LeaderBase };

/** The jobs of a leader's node, and its `/unit_api`. */
export interface LeaderNodeJobs extends NodeJobs {
  readonly serveNode: (system: NodeSystem) => ServedApi;
  /** The clock of the computer was set. */
  readonly clockSet: (utcMs: number) => void;
  /** How long the guard of its outputs has not answered. */
  readonly guardSilentMs: () => number;
  /** After the services of the leader role, before the tasks. */
  readonly jobServices: readonly Service[];
  /** After HTTP and the leader role. */
  readonly jobServicesAfterHttp: readonly Service[];
}

/** The first stage of a leader's node: its board, if it has one, is open before the rest is composed, its jobs too. */
export interface JobsOutputs {
  readonly composeJobs: (inputs: LeaderNodeJobsInputs) => LeaderNodeJobs;
}

/** The sources of plugin files. */
export const pluginSources = ({ pluginOptions, machine }: NodeInputs & MachineOutputs): NodePluginsOptions['sources'] =>
  pluginOptions?.sources ?? { uploads: machine.uploads, drives: machine.usb };
