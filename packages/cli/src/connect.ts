import { createClient, leaderApi, nodeApi } from '@lcs/contract';
import type { Command } from 'commander';
import type { ProgramIo } from './program-io.ts';

const defaultLeaderUrl = 'http://127.0.0.1:4999';

export interface ConnectionOptions {
  readonly url: string;
  readonly json?: true;
}

/** Options of every command that calls a leader. */
export const withConnection = (command: Command, io: ProgramIo): Command =>
  command
    .option('--url <url>', 'address of the leader (or set LCS_URL)', io.environment.LCS_URL ?? defaultLeaderUrl)
    .option('--json', 'print JSON for programs');

/** Typed calls to a leader. */
export type Connected = ReturnType<typeof connect>;

export function connect({ url }: ConnectionOptions) {
  const baseUrl = url.replace(/\/+$/, '');
  return { ...createClient(leaderApi, { baseUrl }), ...createClient(nodeApi, { baseUrl }), baseUrl };
}
