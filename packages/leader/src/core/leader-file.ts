import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigValueError, readSetting, type SettingDeclaration } from '@lcs/domain';
import { errnoOf, type IniView, parseIni, reasonOf, StartupError } from '@lcs/platform';
import { withOpenedSecrets } from './opened-secrets.ts';

/** The leader's own file in its data folder. It is never served: it contains passwords and folders of this machine. */
export const leaderFileName = 'leader.ini';

/** The content of `leader.ini`; empty if there is no file. @throws StartupError that names the fault */
export async function readLeaderFile(dataFolder: string): Promise<IniView> {
  return (await withOpenedSecrets(leaderFileView(await leaderFileText(dataFolder)), dataFolder)).view;
}

/** The value of a key of a `leader.ini`, or its default. @throws StartupError for an invalid value */
export function readLeaderSetting<Value>(file: IniView, setting: SettingDeclaration<Value>): Value {
  try {
    return readSetting(file, setting);
  } catch (error) {
    if (error instanceof ConfigValueError) refuseLeaderFile(error.message);
    throw error;
  }
}

/** The same from the file of a data folder. @throws StartupError */
export const loadLeaderSetting = async <Value>(
  dataFolder: string,
  setting: SettingDeclaration<Value>,
): Promise<Value> => readLeaderSetting(await readLeaderFile(dataFolder), setting);

/** @throws StartupError that names the invalid line */
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

/** The text of `leader.ini`; empty if there is no file. @throws StartupError */
export async function leaderFileText(dataFolder: string): Promise<string> {
  const path = join(dataFolder, leaderFileName);
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return '';
    throw new StartupError(`${path} cannot be read: ${reasonOf(cause)}.`, { cause });
  }
}
