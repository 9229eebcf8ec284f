import { join } from 'node:path';
import type { DataFolder, Identity, IdentityKey, NodePluginsOptions } from '@lcs/node';
import type { Clock, CrashAt, Log, WriterHost } from '@lcs/platform';

/** What every node is composed with. */
export interface NodeInputs {
  readonly name: string;
  readonly folder: DataFolder;
  readonly identity: Identity;
  readonly identityKey: IdentityKey;
  /** Sampling, time stamps, retention. */
  readonly clock: Clock;
  /** Sockets and time limits. */
  readonly wire: Clock;
  readonly log: Log;
  /** Of the program. */
  readonly version: string;
  /** The thread in which stores are written, shared with other nodes; undefined: the node has one of its own. */
  readonly sharedWriter: WriterHost | undefined;
  readonly crashAt: CrashAt | undefined;
  /** A store has failed: the node must be stopped. */
  readonly onFatal: () => void;
  /** Default: the flag of systemd. */
  readonly hostSynced: (() => boolean) | undefined;
  /** Sources of plugin files, package installer, limits of their processes. */
  readonly pluginOptions: Partial<Pick<NodePluginsOptions, 'sources' | 'tool' | 'limits'>> | undefined;
}

/** The Unix socket of a node, for commands on its machine. */
export const socketPath = (dataFolder: string): string => join(dataFolder, 'run', 'node.sock');
