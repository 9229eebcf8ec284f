import { createClient, leaderApi, nodeApi } from '@lcs/contract';
import type { Command } from 'commander';
import type { ProgramIo } from './program-io.ts';
import { savedToken } from './saved-tokens.ts';

const defaultLeaderUrl = 'http://127.0.0.1:4999';

export interface ConnectionOptions {
  readonly url: string;
  readonly json?: true;
  /** Of the environment (`LCS_TOKEN`) or of `lcs login`; not an option, because other users see the options of a process. */
  readonly token?: string;
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

/** Options of every command that calls a leader. */
export const withConnection = (command: Command, io: ProgramIo): Command =>
  command
    .option('--url <url>', 'address of the leader (or set LCS_URL)', io.environment.LCS_URL ?? defaultLeaderUrl)
    .option('--json', 'print JSON for programs')
    .hook('preAction', (_, action) => {
      const { url } = action.opts<ConnectionOptions>();
      action.setOptionValue('token', io.environment.LCS_TOKEN ?? savedToken(io, withoutSlash(url))?.secret);
    });

/** Typed calls to a leader. */
export type Connected = ReturnType<typeof connect>;

/** @param headers of the credentials, instead of those of the token */
export function connect(
  { url, token }: ConnectionOptions,
  headers: Readonly<Record<string, string>> = token === undefined ? {} : { authorization: `Bearer ${token}` },
) {
  const baseUrl = withoutSlash(url);
  return {
    ...createClient(leaderApi, { baseUrl, headers }),
    ...createClient(nodeApi, { baseUrl, headers }),
    baseUrl,
    headers,
    /** For answers that are not JSON. */
    fetch: (path: string, init: RequestInit = {}) =>
      fetch(baseUrl + path, { ...init, headers: { ...headers, ...init.headers } }),
  };
}
