import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '@lcs/contract';
import type { IniView } from '../ini/ini-view.ts';
import { errnoOf } from '../node/file-errors.ts';
import { markers } from '../system/markers.ts';

/** Anything of this name in the data folder forbids changes of plugins, whatever the configuration says. */
const marker = markers.installs;
const yes = new Set(['1', 'true', 'yes', 'on']);

async function hasMarker(dataFolder: string): Promise<boolean> {
  try {
    await lstat(join(dataFolder, marker));
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Plugins are code that runs on this machine: nobody may install or remove them unless that was switched on.
 * @throws ApiError plugin_changes_forbidden
 */
export async function expectPluginChanges(dataFolder: string, config: IniView): Promise<void> {
  if (await hasMarker(dataFolder))
    throw new ApiError('plugin_changes_forbidden', {
      cause: `The data folder of this node has the marker ${marker}.`,
      remediation: 'Remove the marker on the machine itself.',
    });
  if (!yes.has(config.plugins?.allow_install?.trim().toLowerCase() ?? ''))
    throw new ApiError('plugin_changes_forbidden', {
      cause: 'The configuration does not say [plugins] allow_install=1.',
      remediation: 'Set allow_install=1 in the section [plugins] of the configuration.',
    });
}
