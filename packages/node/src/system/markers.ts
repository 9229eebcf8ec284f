import { join } from 'node:path';
import { ApiError } from '@lcs/contract';
import { exists } from '../host/read-outs.ts';

/** Files with which a user disables a group of routes; checked at each request. */
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
