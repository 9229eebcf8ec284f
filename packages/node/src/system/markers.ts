import { join } from 'node:path';
import { ApiError } from '@lcs/contract';
import { exists } from '../host/read-outs.ts';

/** Files that a person puts into the data folder to switch a group of routes off; looked for at each request. */
export const markers = {
  files: 'DISALLOW_UI_FILE_SYSTEM',
  uploads: 'DISALLOW_UI_UPLOADS',
  installs: 'DISALLOW_UI_INSTALLS',
} as const;

/** @throws ApiError file_access_disabled */
export async function expectFileAccess(dataFolder: string): Promise<void> {
  if (await exists(join(dataFolder, markers.files))) throw new ApiError('file_access_disabled', {});
}

/** @throws ApiError uploads_disabled */
export async function expectUploads(dataFolder: string): Promise<void> {
  if (await exists(join(dataFolder, markers.uploads))) throw new ApiError('uploads_disabled', {});
}
