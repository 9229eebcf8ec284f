import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { ZipFault, type ZipMember } from '@lcs/node';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { capsuleFiles, capsuleFormat, capsuleTables, tableFile } from './capsule-format.ts';
import { crateFaults } from './ro-crate.ts';

/** Of a capsule: readings of years of many units. Rows of records compress well. */
export const capsuleLimits = { entries: 20_000, totalBytes: 32 * 1024 ** 3, ratio: 200 };

/** Files that are parsed as a whole. */
const longestJsonBytes = 256 * 1024 ** 2;

const Versions = Type.Object({
  capsule_format: Type.Integer(),
  software: Type.Object({ version: Type.String() }),
  usual_volume_ml: Type.Number({ exclusiveMinimum: 0 }),
});

/** A capsule whose files have the listed hashes. */
export interface CheckedCapsule {
  readonly files: ReadonlyMap<string, ZipMember>;
  readonly softwareVersion: string;
  readonly usualVolumeMl: number;
}

/** @throws ZipFault member_missing */
export function memberOf(files: ReadonlyMap<string, ZipMember>, path: string): ZipMember {
  const member = files.get(path);
  if (member === undefined)
    throw new ZipFault('member_missing', `${path} is missing: it is not a run capsule, or not complete.`);
  return member;
}

/** @throws ZipFault */
export async function jsonOf(member: ZipMember): Promise<unknown> {
  if (member.sizeBytes > longestJsonBytes) throw new ZipFault('too_large', `${member.name} is too large.`);
  try {
    return JSON.parse(await text(await member.open()));
  } catch (error) {
    if (error instanceof SyntaxError) throw new ZipFault('metadata_invalid', `${member.name} is not JSON.`);
    throw new ZipFault('member_changed', `${member.name} is damaged (${String(error)}).`);
  }
}

async function hashOf(member: ZipMember): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const piece of await member.open()) hash.update(piece);
  } catch (error) {
    throw new ZipFault('member_changed', `${member.name} is damaged (${String(error)}).`);
  }
  return hash.digest('hex');
}

/** Hashes by path, in the form of `sha256sum` and BagIt. @throws ZipFault manifest_invalid */
function manifestOf(content: string): ReadonlyMap<string, string> {
  const lines = content.split('\n').filter((line) => line !== '');
  const entries = lines.map((line): [string, string] => {
    const [, hash, path] = /^([0-9a-f]{64}) {2}(.+)$/.exec(line) ?? [];
    if (hash === undefined || path === undefined)
      throw new ZipFault('manifest_invalid', `A line of ${capsuleFiles.manifest} is not a hash and a path.`);
    return [path, hash];
  });
  return new Map(entries);
}

async function checkHashes(files: ReadonlyMap<string, ZipMember>, listed: ReadonlyMap<string, string>): Promise<void> {
  for (const path of listed.keys()) memberOf(files, path);
  for (const [path, member] of files) {
    if (path === capsuleFiles.manifest) continue;
    const hash = listed.get(path);
    if (hash === undefined) throw new ZipFault('member_unlisted', `${path} is not in ${capsuleFiles.manifest}.`);
    if ((await hashOf(member)) !== hash)
      throw new ZipFault('member_changed', `${path} was changed: its SHA-256 is not that of ${capsuleFiles.manifest}.`);
  }
}

/**
 * Checks the files of a capsule: complete, unchanged since it was made, described, and readable by this program.
 * @throws ZipFault
 */
export async function checkCapsule(members: readonly ZipMember[]): Promise<CheckedCapsule> {
  const files = new Map(members.filter(({ isFolder }) => !isFolder).map((member) => [member.name, member]));
  const manifest = memberOf(files, capsuleFiles.manifest);
  if (manifest.sizeBytes > longestJsonBytes) throw new ZipFault('too_large', `${manifest.name} is too large.`);
  await checkHashes(files, manifestOf(await text(await manifest.open())));
  const described = new Set(files.keys());
  for (const path of [capsuleFiles.crate, capsuleFiles.manifest]) described.delete(path);
  const [fault] = crateFaults(await jsonOf(memberOf(files, capsuleFiles.crate)), described);
  if (fault !== undefined) throw new ZipFault('metadata_invalid', `${capsuleFiles.crate} is not valid. ${fault}`);
  const versions = await jsonOf(memberOf(files, capsuleFiles.versions));
  if (!Value.Check(Versions, versions))
    throw new ZipFault('metadata_invalid', `${capsuleFiles.versions} is not valid.`);
  if (versions.capsule_format > capsuleFormat)
    throw new ZipFault(
      'newer_version',
      `It was made by version ${versions.software.version}; install that version or a newer one.`,
    );
  for (const { name } of capsuleTables) memberOf(files, tableFile(name));
  memberOf(files, capsuleFiles.samples);
  return { files, softwareVersion: versions.software.version, usualVolumeMl: versions.usual_volume_ml };
}
