import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errnoOf, sealWithPassphrase, unsealWithPassphrase, writeFileDurably } from '@lcs/platform';
import { Type } from 'typebox';
import { Value } from 'typebox/value';

/** In a backup: the keys of the machine, encrypted with the passphrase of the backups. */
export const sealedKeysName = 'keys.encrypted';

/** Files that let whoever has them act as this machine or read its secrets. */
const keyFiles = [
  'storage/secrets.key',
  'storage/identity.pem',
  'storage/ca-key.pem',
  'storage/server.pem',
  'storage/credentials.json',
];

const Keys = Type.Record(Type.String(), Type.String());

/** The keys of a data folder, encrypted. */
export async function sealedKeys(dataFolder: string, passphrase: string): Promise<string> {
  const keys: Record<string, string> = {};
  for (const name of keyFiles) {
    const bytes = await fileIfThere(join(dataFolder, name));
    if (bytes !== undefined) keys[name] = bytes.toString('base64');
  }
  return sealWithPassphrase(Buffer.from(JSON.stringify(keys)), passphrase);
}

/** Writes the keys of a backup to a data folder. False: the passphrase is another one. */
export async function openSealedKeys(backup: string, passphrase: string, dataFolder: string): Promise<boolean> {
  const bytes = await unsealWithPassphrase(await readFile(join(backup, sealedKeysName), 'utf8'), passphrase);
  if (bytes === undefined) return false;
  const keys: unknown = JSON.parse(bytes.toString('utf8'));
  if (!Value.Check(Keys, keys)) return false;
  for (const name of keyFiles.filter((key) => Object.hasOwn(keys, key))) {
    const path = join(dataFolder, name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFileDurably(path, Buffer.from(keys[name] ?? '', 'base64'), { mode: 0o600 });
  }
  return true;
}

/** Copies the keys of one data folder of a node to another one of it. */
export async function copyKeys(from: string, to: string): Promise<void> {
  for (const name of keyFiles) {
    const bytes = await fileIfThere(join(from, name));
    if (bytes === undefined) continue;
    const path = join(to, name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFileDurably(path, bytes, { mode: 0o600 });
  }
}

async function fileIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
