import { realpath, rename } from 'node:fs/promises';
import { join } from 'node:path';
import {
  encryptedPrefix,
  errnoOf,
  isSecretKey,
  type Log,
  parseIni,
  readOrMakeSecretKey,
  readSecretKey,
  reasonOf,
  SecretBox,
  writeFileDurably,
} from '@lcs/platform';
import { leaderFileName, leaderFileText } from './leader-file.ts';
import { secretKeyName, withOpenedSecrets } from './opened-secrets.ts';

/** Where the key of the alarm channels was; it becomes the key of all secrets. */
const earlierKeyName = 'alarm-channels.key';

/** Reads the leader's key; makes it at the first start. */
export async function openSecretKey(dataFolder: string): Promise<Buffer> {
  const path = join(dataFolder, secretKeyName);
  if ((await readSecretKey(path)) === undefined) await adoptEarlierKey(dataFolder, path);
  return readOrMakeSecretKey(path);
}

async function adoptEarlierKey(dataFolder: string, path: string): Promise<void> {
  try {
    await rename(join(dataFolder, earlierKeyName), path);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}

/**
 * Encrypts the secrets of `leader.ini` that a person has written. A file that cannot be changed stays as it is. Logs which secrets
 * cannot be decrypted; the leader works without them.
 */
export async function sealLeaderFile(dataFolder: string, log: Log): Promise<void> {
  const text = await leaderFileText(dataFolder);
  const { document, diagnostics } = parseIni(text);
  // The readers of the settings report the fault.
  if (diagnostics.length > 0) return;
  const box = new SecretBox(await openSecretKey(dataFolder), encryptedPrefix);
  const { lost } = await withOpenedSecrets(document.view(), dataFolder);
  if (lost.length > 0) {
    log.warn('Secrets of leader.ini were encrypted with another key and are not used: write them into the file again', {
      settings: lost.join(', '),
      key: secretKeyName,
    });
  }
  for (const [section, values] of document.layer())
    for (const [key, value] of values)
      if (isSecretKey(key) && value !== '' && !box.isSealed(value)) document.set(section, key, box.seal(value));
  const sealed = document.toString();
  if (sealed === text) return;
  try {
    await writeFileDurably(await realpath(join(dataFolder, leaderFileName)), sealed);
    log.info('The secrets of leader.ini are encrypted now', { key: secretKeyName });
  } catch (error) {
    log.warn('The secrets of leader.ini could not be encrypted', { cause: reasonOf(error) });
  }
}
