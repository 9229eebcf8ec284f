import { readFile, rm } from 'node:fs/promises';
import { errnoOf, writeFileDurably } from '@lcs/platform';
import { Type } from 'typebox';
import { Value } from 'typebox/value';

const Note = Type.Object({
  task_id: Type.String(),
  to: Type.String(),
  /** The selected version before this update; null: none. */
  before: Type.Union([Type.String(), Type.Null()]),
});
type Note = Type.Static<typeof Note>;

/** Written when an update requests its restart, so that it does not request another one afterwards. */
export const noteRestart = (path: string, note: Note): Promise<void> =>
  writeFileDurably(path, `${JSON.stringify(note)}\n`);

/** The note of this task from before its restart; undefined when it has not requested one. */
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
