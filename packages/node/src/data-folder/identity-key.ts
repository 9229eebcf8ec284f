import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { chmod, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  errnoOf,
  keyFingerprint,
  makeFolders,
  type PublicKeyText,
  publicKeyText,
  reasonOf,
  StartupError,
  writeFileDurably,
} from '@lcs/platform';

/** The key by which other nodes know this one: Ed25519. */
export interface IdentityKey {
  /** Never leaves the node. */
  readonly privateKey: KeyObject;
  readonly publicKey: PublicKeyText;
  /** SHA-256 of the public key, for people to compare. */
  readonly fingerprint: string;
}

const pathIn = (dataFolder: string) => join(dataFolder, 'storage', 'identity.pem');

/**
 * Reads the key of the node, or makes one at its first start.
 * @throws StartupError when the file is damaged, readable by other users, or cannot be written
 */
export async function loadIdentityKey(dataFolder: string): Promise<IdentityKey> {
  const path = pathIn(dataFolder);
  const privateKey = (await readKey(path)) ?? (await makeKey(path));
  const publicKey = publicKeyText(privateKey);
  return { privateKey, publicKey, fingerprint: keyFingerprint(publicKey) };
}

async function readKey(path: string): Promise<KeyObject | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
    // A restored copy may have the mode of its medium.
    if (((await stat(path)).mode & 0o077) !== 0) await chmod(path, 0o600);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw new StartupError(`The file ${path} cannot be read: ${reasonOf(error)}.`, { cause: error });
  }
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === 'ed25519') return key;
    throw new TypeError(`It is a key of the type ${key.asymmetricKeyType}.`);
  } catch (error) {
    // Other nodes would refuse a new key: whoever runs this one must know.
    throw new StartupError(
      `The key in ${path} is damaged. Restore the file from a backup, or remove it and let this node join its cluster again with a new key.`,
      { cause: error },
    );
  }
}

async function makeKey(path: string): Promise<KeyObject> {
  const { privateKey } = generateKeyPairSync('ed25519');
  try {
    await makeFolders(join(path, '..'));
    await writeFileDurably(path, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), { mode: 0o600 });
    return privateKey;
  } catch (error) {
    throw new StartupError(`The file ${path} cannot be written: ${reasonOf(error)}.`, { cause: error });
  }
}
