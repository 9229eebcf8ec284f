import { execFile } from 'node:child_process';
import { access, constants, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { CameraMachine } from './command-camera.ts';

const folders = ['/usr/local/bin', '/usr/bin', '/bin'] as const;
const env = { PATH: folders.join(':'), LC_ALL: 'C' };
/** Larger than any image of these programs. */
const maxPictureBytes = 64 * 1024 * 1024;

/** Whether the check succeeds; an error of the file system means no. */
const holds = (check: Promise<boolean>): Promise<boolean> => check.catch(() => false);

/** The machine that this program runs on. */
export const cameraMachine: CameraMachine = {
  find: async (names) => {
    for (const name of names) {
      for (const folder of folders) {
        const path = join(folder, name);
        if (await holds(access(path, constants.X_OK).then(() => true))) return path;
      }
    }
    return undefined;
  },
  run: (path, args, limitMs, signal) =>
    new Promise((resolve, reject) => {
      const limits = { timeout: limitMs, killSignal: 'SIGKILL', maxBuffer: maxPictureBytes } as const;
      const options = { env, encoding: 'buffer', ...limits, ...(signal && { signal }) } as const;
      execFile(path, args, options, (error, stdout, stderr) => {
        if (error && error.killed !== true && typeof error.code !== 'number') return reject(error);
        const exitCode = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
        resolve({ exitCode, stdout, stderr: stderr.toString() });
      });
    }),
  isCharacterDevice: (path) => holds(stat(path).then((facts) => facts.isCharacterDevice())),
  isFile: (path) => holds(stat(path).then((facts) => facts.isFile())),
};
