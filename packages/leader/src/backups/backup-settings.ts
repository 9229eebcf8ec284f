import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { type BackupRetention, errnoOf, type IniView } from '@lcs/platform';
import { readLeaderFile, refuseLeaderFile } from '../core/leader-file.ts';

/** Where backups go. */
export interface BackupPlace {
  readonly folder: string;
  /** `false`: below the data folder, and lost with its disk. */
  readonly isSecond: boolean;
}

const hourMs = 3_600_000;

/** `[backup] folder` of leader.ini: what other people may edit must not write anywhere on this machine. @throws StartupError */
export async function loadBackupPlace(dataFolder: string): Promise<BackupPlace> {
  const folder = (await readLeaderFile(dataFolder)).backup?.folder ?? '';
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

/** Where a path leads, links followed as far as it exists: the drive may not be mounted. */
async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const isMissing = errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR';
    if (!isMissing || dirname(path) === path) throw error;
    return join(await realPath(dirname(path)), basename(path));
  }
}

function numberOf(view: IniView, key: string, fallback: number): number {
  const text = view.backup?.[key]?.trim() ?? '';
  const value = Number(text);
  return text === '' || !Number.isFinite(value) || value < 0 ? fallback : value;
}

/** Milliseconds between two backups; 0: none by itself. */
export const backupIntervalMs = (view: IniView): number => numberOf(view, 'interval_hours', 24) * hourMs;

/** The leader's own disk has room for readings first. */
const onOwnDisk: BackupRetention = { daily: 2, weekly: 0 };

export const backupRetention = (view: IniView, { isSecond }: BackupPlace): BackupRetention => {
  const daily = Math.floor(numberOf(view, 'keep_daily', 7));
  const weekly = Math.floor(numberOf(view, 'keep_weekly', 4));
  return isSecond ? { daily, weekly } : { daily: Math.min(daily, onOwnDisk.daily), weekly: onOwnDisk.weekly };
};
