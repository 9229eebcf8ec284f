import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '@lcs/contract';
import { compareVersions } from '@lcs/domain';
import { errnoOf } from '@lcs/platform';
import type { UsbDrives } from '../host/usb-drives.ts';
import type { UploadStore } from '../uploads/upload-store.ts';

const archiveName = /^release_(\d{2}\.\d{1,2}\.\d+(?:-[0-9A-Za-z.]+)?)\.zip$/;

/** A found archive, not yet verified. */
export interface FoundArchive {
  readonly path: string;
  readonly version: string;
}

/** The releases in a folder, oldest first. */
async function releasesIn(folder: string): Promise<readonly FoundArchive[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  });
  const found = names.flatMap((name) => {
    const version = archiveName.exec(name)?.[1];
    return version === undefined ? [] : [{ path: join(folder, name), version }];
  });
  return found.sort((a, b) => compareVersions(a.version, b.version));
}

/**
 * The release with the requested version, or the next one after `current`.
 * @throws ApiError update_source_missing, update_not_found
 */
export async function configuredRelease(
  folder: string | undefined,
  current: string,
  wanted: string | undefined,
): Promise<FoundArchive> {
  if (folder === undefined) throw new ApiError('update_source_missing', {});
  const all = await releasesIn(folder);
  const found =
    wanted === undefined
      ? all.find(({ version }) => compareVersions(version, current) > 0)
      : all.find(({ version }) => version === wanted);
  if (found === undefined) throw new ApiError('update_not_found', { version: wanted ?? `newer than ${current}` });
  return found;
}

/** Path of a staged upload, or of a plain file on a mounted drive; undefined for anything else. */
export async function releaseFile(
  { uploads, usb }: { readonly uploads: UploadStore; readonly usb: UsbDrives },
  place: string,
): Promise<string | undefined> {
  const staged = await uploads.find(place);
  if (staged !== undefined) return staged.path;
  try {
    const real = await realpath(place);
    // Reading a pipe or a device would never end.
    return (await usb.holds(real)) && (await stat(real)).isFile() ? real : undefined;
  } catch (error) {
    if (
      ['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'].includes(errnoOf(error) ?? '')
    )
      return undefined;
    throw error;
  }
}
