import { isObject } from '@lcs/contract';

/** A rehearsal that this browser has begun. Its task, with the result, is on the leader. */
export interface BegunRehearsal {
  readonly task_id: string;
  /** The saved profile; absent: it was not saved yet. */
  readonly file?: string;
  readonly text: string;
}

/** Enough for the profiles that somebody works on; the texts must fit into the storage of a browser. */
const most = 5;

const isBegun = (value: unknown): value is BegunRehearsal =>
  isObject(value) &&
  typeof value.task_id === 'string' &&
  typeof value.text === 'string' &&
  (value.file === undefined || typeof value.file === 'string');

/** The rehearsals that a browser has stored, newest first. */
export function readBegun(stored: string | null): readonly BegunRehearsal[] {
  try {
    const known: unknown = JSON.parse(stored ?? '[]');
    return Array.isArray(known) ? known.filter(isBegun) : [];
  } catch {
    return [];
  }
}

export const withBegun = (known: readonly BegunRehearsal[], begun: BegunRehearsal): readonly BegunRehearsal[] =>
  [begun, ...known.filter(({ text }) => text !== begun.text)].slice(0, most);

/** The rehearsal to show with a text: of this text, under whatever name it is saved; otherwise the newest of the file. */
export const begunFor = (
  known: readonly BegunRehearsal[],
  file: string | undefined,
  text: string,
): BegunRehearsal | undefined =>
  known.find((begun) => begun.text === text) ?? known.find((begun) => file !== undefined && begun.file === file);
