import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isObject } from '@lcs/contract';
import { errnoOf, writeFileDurably } from '@lcs/platform';
import type { ProgramIo } from './program-io.ts';

/** A token that `lcs login` has made. */
export interface SavedToken {
  readonly id: string;
  readonly secret: string;
  /** Certificate (PEM) of the leader's own authority, if the person has accepted it. */
  readonly authority?: string;
}

/** By the base URL of the leader. */
type TokensByUrl = Readonly<Record<string, SavedToken>>;

const isToken = (value: unknown): value is SavedToken =>
  isObject(value) &&
  typeof value.id === 'string' &&
  typeof value.secret === 'string' &&
  (value.authority === undefined || typeof value.authority === 'string');

/** Undefined without a home folder. */
function pathOf({ environment: { XDG_CONFIG_HOME, HOME } }: ProgramIo): string | undefined {
  const folder = XDG_CONFIG_HOME || (HOME && join(HOME, '.config'));
  return folder ? join(folder, 'lcs', 'tokens.json') : undefined;
}

function read(path: string): TokensByUrl {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const entries = Object.entries(isObject(value) ? value : {});
    return Object.fromEntries(entries.flatMap(([url, token]) => (isToken(token) ? [[url, token]] : [])));
  } catch (error) {
    // A damaged file is replaced by the next sign-in.
    if (errnoOf(error) === 'ENOENT' || error instanceof SyntaxError) return {};
    throw error;
  }
}

/** The token for a leader, from `lcs login` on this account. */
export function savedToken(io: ProgramIo, url: string): SavedToken | undefined {
  const path = pathOf(io);
  if (path === undefined) return undefined;
  const saved = read(path);
  return Object.hasOwn(saved, url) ? saved[url] : undefined;
}

/**
 * Stores the token for a leader, or removes it, in a file that only this account can read.
 * @throws Error without a home folder
 */
export async function saveToken(io: ProgramIo, url: string, token: SavedToken | undefined): Promise<void> {
  const path = pathOf(io);
  if (path === undefined) throw new Error('The token cannot be stored: HOME is not set.');
  const { [url]: _, ...others } = read(path);
  const saved = token === undefined ? others : { ...others, [url]: token };
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  await writeFileDurably(path, `${JSON.stringify(saved, null, 2)}\n`, { mode: 0o600 });
}
