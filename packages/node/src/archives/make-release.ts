import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { manifestName, releaseNamespace, signatureName } from './release-archive.ts';
import { signWithSsh } from './ssh-signature.ts';

export interface ReleaseToMake {
  readonly version: string;
  /** The files of the archive: `CHANGELOG.md` and the packages (`….tgz`). */
  readonly files: readonly string[];
  /** PKCS#8 of an Ed25519 key. */
  readonly privateKeyPem: string;
  /** Where the archive is written. */
  readonly target: string;
}

/** Makes the signed archive of a release; `withRelease` reads it. */
export async function makeRelease({ version, files, privateKeyPem, target }: ReleaseToMake): Promise<void> {
  const contents = await Promise.all(
    files.map(async (path) => ({ name: basename(path), bytes: await readFile(path) })),
  );
  const hashes = contents.map(({ name, bytes }) => [
    name,
    `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
  ]);
  const manifest = { format: 1, product: 'reactor', version, files: Object.fromEntries(hashes) };
  const manifestBytes = Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`);
  const zip = new ZipFile();
  zip.addBuffer(manifestBytes, manifestName);
  zip.addBuffer(Buffer.from(signWithSsh(manifestBytes, privateKeyPem, releaseNamespace)), signatureName);
  for (const { name, bytes } of contents) zip.addBuffer(bytes, name);
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(target));
}
