import type { Readable } from 'node:stream';
import { type Entry, fromBufferPromise, openPromise, type ZipFile } from 'yauzl';

export type ZipFaultCode =
  | 'not_a_zip'
  | 'too_many_members'
  | 'too_large'
  | 'name_invalid'
  | 'path_outside'
  | 'type_forbidden'
  | 'encrypted'
  | 'duplicate_member'
  // Of a release
  | 'manifest_invalid'
  | 'member_missing'
  | 'member_unlisted'
  | 'member_changed'
  | 'folder_forbidden'
  | 'no_trusted_key'
  // Of data
  | 'metadata_invalid'
  | 'foreign_unit'
  | 'newer_version'
  | 'target_conflict';

/** The archive is rejected. The message is a sentence for users. */
export class ZipFault extends Error {
  readonly code: ZipFaultCode;

  constructor(code: ZipFaultCode, message: string) {
    super(message);
    this.name = 'ZipFault';
    this.code = code;
  }
}

export interface ZipLimits {
  readonly entries: number;
  /** Of all members, unpacked. */
  readonly totalBytes: number;
  /** The largest ratio of the content's size to the archive's. */
  readonly ratio: number;
}

export interface ZipMember {
  /** Relative, with slashes, without `.` and `..`; of a folder it ends with a slash. */
  readonly name: string;
  readonly isFolder: boolean;
  readonly sizeBytes: number;
  /** Its content; the stream fails when it does not have the declared length. */
  open(): Promise<Readable>;
}

/** Limits of a member's name: checking a path takes time for each of its folders. */
const longestName = 1024;
const deepestName = 32;

const typeMask = 0o170000;
const plainTypes = [0, 0o100000, 0o040000];

/** The type of a file, if the archive was made on a system with file types. */
const fileType = ({ versionMadeBy, externalFileAttributes }: Entry): number =>
  versionMadeBy >>> 8 === 3 ? (externalFileAttributes >>> 16) & typeMask : 0;

function checkMember(entry: Entry, known: ReadonlySet<string>): void {
  const { fileName: name } = entry;
  if (name.includes('\0')) throw new ZipFault('name_invalid', 'A name in it contains a NUL character.');
  if (name.length > longestName)
    throw new ZipFault('name_invalid', `A name in it is longer than ${longestName} characters.`);
  const parts = name.replace(/\/$/, '').split('/');
  if (parts.length > deepestName)
    throw new ZipFault('name_invalid', `The member '${name}' is nested deeper than ${deepestName} folders.`);
  if (parts.some((part) => part === '' || part === '.' || part === '..')) {
    throw new ZipFault('path_outside', `The member '${name}' leads out of its folder.`);
  }
  if (!plainTypes.includes(fileType(entry)))
    throw new ZipFault('type_forbidden', `The member '${name}' is a link or a device.`);
  if (entry.isEncrypted()) throw new ZipFault('encrypted', `The member '${name}' is encrypted.`);
  if (!entry.canDecodeFileData())
    throw new ZipFault('not_a_zip', `The member '${name}' has an unknown compression method.`);
  if (known.has(name)) throw new ZipFault('duplicate_member', `The member '${name}' occurs twice.`);
}

async function membersOf(zip: ZipFile, limits: ZipLimits): Promise<readonly ZipMember[]> {
  if (zip.entryCount > limits.entries)
    throw new ZipFault('too_many_members', `It has more than ${limits.entries} members.`);
  const names = new Set<string>();
  const members: ZipMember[] = [];
  let totalBytes = 0;
  for await (const entry of zip.eachEntry()) {
    checkMember(entry, names);
    names.add(entry.fileName);
    totalBytes += entry.uncompressedSize;
    if (totalBytes > limits.totalBytes)
      throw new ZipFault('too_large', `It contains more than ${limits.totalBytes} bytes.`);
    members.push({
      name: entry.fileName,
      isFolder: entry.fileName.endsWith('/'),
      sizeBytes: entry.uncompressedSize,
      open: () => zip.openReadStreamPromise(entry),
    });
  }
  if (totalBytes > zip.fileSize * limits.ratio && totalBytes > 10_000_000) {
    throw new ZipFault('too_large', `Its content is more than ${limits.ratio} times as large as the archive.`);
  }
  return members;
}

/** The path of an archive, or the archive itself. */
export type ZipSource = string | Uint8Array;

/** An archive with checked members; close it after use. */
export interface OpenZip {
  readonly members: readonly ZipMember[];
  close(): void;
}

/**
 * Opens an archive and checks all its members. Nothing is unpacked.
 * @throws ZipFault for a file that is not a zip, is damaged, has links, traversals or duplicates, or exceeds the limits
 */
export async function openZip(source: ZipSource, limits: ZipLimits): Promise<OpenZip> {
  const options = { autoClose: false, lazyEntries: true, decodeStrings: true, strictFileNames: true };
  let zip: ZipFile | undefined;
  try {
    const all = { ...options, validateEntrySizes: true };
    const opened =
      typeof source === 'string' ? await openPromise(source, all) : await fromBufferPromise(Buffer.from(source), all);
    zip = opened;
    const members = await membersOf(opened, limits);
    return { members, close: () => opened.close() };
  } catch (error) {
    zip?.close();
    throw error instanceof ZipFault ? error : faultOf(error);
  }
}

/** Passes the members of an archive to `use`. @throws ZipFault as `openZip` does */
export async function readZip<Result>(
  source: ZipSource,
  limits: ZipLimits,
  use: (members: readonly ZipMember[]) => Promise<Result>,
): Promise<Result> {
  const zip = await openZip(source, limits);
  try {
    return await use(zip.members);
  } finally {
    zip.close();
  }
}

const faultOf = (error: unknown): ZipFault =>
  new ZipFault(
    'not_a_zip',
    `It is not a readable archive (${error instanceof Error ? error.message : String(error)}).`,
  );
