import { join } from 'node:path';
import { encryptedPrefix, type IniView, isSecretKey, readSecretKey, SecretBox } from '@lcs/platform';

/** The key that encrypts the leader's secrets for its disk: below the data folder, in no archive, in backups only if they have a passphrase. */
export const secretKeyName = 'storage/secrets.key';

/** A `leader.ini` with its secrets decrypted. */
export interface OpenedFile {
  readonly view: IniView;
  /** Secrets that were encrypted with another key, such as `[smtp] password`. They are absent in the view. */
  readonly lost: readonly string[];
}

/** Decrypts the values of secret keys; plain ones stay as they are. */
export async function withOpenedSecrets(view: IniView, dataFolder: string): Promise<OpenedFile> {
  const secrets = Object.entries(view).flatMap(([section, values]) =>
    Object.entries(values).flatMap(([key, value]) =>
      isSecretKey(key) && value.startsWith(encryptedPrefix) ? [{ section, key, value }] : [],
    ),
  );
  if (secrets.length === 0) return { view, lost: [] };
  const key = await readSecretKey(join(dataFolder, secretKeyName));
  const box = key && new SecretBox(key, encryptedPrefix);
  const opened = new Map(Object.entries(view).map(([section, values]) => [section, { ...values }]));
  const lost: string[] = [];
  for (const { section, key: name, value } of secrets) {
    const values = opened.get(section);
    const plain = box?.unseal(value);
    if (values === undefined) continue;
    if (plain === undefined) {
      delete values[name];
      lost.push(`[${section}] ${name}`);
    } else values[name] = plain;
  }
  return { view: Object.fromEntries(opened), lost };
}
