import { env } from 'node:process';
import { FolderStorage } from './folder-storage.ts';
import type { ArchiveStorage } from './storage.ts';

/** Whether it is a place such as `s3://bucket/prefix`. */
export const isBucket = (place: string): boolean => /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/|$)/.test(place);

/** The storage of a place: a folder, or `s3://bucket/prefix`, whose code is loaded only then. @throws S3CredentialsMissing */
export async function openStorage(place: string): Promise<ArchiveStorage> {
  if (!isBucket(place)) return new FolderStorage(place);
  const [{ S3Storage }, { s3Access }] = await Promise.all([import('./s3-storage.ts'), import('./s3-credentials.ts')]);
  return new S3Storage(place, s3Access(env));
}
