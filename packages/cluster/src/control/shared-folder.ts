import { randomBytes } from 'node:crypto';
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ActiveLock, ActiveProcess, Clock, Log } from '@lcs/platform';
import { errnoOf, makeFolders, reasonOf, StartupError } from '@lcs/platform';

/** How the processes of a database send messages to each other. */
export type ProcessMessages = Pick<ActiveLock, 'listen' | 'notify'>;

const questions = 'lcs_folder';
const answers = 'lcs_folder_answer';
const answerLimitMs = 2_000;

const fileOf = (dataFolder: string, mark: string): string => join(dataFolder, 'run', `shared-${mark}`);

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** The active process answers whether it sees a file that a standby has made in its data folder: then both have the same folder. */
export async function answerFolderQuestions(messages: ProcessMessages, dataFolder: string, log: Log): Promise<void> {
  const answer = async (mark: string) => {
    if (/^[0-9a-f]{32}$/.test(mark))
      await messages.notify(answers, `${mark} ${(await isThere(fileOf(dataFolder, mark))) ? 'yes' : 'no'}`);
  };
  await messages.listen(questions, (mark) => {
    // Without an answer the standby asks again.
    answer(mark).catch((error: unknown) => log.warn('A standby was not answered', { error: reasonOf(error) }));
  });
}

/** Asks the active process whether it has this data folder; undefined: it does not answer. */
export async function sharesFolder(
  messages: ProcessMessages,
  dataFolder: string,
  wire: Pick<Clock, 'after'>,
): Promise<boolean | undefined> {
  const mark = randomBytes(16).toString('hex');
  const path = fileOf(dataFolder, mark);
  const outcome = Promise.withResolvers<boolean | undefined>();
  const cancel = wire.after(answerLimitMs, () => outcome.resolve(undefined));
  await makeFolders(join(dataFolder, 'run'));
  await writeFile(path, '', { mode: 0o600 });
  try {
    await messages.listen(answers, (payload) => {
      if (payload.startsWith(`${mark} `)) outcome.resolve(payload.endsWith(' yes'));
    });
    await messages.notify(questions, mark);
    return await outcome.promise;
  } finally {
    cancel();
    await rm(path, { force: true });
  }
}

const remedy = 'Control processes share one data folder: choose that of the active process with --data-dir.';

export const otherFolder = (dataFolder: string): StartupError =>
  new StartupError(`The data folder ${dataFolder} is not the one of the active process. ${remedy}`);

/**
 * A process may only take over with the data folder of the last active one.
 * @throws StartupError
 */
export function checkFolder(
  dataFolder: string,
  own: { readonly id: string; readonly boot: number } | undefined,
  last: ActiveProcess | undefined,
): void {
  if (last === undefined) return;
  if (own === undefined || own.id !== last.nodeId) throw otherFolder(dataFolder);
  if (own.boot < last.boot)
    throw new StartupError(
      `The data folder ${dataFolder} is an older copy: it has ${own.boot} starts, the active process had ${last.boot}. ${remedy}`,
    );
}
