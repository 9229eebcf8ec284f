import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { ApiError } from '@lcs/contract';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { readZip, ZipFault, type ZipLimits, type ZipMember } from './read-zip.ts';
import { checkSshSignature, SignatureFault } from './ssh-signature.ts';

export const manifestName = 'reactor-release-manifest.json';
export const signatureName = `${manifestName}.sig`;
/** The namespace of a release's signature; a signature for another namespace is rejected. */
export const releaseNamespace = 'reactor-release';
export const changeLogName = 'CHANGELOG.md';

const versionPattern = /^\d{2}\.\d{1,2}\.\d+(-[0-9A-Za-z.]+)?$/;

const limits: ZipLimits = { entries: 1000, totalBytes: 1024 * 1024 * 1024, ratio: 200 };
const sidecarBytes = 256 * 1024;

const Manifest = Type.Object({
  format: Type.Literal(1),
  product: Type.Literal('reactor'),
  version: Type.String({ pattern: versionPattern.source }),
  files: Type.Record(Type.String(), Type.String({ pattern: '^sha256:[0-9a-f]{64}$' })),
});

/** A verified release. */
export interface Release {
  readonly version: string;
  /** Names of its members without manifest and signature. */
  readonly files: readonly string[];
}

async function smallMember(members: readonly ZipMember[], name: string): Promise<Buffer> {
  const member = members.find((one) => one.name === name);
  if (member === undefined) throw new ZipFault('member_missing', `It has no ${name}.`);
  if (member.sizeBytes > sidecarBytes) throw new ZipFault('too_large', `Its ${name} is too large.`);
  return buffer(await member.open());
}

function manifestOf(bytes: Buffer): Type.Static<typeof Manifest> {
  let manifest: unknown;
  try {
    manifest = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new ZipFault('manifest_invalid', 'Its manifest is not JSON.');
  }
  if (!Value.Check(Manifest, manifest)) {
    const [fault] = Value.Errors(Manifest, manifest);
    throw new ZipFault('manifest_invalid', `Its manifest is not valid: ${fault?.instancePath} ${fault?.message}.`);
  }
  return manifest;
}

async function hashOf(member: ZipMember): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of await member.open()) hash.update(chunk);
  return `sha256:${hash.digest('hex')}`;
}

function checkFlat(members: readonly ZipMember[]): void {
  for (const { name, isFolder } of members) {
    if (isFolder || name.includes('/')) throw new ZipFault('folder_forbidden', `Its member '${name}' is in a folder.`);
  }
}

function checkListed(names: readonly string[], files: Readonly<Record<string, string>>): void {
  const listed = Object.keys(files);
  const unlisted = names.find((name) => !Object.hasOwn(files, name));
  if (unlisted !== undefined) throw new ZipFault('member_unlisted', `Its manifest does not list ${unlisted}.`);
  const missing = listed.find((name) => !names.includes(name));
  if (missing !== undefined) throw new ZipFault('member_missing', `It lacks ${missing}, which its manifest lists.`);
  if (!listed.includes(changeLogName)) throw new ZipFault('member_missing', `It has no ${changeLogName}.`);
  if (!listed.some((name) => name.endsWith('.tgz')))
    throw new ZipFault('member_missing', 'It has no package of the program.');
}

async function verify(members: readonly ZipMember[], keys: readonly string[]): Promise<Release> {
  checkFlat(members);
  const manifestBytes = await smallMember(members, manifestName);
  const signature = (await smallMember(members, signatureName)).toString('latin1');
  const { version, files } = manifestOf(manifestBytes);
  if (keys.length === 0) throw new ZipFault('no_trusted_key', 'This node does not have a trusted key for releases.');
  checkSshSignature(manifestBytes, signature, keys, releaseNamespace);
  const content = members.filter(({ name }) => name !== manifestName && name !== signatureName);
  checkListed(
    content.map(({ name }) => name),
    files,
  );
  for (const member of content) {
    if ((await hashOf(member)) !== files[member.name])
      throw new ZipFault('member_changed', `Its ${member.name} was changed.`);
  }
  return { version, files: content.map(({ name }) => name) };
}

function explained(error: unknown): unknown {
  if (!(error instanceof ZipFault || error instanceof SignatureFault)) return error;
  const refused = new ApiError('update_archive_invalid', { cause: error.message });
  refused.cause = error;
  return refused;
}

/**
 * Verifies a release and passes its members to `use`.
 * @param keys public keys that may sign releases, as lines of OpenSSH @throws ApiError update_archive_invalid, whose cause states the fault
 */
export async function withRelease<Result>(
  path: string,
  keys: readonly string[],
  use: (release: Release, members: readonly ZipMember[]) => Promise<Result>,
): Promise<Result> {
  try {
    return await readZip(path, limits, async (members) => use(await verify(members, keys), members));
  } catch (error) {
    throw explained(error);
  }
}

/** Call this before a file is copied. @throws ApiError update_archive_invalid when it is too large for a release */
export async function expectReleaseSize(path: string): Promise<void> {
  const { size } = await stat(path);
  if (size > limits.totalBytes)
    throw explained(new ZipFault('too_large', `It is larger than ${limits.totalBytes} bytes.`));
}

/** @throws ApiError update_archive_invalid, whose cause states the fault */
export const verifyRelease = (path: string, keys: readonly string[]): Promise<Release> =>
  withRelease(path, keys, async (release) => release);
