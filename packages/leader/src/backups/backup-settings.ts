import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { hourMs } from '@lcs/contract';
import { backupSettings, leaderSettings, settingOrDefault } from '@lcs/domain';
import type { BackupRetention } from '@lcs/node';
import { errnoOf, type IniView } from '@lcs/platform';
import { loadLeaderSetting, refuseLeaderFile } from '../core/leader-file.ts';

/** Destination of backups. */
export interface BackupPlace {
  readonly folder: string;
  /** `false`: below the data folder, and lost with its disk. */
  readonly isSecond: boolean;
}

/** `[backup] folder` of leader.ini: a setting that other people can edit must not choose where this machine writes. @throws StartupError */
export async function loadBackupPlace(dataFolder: string): Promise<BackupPlace> {
  const folder = (await loadLeaderSetting(dataFolder, leaderSettings.backupFolder)) ?? '';
  if (folder === '') return { folder: join(dataFolder, 'backups'), isSecond: false };
  if (!isAbsolute(folder)) refuseLeaderFile(`[backup] folder is '${folder}', not a path that begins with a slash.`);
  const below = relative(await realPath(dataFolder), await realPath(folder));
  if (below === 'backups') return { folder: join(dataFolder, 'backups'), isSecond: false };
  if (below !== '..' && !below.startsWith('../')) {
    refuseLeaderFile(
      `[backup] folder is '${folder}', inside the data folder: each backup would hold the earlier ones. Name a folder of another disk, or none.`,
    );
  }
  return { folder, isSecond: true };
}

/** The resolved path, with links followed as far as it exists: the drive may not be mounted. */
async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const isMissing = errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR';
    if (!isMissing || dirname(path) === path) throw error;
    return join(await realPath(dirname(path)), basename(path));
  }
}

/** Milliseconds between two backups; 0: no scheduled backups. */
export const backupIntervalMs = (view: IniView): number => settingOrDefault(view, backupSettings.interval) * hourMs;

/** On the leader's own disk, readings have priority. */
const onOwnDisk: BackupRetention = { daily: 2, weekly: 0 };

export const backupRetention = (view: IniView, { isSecond }: BackupPlace): BackupRetention => {
  const daily = settingOrDefault(view, backupSettings.keepDaily);
  const weekly = settingOrDefault(view, backupSettings.keepWeekly);
  return isSecond ? { daily, weekly } : { daily: Math.min(daily, onOwnDisk.daily), weekly: onOwnDisk.weekly };
};
