import { execFileSync } from 'node:child_process';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { buffer } from 'node:stream/consumers';
import { ApiError } from '@lcs/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import { checkDataArchive, unpackDataArchive } from './data-archive.ts';
import { dataFolderZip } from './data-folder-zip.ts';
import { makeRelease } from './make-release.ts';
import { readZip, ZipFault } from './read-zip.ts';
import {
  changeLogName,
  expectReleaseSize,
  manifestName,
  releaseNamespace,
  signatureName,
  verifyRelease,
} from './release-archive.ts';
import { checkSshSignature, SignatureFault, signWithSsh, sshPublicKey } from './ssh-signature.ts';

const newKey = () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const key = newKey();
const keys = [sshPublicKey(key)];

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lcs-archives-'));
});
afterEach(() => rm(folder, { recursive: true }));

type Members = Readonly<Record<string, string>>;

interface ZipMaking {
  readonly mode?: number;
  /** Replaces these texts by others of equal length, anywhere in the archive. */
  readonly patch?: Readonly<Record<string, string>>;
}

async function zipOf(members: Members, { mode, patch = {} }: ZipMaking = {}): Promise<string> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(members)) {
    if (name.endsWith('/')) zip.addEmptyDirectory(name);
    else zip.addBuffer(Buffer.from(content), name, mode === undefined ? {} : { mode });
  }
  zip.end();
  let bytes = (await buffer(zip.outputStream)).toString('latin1');
  for (const [from, to] of Object.entries(patch)) bytes = bytes.replaceAll(from, to);
  const path = join(folder, 'made.zip');
  await writeFile(path, Buffer.from(bytes, 'latin1'));
  return path;
}

const content: Members = { [changeLogName]: '# 26.12.0\n', 'leader-control-service-26.12.0.tgz': 'package' };

const hashesOf = (members: Members) =>
  Object.fromEntries(
    Object.entries(members).map(([name, text]) => [name, `sha256:${createHash('sha256').update(text).digest('hex')}`]),
  );

interface ReleaseMaking {
  readonly manifest?: object;
  readonly files?: Members;
  readonly members?: Members;
  readonly signedBy?: string;
  readonly namespace?: string;
  readonly signature?: string;
}

function releaseMembers(making: ReleaseMaking = {}): Members {
  const { files = content, members = content, signedBy = key, namespace = releaseNamespace } = making;
  const manifest = { format: 1, product: 'reactor', version: '26.12.0', files: hashesOf(files), ...making.manifest };
  const text = JSON.stringify(manifest);
  const signature = making.signature ?? signWithSsh(Buffer.from(text), signedBy, namespace);
  return { [manifestName]: text, [signatureName]: signature, ...members };
}

/** The code of the fault for which an archive is refused. */
const faultOf = async (work: Promise<unknown>): Promise<string | undefined> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ApiError)) throw new Error('The archive was not refused.', { cause: error });
  const { cause } = error;
  return cause instanceof ZipFault || cause instanceof SignatureFault ? cause.code : undefined;
};

describe('a release', () => {
  it('is what the build makes', async () => {
    for (const [name, text] of Object.entries(content)) await writeFile(join(folder, name), text);
    const target = join(folder, 'release_26.12.0.zip');
    const files = Object.keys(content).map((name) => join(folder, name));
    await makeRelease({ version: '26.12.0', files, privateKeyPem: key, target });
    expect(await verifyRelease(target, keys)).toEqual({ version: '26.12.0', files: Object.keys(content) });
  });

  it.each([
    [
      'not a zip',
      async () => writeFile(join(folder, 'made.zip'), 'text').then(() => join(folder, 'made.zip')),
      'not_a_zip',
    ],
    ['no manifest', () => zipOf(content), 'member_missing'],
    ['no signature', () => zipOf({ [manifestName]: '{}', ...content }), 'member_missing'],
    ['a manifest that is not JSON', () => zipOf({ ...releaseMembers(), [manifestName]: '{' }), 'manifest_invalid'],
    ['another product', () => zipOf(releaseMembers({ manifest: { product: 'other' } })), 'manifest_invalid'],
    ['an odd version', () => zipOf(releaseMembers({ manifest: { version: '1.2' } })), 'manifest_invalid'],
    ['an unsigned manifest', () => zipOf(releaseMembers({ signature: 'signed, really' })), 'malformed'],
    [
      'a truncated signature',
      () =>
        zipOf(releaseMembers({ signature: '-----BEGIN SSH SIGNATURE-----\nU1NIU0lH\n-----END SSH SIGNATURE-----' })),
      'malformed',
    ],
    ['a foreign key', () => zipOf(releaseMembers({ signedBy: newKey() })), 'key_untrusted'],
    ['another purpose', () => zipOf(releaseMembers({ namespace: 'file' })), 'foreign_namespace'],
    [
      'a changed manifest',
      () =>
        zipOf({
          ...releaseMembers(),
          [manifestName]: releaseMembers()[manifestName]?.replace('26.12.0"', '26.12.1"') ?? '',
        }),
      'mismatch',
    ],
    [
      'a changed member',
      () => zipOf(releaseMembers({ members: { ...content, [changeLogName]: '# 26.12.0!' } })),
      'member_changed',
    ],
    ['an unlisted member', () => zipOf(releaseMembers({ members: { ...content, 'x.sh': '' } })), 'member_unlisted'],
    ['a missing member', () => zipOf(releaseMembers({ files: { ...content, 'x.tgz': '' } })), 'member_missing'],
    [
      'no change log',
      () => zipOf(releaseMembers({ files: { 'a.tgz': '' }, members: { 'a.tgz': '' } })),
      'member_missing',
    ],
    [
      'no package',
      () => zipOf(releaseMembers({ files: { [changeLogName]: '' }, members: { [changeLogName]: '' } })),
      'member_missing',
    ],
    ['a member in a folder', () => zipOf(releaseMembers({ members: { 'a/b': '' } })), 'folder_forbidden'],
    ['a folder', () => zipOf({ ...releaseMembers(), 'a/': '' }), 'folder_forbidden'],
    [
      'a traversal',
      () => zipOf({ ...releaseMembers(), 'xx/evil': '' }, { patch: { 'xx/evil': '../evil' } }),
      'not_a_zip',
    ],
    [
      'an absolute path',
      () => zipOf({ ...releaseMembers(), 'x/evil': '' }, { patch: { 'x/evil': '//evil' } }),
      'not_a_zip',
    ],
    [
      'a backslash',
      () => zipOf({ ...releaseMembers(), 'a/evil': '' }, { patch: { 'a/evil': 'a\\evil' } }),
      'not_a_zip',
    ],
    ['a link', () => zipOf(releaseMembers(), { mode: 0o120777 }), 'type_forbidden'],
    [
      'a duplicate',
      () => zipOf({ ...releaseMembers(), 'CHANGELOG.mx': '' }, { patch: { 'CHANGELOG.mx': 'CHANGELOG.md' } }),
      'duplicate_member',
    ],
  ])('is refused with %s', async (_, make, code) => {
    expect(await faultOf(verifyRelease(await make(), keys))).toBe(code);
  });

  it('that is too large is refused before it is copied', async () => {
    const path = join(folder, 'huge.zip');
    await writeFile(path, '');
    await truncate(path, 2 ** 31);
    expect(await faultOf(expectReleaseSize(path))).toBe('too_large');
  });

  it('is refused where no key is trusted, or only one of another type', async () => {
    const path = await zipOf(releaseMembers());
    expect(await faultOf(verifyRelease(path, []))).toBe('no_trusted_key');
    expect(await faultOf(verifyRelease(path, ['ssh-rsa AAAA']))).toBe('key_unusable');
  });

  it('may be signed by ssh-keygen -Y sign as well', () => {
    const signature = `-----BEGIN SSH SIGNATURE-----
U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgsqe/sW6zD15uYoR7CHOtFOQTFc
n8G9uk8NJuQQR25i8AAAAPcmVhY3Rvci1yZWxlYXNlAAAAAAAAAAZzaGE1MTIAAABTAAAA
C3NzaC1lZDI1NTE5AAAAQOuhExEeDPUkhtlX4V5EH6AB/aUono5dZFZnZQGH6T5gMTtxDh
u/Go2wduWgiGgaE8YcYx6d/3NHCVtSYPvaiww=
-----END SSH SIGNATURE-----
`;
    const signer = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILKnv7Fusw9ebmKEewhzrRTkExXJ/BvbpPDSbkEEduYv test';
    const check = (message: string) => () =>
      checkSshSignature(Buffer.from(message), signature, [...keys, signer], releaseNamespace);
    expect(check('{"format":1}')).not.toThrow();
    expect(check('{"format":2}')).toThrow(expect.objectContaining({ code: 'mismatch' }));
  });
});

describe('an archive of data', () => {
  const owner = { unit: 'unit1', version: '26.11.0' };
  const metadata = (change: object = {}) => ({
    'reactor_export_metadata.json': JSON.stringify({
      metadata_version: 1,
      name: 'unit1',
      app_version: '26.11.0',
      ...change,
    }),
  });

  it.each([
    ['of another unit', () => zipOf(metadata({ name: 'unit2' })), 'foreign_unit'],
    ['of a newer program', () => zipOf(metadata({ app_version: '26.12.0' })), 'newer_version'],
    ['whose metadata are not JSON', () => zipOf({ 'reactor_export_metadata.json': '{' }), 'metadata_invalid'],
    ['whose metadata have another shape', () => zipOf(metadata({ name: 5 })), 'metadata_invalid'],
    [
      'with a traversal',
      () => zipOf({ ...metadata(), 'xx/evil': '' }, { patch: { 'xx/evil': '../evil' } }),
      'not_a_zip',
    ],
    ['with deeply nested folders', () => zipOf({ ...metadata(), [`${'a/'.repeat(40)}a`]: 'x' }), 'name_invalid'],
    ['with a very long name', () => zipOf({ ...metadata(), ['a'.repeat(2000)]: 'x' }), 'name_invalid'],
    ['with a link', () => zipOf(metadata(), { mode: 0o120777 }), 'type_forbidden'],
    ['with a file in the place of the databases', () => zipOf({ ...metadata(), storage: 'x' }), 'target_conflict'],
    ['with a file that is a folder too', () => zipOf({ ...metadata(), 'ui/a': 'x', 'ui/a/b': 'x' }), 'target_conflict'],
    [
      'that is not a zip',
      async () => writeFile(join(folder, 'made.zip'), '').then(() => join(folder, 'made.zip')),
      'not_a_zip',
    ],
  ])('%s is refused', async (_, make, code) => {
    expect(await faultOf(checkDataArchive(await make(), owner))).toBe(code);
  });

  it('with too much content is refused before anything is unpacked', async () => {
    const bomb = await zipOf({ ...metadata(), zeros: '0'.repeat(20_000_000) });
    expect(await faultOf(checkDataArchive(bomb, owner))).toBe('too_large');
    const small = { entries: 2, totalBytes: 100, ratio: 200 };
    expect(await faultOf(checkDataArchive(await zipOf({ a: '', b: '', c: '' }), owner, small))).toBe(
      'too_many_members',
    );
    expect(await faultOf(checkDataArchive(await zipOf({ a: 'x'.repeat(101) }), owner, small))).toBe('too_large');
  });

  it('with a member longer than declared is refused while it is unpacked', async () => {
    const path = await zipOf({ ...metadata(), 'storage/a': 'x'.repeat(3000) });
    const bytes = await readFile(path);
    const size = Buffer.alloc(4);
    size.writeUInt32LE(3000);
    const lie = Buffer.alloc(4);
    lie.writeUInt32LE(10);
    for (let at = bytes.indexOf(size); at >= 0; at = bytes.indexOf(size)) lie.copy(bytes, at);
    await writeFile(path, bytes);
    const target = join(folder, 'new');
    await mkdir(target);
    const work = unpackDataArchive(path, owner, target, { signal: new AbortController().signal, progress: () => {} });
    await expect(work).rejects.toThrow();
  });

  it('does not bring identity, secrets or markers of another machine', async () => {
    const members = {
      'config.ini': 'a',
      'identity.json': 'x',
      'leader.ini': 'x',
      'storage/credentials.json': 'x',
      'storage/unit.sqlite': 'y',
      DISALLOW_UI_UPLOADS: '',
      'run/x': '',
      'ui/': '',
    };
    const target = join(folder, 'new');
    await mkdir(target);
    const path = await zipOf({ ...metadata(), ...members });
    await unpackDataArchive(path, owner, target, { signal: new AbortController().signal, progress: () => {} });
    expect((await readdir(target, { recursive: true })).sort()).toEqual([
      'config.ini',
      'storage',
      'storage/unit.sqlite',
      'ui',
    ]);
  });
});

describe('a data folder as a zip', () => {
  it('holds databases as they are at one moment, and no secrets', async () => {
    const data = join(folder, 'data');
    for (const name of ['storage', 'ui', 'run', '.lock']) await mkdir(join(data, name), { recursive: true });
    const files = [
      'config.ini',
      'identity.json',
      'leader.ini',
      'run/x',
      '.lock/holder-1',
      'a.pem',
      'storage/credentials.json',
      'DISALLOW_UI_INSTALLS',
    ];
    for (const name of files) await writeFile(join(data, name), name);
    await symlink('/etc/passwd', join(data, 'ui', 'out'));
    await symlink('../config.ini', join(data, 'ui', 'in.ini'));
    await symlink('../identity.json', join(data, 'ui', 'secret'));
    const database = new DatabaseSync(join(data, 'storage', 'unit.sqlite'));
    database.exec('pragma journal_mode = wal; create table t (x); insert into t values (1)');
    const target = join(folder, 'data.zip');
    const metadata = {
      metadata_version: 1,
      name: 'unit1',
      leader_hostname: 'lead',
      is_leader: false,
      app_version: '26.11.0',
      exported_at_utc: '2026-11-21T04:27:23.842Z',
    } as const;
    const workFolder = join(folder, 'work');
    await writeFile(
      target,
      dataFolderZip({ dataFolder: data, workFolder, metadata, signal: new AbortController().signal }),
    );
    database.close();
    expect(existsSync(workFolder)).toBe(false);
    execFileSync('unzip', ['-tqq', target]);
    const unpacked = await readZip(target, { entries: 100, totalBytes: 1e9, ratio: 200 }, async (members) =>
      Promise.all(
        members
          .filter(({ isFolder }) => !isFolder)
          .map(async ({ name, open }) => [name, await buffer(await open())] as const),
      ),
    );
    const found = new Map(unpacked);
    expect([...found.keys()]).toEqual([
      'reactor_export_metadata.json',
      'config.ini',
      'storage/unit.sqlite',
      'ui/in.ini',
    ]);
    expect(JSON.parse(String(found.get('reactor_export_metadata.json')))).toEqual(metadata);
    const copy = join(folder, 'copy.sqlite');
    await writeFile(copy, found.get('storage/unit.sqlite') ?? '');
    expect(new DatabaseSync(copy).prepare('select x from t').all()).toMatchObject([{ x: 1 }]);
  });
});
