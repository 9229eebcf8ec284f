import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeRelease, type PackageTool, PackageToolFailed, sshPublicKey } from '@lcs/node';
import type { Clock } from '@lcs/platform';
import { freeInstaller, recordingHost } from '../../routes/recording-host.ts';

/** A host that only records its commands, with a connected drive. */
export function harmlessMachine() {
  const host = recordingHost();
  host.drives.push({
    device: '/dev/sda1',
    parentDevice: null,
    label: 'STICK',
    uuid: '12-34',
    fileSystem: 'vfat',
    sizeBytes: 1e9,
    mountpoints: [],
    isRemovable: true,
  });
  return host;
}

/** Response time of the missing registry, in milliseconds. */
const registryMs = 30;

/** Uses no network: no package of the registry is available. */
export const noRegistry = (wire: Clock): PackageTool => ({
  install: async (_folder, what, { signal }) => {
    await wire.sleep(registryMs, signal);
    throw new PackageToolFailed(`404 Not Found - ${what}`);
  },
  remove: async () => {},
});

/** A signed release of a later version in a folder of releases. */
export async function laterRelease(folder: string) {
  const privateKeyPem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const work = join(folder, 'work');
  const releases = join(folder, 'releases');
  await mkdir(join(work, 'package'), { recursive: true });
  await mkdir(releases);
  await writeFile(join(work, 'package', 'main.js'), '// later\n');
  execFileSync('tar', ['-czf', join(work, 'lcs.tgz'), '-C', work, 'package']);
  await writeFile(join(work, 'CHANGELOG.md'), '# later\n');
  const target = join(releases, 'release_27.1.0.zip');
  await makeRelease({
    version: '27.1.0',
    files: [join(work, 'CHANGELOG.md'), join(work, 'lcs.tgz')],
    privateKeyPem,
    target,
  });
  const installer = freeInstaller();
  return {
    archive: new Uint8Array(await readFile(target)),
    options: { keys: [sshPublicKey(privateKeyPem)], folder: releases, installer },
  };
}
