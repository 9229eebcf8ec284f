import { readFile, rm } from 'node:fs/promises';
import { errnoOf, writeFileDurably } from '@lcs/platform';
import { Type } from 'typebox';
import { Value } from 'typebox/value';

const Note = Type.Object({
  task_id: Type.String(),
  to: Type.String(),
  /** The version that would have run after a restart before this update; null: none was chosen. */
  before: Type.Union([Type.String(), Type.Null()]),
});
type Note = Type.Static<typeof Note>;

/** Written when a task of updating asks for the restart that makes its version run: after it, asking again is pointless. */
export const noteRestart = (path: string, note: Note): Promise<void> =>
  writeFileDurably(path, `${JSON.stringify(note)}\n`);

/** What this task has noted before its restart; undefined when it has not asked for one. */
export async function restartNote(path: string, taskId: string): Promise<Note | undefined> {
  try {
    const note: unknown = JSON.parse(await readFile(path, 'utf8'));
    return Value.Check(Note, note) && note.task_id === taskId ? note : undefined;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export const forgetRestart = (path: string): Promise<void> => rm(path, { force: true });
