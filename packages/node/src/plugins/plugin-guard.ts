import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '@lcs/contract';
import { pluginSettings, settingOrDefault } from '@lcs/domain';
import { errnoOf, type IniView } from '@lcs/platform';
import { markers } from '../system/markers.ts';

/** A file with this name in the data folder forbids changes of plugins, regardless of the configuration. */
const marker = markers.installs;

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
 * Plugins are code that runs on this machine: installing and removing must be enabled.
 * @throws ApiError plugin_changes_forbidden
 */
export async function expectPluginChanges(dataFolder: string, config: IniView): Promise<void> {
  if (await hasMarker(dataFolder))
    throw new ApiError('plugin_changes_forbidden', {
      cause: `The data folder of this node has the marker ${marker}.`,
      remediation: 'Remove the marker on the machine itself.',
    });
  if (!settingOrDefault(config, pluginSettings.allowInstall))
    throw new ApiError('plugin_changes_forbidden', {
      cause: 'The configuration does not have allow_install=1 in section [plugins].',
      remediation: 'Set allow_install=1 in the section [plugins] of the configuration.',
    });
}
