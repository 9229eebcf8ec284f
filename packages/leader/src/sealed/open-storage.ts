import { env } from 'node:process';
import { FolderStorage } from './folder-storage.ts';
import { s3Access } from './s3-credentials.ts';
import { S3Storage } from './s3-storage.ts';
import type { ArchiveStorage } from './storage.ts';

/** Whether it is a place such as `s3://bucket/prefix`. */
export const isBucket = (place: string): boolean => /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/|$)/.test(place);

/** The storage of a place: a folder, or `s3://bucket/prefix`. @throws S3CredentialsMissing */
export const openStorage = (place: string): ArchiveStorage =>
  isBucket(place) ? new S3Storage(place, s3Access(env)) : new FolderStorage(place);
