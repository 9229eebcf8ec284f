import { readFile, rm } from 'node:fs/promises';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { writeFileDurably } from '../node/durable-file.ts';
import { errnoOf } from '../node/file-errors.ts';

const Note = Type.Object({ task_id: Type.String(), to: Type.String() });

/** Written when a task of updating asks for the restart that makes its version run: after it, asking again is pointless. */
export const noteRestart = (path: string, taskId: string, to: string): Promise<void> =>
  writeFileDurably(path, `${JSON.stringify({ task_id: taskId, to })}\n`);

/** Whether this task has asked for its restart already. */
export async function hasAskedForRestart(path: string, taskId: string): Promise<boolean> {
  try {
    const note: unknown = JSON.parse(await readFile(path, 'utf8'));
    return Value.Check(Note, note) && note.task_id === taskId;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || error instanceof SyntaxError) return false;
    throw error;
  }
}

export const forgetRestart = (path: string): Promise<void> => rm(path, { force: true });
