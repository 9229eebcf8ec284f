import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Host, LinuxHost, type ReleaseOptions, VersionsFolder } from '@lcs/node';
import { type Log, StartupError } from '@lcs/platform';
import type { Command } from 'commander';
import { folderName } from './node-options.ts';

/** What a node may do with its computer, from the command line. */
export interface HostOptions {
  readonly hostControl?: boolean;
  readonly service: string;
  readonly versions?: string;
  readonly updateKeys?: string;
  readonly releases?: string;
}

/** Options of nodes that may control their computer; a demonstration never does. */
export const addHostOptions = (command: Command): Command =>
  command
    .option('--host-control', 'may reboot, shut down, set the clock, mount USB drives and restart its service')
    .option('--service <name>', 'systemd service that runs this program', 'lcs.service')
    .option('--versions <folder>', 'install updates here; the service starts <folder>/current', folderName)
    .option('--update-keys <file>', 'public keys (OpenSSH, one a line) that may sign updates', folderName)
    .option('--releases <folder>', 'where "update to the next version" finds release_<version>.zip', folderName);

const keysIn = (file: string): readonly string[] => {
  try {
    return readFileSync(resolve(file), 'utf8')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartupError(`Cannot read the update keys: ${reason}.`, { cause: error });
  }
};

/** The machine and the releases of a node. @throws StartupError */
export function readHostOptions(
  { hostControl, service, versions, updateKeys, releases }: HostOptions,
  log: Log,
): { readonly machine?: Host; readonly releases: Partial<ReleaseOptions> } {
  return {
    ...(hostControl ? { machine: new LinuxHost({ log, service }) } : {}),
    releases: {
      ...(versions === undefined ? {} : { installer: new VersionsFolder(resolve(versions)) }),
      ...(updateKeys === undefined ? {} : { keys: keysIn(updateKeys) }),
      ...(releases === undefined ? {} : { folder: resolve(releases) }),
    },
  };
}
