import { readLeaderFile, refuseLeaderFile } from '../core/leader-file.ts';

const [least, most] = [1, 10_000];

/** `[http] live_connections` of leader.ini; undefined: the usual limit. @throws StartupError */
export async function loadLiveConnections(dataFolder: string): Promise<number | undefined> {
  const text = (await readLeaderFile(dataFolder)).http?.live_connections ?? '';
  if (text === '') return undefined;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most) {
    refuseLeaderFile(`[http] live_connections must be a whole number from ${least} to ${most}, not '${text}'.`);
  }
  return value;
}
