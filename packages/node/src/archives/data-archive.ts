import { createWriteStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import { ApiError } from '@lcs/contract';
import { compareVersions } from '@lcs/domain';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { isOwnFile } from './data-folder-files.ts';
import { dataMetadataName } from './data-folder-zip.ts';
import { readZip, ZipFault, type ZipLimits, type ZipMember } from './read-zip.ts';

export const dataArchiveLimits: ZipLimits = { entries: 100_000, totalBytes: 4 * 1024 ** 3, ratio: 200 };

const metadataBytes = 64 * 1024;

const Metadata = Type.Object({ name: Type.Optional(Type.String()), app_version: Type.Optional(Type.String()) });

/** The node that an archive is meant for. */
export interface ArchiveOwner {
  readonly unit: string;
  /** The version of its program: data of a newer one cannot be read. */
  readonly version: string;
}

async function checkMetadata(members: readonly ZipMember[], { unit, version }: ArchiveOwner): Promise<void> {
  const member = members.find(({ name }) => name === dataMetadataName);
  if (member === undefined) return;
  if (member.sizeBytes > metadataBytes) throw new ZipFault('metadata_invalid', `Its ${dataMetadataName} is too large.`);
  let metadata: unknown;
  try {
    metadata = JSON.parse(await text(await member.open()));
  } catch (error) {
    if (error instanceof SyntaxError) throw new ZipFault('metadata_invalid', `Its ${dataMetadataName} is not JSON.`);
    throw error;
  }
  if (!Value.Check(Metadata, metadata)) throw new ZipFault('metadata_invalid', `Its ${dataMetadataName} is not valid.`);
  const { name = unit, app_version = version } = metadata;
  if (name !== unit) throw new ZipFault('foreign_unit', `It belongs to ${name}; this is ${unit}.`);
  if (compareVersions(app_version, version) > 0) {
    throw new ZipFault('newer_version', `It was made by version ${app_version}; this node runs ${version}.`);
  }
}

/** Members that are checked in one turn of the event loop. */
const checkedAtOnce = 1000;

/** The new data replace the old by renaming: a folder there must be a folder here. */
async function checkTargets(members: readonly ZipMember[]): Promise<void> {
  const files = new Set(members.flatMap(({ name, isFolder }) => (isFolder ? [] : [name])));
  if (files.has('storage')) throw new ZipFault('target_conflict', "Its 'storage' is not a folder.");
  for (const [index, { name }] of members.entries()) {
    if (index % checkedAtOnce === 0) await turnOfEventLoop();
    for (let end = name.indexOf('/'); end >= 0; end = name.indexOf('/', end + 1)) {
      const folder = name.slice(0, end);
      if (files.has(folder)) throw new ZipFault('target_conflict', `Its '${folder}' is a file and a folder.`);
    }
  }
}

async function withDataArchive<Result>(
  path: string,
  owner: ArchiveOwner,
  limits: ZipLimits,
  use: (members: readonly ZipMember[]) => Promise<Result>,
): Promise<Result> {
  try {
    return await readZip(path, limits, async (members) => {
      await checkMetadata(members, owner);
      await checkTargets(members);
      return use(members);
    });
  } catch (error) {
    if (!(error instanceof ZipFault)) throw error;
    const refused = new ApiError('data_archive_invalid', { cause: error.message });
    refused.cause = error;
    throw refused;
  }
}

/** Checks everything that can be checked without unpacking. @throws ApiError data_archive_invalid */
export const checkDataArchive = (
  path: string,
  owner: ArchiveOwner,
  limits: ZipLimits = dataArchiveLimits,
): Promise<void> => withDataArchive(path, owner, limits, async () => {});

/**
 * Unpacks an archive into a new folder and waits for the disk. Files of one machine (identity, secrets) are never unpacked.
 * @throws ApiError data_archive_invalid
 */
export async function unpackDataArchive(
  path: string,
  owner: ArchiveOwner,
  target: string,
  { signal, progress }: { readonly signal: AbortSignal; readonly progress: (fraction: number) => void },
): Promise<void> {
  await withDataArchive(path, owner, dataArchiveLimits, async (members) => {
    for (const [index, member] of members.entries()) {
      signal.throwIfAborted();
      progress(index / members.length);
      const { name, isFolder } = member;
      if (name === dataMetadataName || isOwnFile(name.replace(/\/$/, ''))) continue;
      const place = join(target, name);
      await mkdir(isFolder ? place : dirname(place), { recursive: true, mode: 0o700 });
      if (!isFolder) await writeMember(member, place, signal);
    }
  });
}

async function writeMember(member: ZipMember, place: string, signal: AbortSignal): Promise<void> {
  await pipeline(await member.open(), createWriteStream(place, { flags: 'wx', mode: 0o600 }), { signal });
  const file = await open(place, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
