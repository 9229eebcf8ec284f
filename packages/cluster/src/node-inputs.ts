import type { Clock, CrashAt, DataFolder, Identity, Log, NodePluginsOptions, WriterHost } from '@lcs/platform';

/** What every node is composed with. */
export interface NodeInputs {
  readonly name: string;
  readonly folder: DataFolder;
  readonly identity: Identity;
  /** Sampling, time stamps, retention. */
  readonly clock: Clock;
  /** Sockets and time limits. */
  readonly wire: Clock;
  readonly log: Log;
  /** The thread in which stores are written, shared with other nodes; undefined: the node has one of its own. */
  readonly sharedWriter: WriterHost | undefined;
  readonly crashAt: CrashAt | undefined;
  /** A store is lost: the node cannot go on. */
  readonly onFatal: () => void;
  /** Default: the flag of systemd. */
  readonly hostSynced: (() => boolean) | undefined;
  /** Where files of plugins come from, what installs packages, what their processes may use. */
  readonly pluginOptions: Partial<Pick<NodePluginsOptions, 'sources' | 'tool' | 'limits'>> | undefined;
}
