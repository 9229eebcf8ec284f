import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';

/** Installs and removes npm packages in a folder of their own. */
export interface PackageTool {
  /** `what`: `name@version` of the registry, or the path of a package file. @throws PackageToolFailed */
  install(
    folder: string,
    what: string,
    options: { readonly isOffline: boolean; readonly signal: AbortSignal },
  ): Promise<void>;
  /** Removing a missing package succeeds. @throws PackageToolFailed */
  remove(folder: string, name: string, signal: AbortSignal): Promise<void>;
}

/** The message is the end of the tool's output. */
export class PackageToolFailed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PackageToolFailed';
  }
}

const lastLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replace(/^npm (error|ERR!) ?/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('A complete log'))
    .slice(-6)
    .join(' ')
    .slice(0, 600);

const longestOutputBytes = 4 * 1024 * 1024;

/**
 * npm, with fixed arguments and without a shell. Scripts of packages are never run. Names and paths follow `--`, so that none is read as
 * an option.
 */
export function npmPackageTool(): PackageTool {
  const npm = ([command = '', ...args]: readonly string[], folder: string, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const fixed = ['--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier'];

      execFile(
        'npm',
        [command, ...fixed, ...args],
        { cwd: folder, signal, maxBuffer: longestOutputBytes },
        (error, stdout, stderr) => {
          if (error === null) return resolve();
          if (signal.aborted) return reject(signal.reason);
          const missing = 'code' in error && error.code === 'ENOENT' ? 'npm is not installed on this machine.' : '';
          reject(new PackageToolFailed(missing || lastLines(`${stdout}\n${stderr}`) || error.message));
        },
      );
    });
  return {
    install: async (folder, what, { isOffline, signal }) => {
      await mkdir(folder, { recursive: true });
      await npm(['install', '--omit=dev', ...(isOffline ? ['--offline'] : []), '--', what], folder, signal);
    },
    remove: async (folder, name, signal) => {
      await mkdir(folder, { recursive: true });
      await npm(['uninstall', '--', name], folder, signal);
    },
  };
}
