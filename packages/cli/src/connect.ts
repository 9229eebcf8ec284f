import { existsSync } from 'node:fs';
import { Agent } from 'node:https';
import { join, resolve } from 'node:path';
import { createClient, leaderApi, nodeApi } from '@lcs/contract';
import { agentFetch, unixSocketAgent } from '@lcs/platform';
import type { Command } from 'commander';
import { folderName } from './commands/node-options.ts';
import { CommandFailure, type ProgramIo } from './program-io.ts';
import { savedToken } from './saved-tokens.ts';

const defaultLeaderUrl = 'http://127.0.0.1:4999';
/** Through the Unix socket. Only the Host header contains it. */
const socketUrl = 'http://localhost';

export interface ConnectionOptions {
  readonly url: string;
  readonly json?: true;
  readonly dataDir: string;
  /** Of the environment (`LCS_TOKEN`) or of `lcs login`; not an option, because other users see the options of a process. */
  readonly token?: string;
  /** Path of the node's Unix socket, if it is used. */
  readonly socket?: string;
  /** A data folder was named, and no leader runs with it: there is nothing to connect to. */
  readonly hasNoLeader?: true;
  /** Certificate (PEM) of the leader's own authority, which `lcs login` has stored. */
  readonly authority?: string;
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

/** The socket of the node, leader or unit, with this data folder; undefined: there is none. */
export function nodeSocketIn(dataFolder: string): string | undefined {
  const path = join(resolve(dataFolder), 'run', 'node.sock');
  return existsSync(path) ? path : undefined;
}

/** Files of leaders only: the store, if it is SQLite, and the reserve for jobs that end on a full disk. */
const leaderFiles = ['leader.sqlite', 'leader-ended-jobs'];

/** The socket of a leader with this data folder. That of a unit is not meant. */
const isOfLeader = (dataFolder: string): boolean =>
  leaderFiles.some((file) => existsSync(join(resolve(dataFolder), 'storage', file)));

const leaderSocketIn = (dataFolder: string): string | undefined =>
  isOfLeader(dataFolder) ? nodeSocketIn(dataFolder) : undefined;

/** Options of every command that calls a leader. */
export const withConnection = (command: Command, io: ProgramIo): Command =>
  command
    .option('--url <url>', 'address of the leader (or set LCS_URL)', io.environment.LCS_URL ?? defaultLeaderUrl)
    .option(
      '--data-dir <folder>',
      'data folder of a leader on this machine: reached without sign-in when neither an address nor a token is given',
      folderName,
      io.defaultDataFolder,
    )
    .option('--json', 'print JSON for programs')
    .hook('preAction', (_, action) => {
      const { url, dataDir } = action.opts<ConnectionOptions>();
      const saved = savedToken(io, withoutSlash(url));
      const token = io.environment.LCS_TOKEN ?? saved?.secret;
      action.setOptionValue('token', token);
      action.setOptionValue('authority', saved?.authority);
      const isUrlGiven = io.environment.LCS_URL !== undefined || action.getOptionValueSource('url') !== 'default';
      if (token !== undefined || isUrlGiven) return;
      const socket = leaderSocketIn(dataDir);
      action.setOptionValue('socket', socket);
      // Another leader of this machine may listen on the usual port: it is not the one that was named, nor the one of this folder.
      const isMeant = action.getOptionValueSource('dataDir') === 'cli' || isOfLeader(dataDir);
      if (socket === undefined && isMeant) action.setOptionValue('hasNoLeader', true);
    });

const noLeaderIn = (dataFolder: string) =>
  new CommandFailure({
    error: `No leader runs with the data folder ${dataFolder}.`,
    cause: 'The folder has no socket run/node.sock of a leader.',
    remediation: 'Start the leader, name its data folder with --data-dir, or its address with --url.',
  });

/** Typed calls to a leader. */
export type Connected = ReturnType<typeof connect>;

/** How requests reach the leader. */
function fetchOf({ socket, authority }: ConnectionOptions): typeof globalThis.fetch {
  if (socket !== undefined) return agentFetch(unixSocketAgent(socket));
  return authority === undefined ? globalThis.fetch : agentFetch(new Agent({ ca: authority }));
}

/**
 * @param headers of the credentials, instead of those of the token
 * @throws CommandFailure when a data folder was named, and no leader runs with it
 */
export function connect(
  options: ConnectionOptions,
  headers: Readonly<Record<string, string>> = options.token === undefined
    ? {}
    : { authorization: `Bearer ${options.token}` },
) {
  if (options.hasNoLeader && options.socket === undefined) throw noLeaderIn(options.dataDir);
  const baseUrl = options.socket === undefined ? withoutSlash(options.url) : socketUrl;
  const send = fetchOf(options);
  return {
    ...createClient(leaderApi, { baseUrl, headers, fetch: send }),
    ...createClient(nodeApi, { baseUrl, headers, fetch: send }),
    baseUrl,
    headers,
    /** `fetch` of this connection, without base URL and headers. */
    send,
    /** For answers that are not JSON. */
    fetch: (path: string, init: RequestInit = {}) =>
      send(baseUrl + path, { ...init, headers: { ...headers, ...init.headers } }),
  };
}
