import { ApiError } from '@lcs/contract';
import { sharedConfigName } from './config-history.ts';

/** A configuration file, as the older routes name it. */
export type ConfigFileName = { readonly is: 'shared' } | { readonly is: 'own'; readonly unit: string };

const ownName = /^config_(.+)\.ini$/;

/**
 * Reads the name of a file; folders before it do not count.
 * @throws ApiError config_file_invalid, config_file_not_found
 */
export function configFileNamed(text: string): ConfigFileName {
  const filename = text.split(/[/\\]/).at(-1) ?? '';
  if (!filename.endsWith('.ini')) throw new ApiError('config_file_invalid', { filename });
  if (filename === sharedConfigName) return { is: 'shared' };
  const unit = ownName.exec(filename)?.[1];
  if (unit === undefined) throw new ApiError('config_file_not_found', { filename });
  return { is: 'own', unit };
}

/** All names, sorted. */
export const olderFileNames = (units: readonly string[]): string[] =>
  [sharedConfigName, ...units.map((unit) => `config_${unit}.ini`)].sort();
