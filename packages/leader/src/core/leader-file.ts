import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, type IniView, parseIni, reasonOf, StartupError } from '@lcs/platform';

/** The leader's own file in its data folder, never served: it has passwords and places of this machine. */
export const leaderFileName = 'leader.ini';

/** What `leader.ini` says; empty where there is none. @throws StartupError naming what is wrong */
export async function readLeaderFile(dataFolder: string): Promise<IniView> {
  return leaderFileView(await textOf(join(dataFolder, leaderFileName)));
}

/** @throws StartupError naming the line that is wrong */
export function leaderFileView(text: string): IniView {
  const { document, diagnostics } = parseIni(text);
  const [wrong] = diagnostics;
  if (wrong !== undefined) refuseLeaderFile(`line ${wrong.line}: ${wrong.message}`);
  return document.view();
}

/** @throws StartupError always */
export function refuseLeaderFile(cause: string): never {
  throw new StartupError(`${leaderFileName} cannot be used: ${cause}`);
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return '';
    throw new StartupError(`${path} cannot be read: ${reasonOf(cause)}.`, { cause });
  }
}
