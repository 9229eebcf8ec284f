import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, type Service, writeFileDurably } from '@lcs/platform';
import type { LeaderContext } from '../../core/leader-context.ts';
import { DeliveryFailed } from './delivery-failed.ts';

type Needs = Pick<LeaderContext, 'dataFolder' | 'database'>;

/** Archives of the data folder omit a file of this name; backups contain it. */
export const keyFileName = 'alarm-channels.key';

const [keyBytes, nonceBytes, tagBytes] = [32, 12, 16];
const prefix = 'sealed:1:';
const algorithm = 'aes-256-gcm';

/**
 * Seals URLs and secrets of channels for the database. The key is in a separate file, so that they cannot be read from a copy of the
 * database (in an archive of the data folder, by a query).
 */
export class ChannelSecrets implements Service {
  readonly name = 'key of the channels of alarms';
  readonly #needs: Needs;
  #key: Buffer | undefined;

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  /** Creates the key at the first start, and seals values that were stored before. */
  async start(): Promise<void> {
    this.#key = (await this.#readKey()) ?? (await this.#makeKey());
    const rows = await this.#needs.database.read
      .selectFrom('alarm_channels')
      .select(['channel_id', 'url', 'secret'])
      .execute();
    const isPlain = (text: string | null) => text !== null && !text.startsWith(prefix);
    for (const { channel_id, url, secret } of rows.filter((row) => isPlain(row.url) || isPlain(row.secret))) {
      const sealed = { url: url && this.#sealedOnce(url), secret: secret && this.#sealedOnce(secret) };
      await this.#needs.database.write((transaction) =>
        transaction.updateTable('alarm_channels').set(sealed).where('channel_id', '=', channel_id).execute(),
      );
    }
  }

  async stop(): Promise<void> {}

  /** Seals a text for the database. */
  readonly seal = (text: string): string => {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.#requireKey(), nonce);
    const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final()]);
    return prefix + Buffer.concat([sealed, cipher.getAuthTag()]).toString('base64');
  };

  /** The unsealed text; undefined: it was sealed with another key, for example in the database of another machine. */
  readonly unseal = (sealed: string): string | undefined => {
    const bytes = Buffer.from(sealed.slice(prefix.length), 'base64');
    if (!sealed.startsWith(prefix) || bytes.length < nonceBytes + tagBytes) return undefined;
    const decipher = createDecipheriv(algorithm, this.#requireKey(), bytes.subarray(0, nonceBytes));
    decipher.setAuthTag(bytes.subarray(-tagBytes));
    const text = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
    try {
      return Buffer.concat([text, decipher.final()]).toString('utf8');
    } catch {
      // The only failure of `final` here: the tag belongs to another key.
      return undefined;
    }
  };

  /** The unsealed text, for sending. @throws DeliveryFailed */
  unsealOrThrow(sealed: string): string {
    const text = this.unseal(sealed);
    if (text !== undefined) return text;
    throw new DeliveryFailed(`The address or the secret was sealed with another ${keyFileName}: set both again.`);
  }

  #sealedOnce(text: string): string {
    return text.startsWith(prefix) ? text : this.seal(text);
  }

  #requireKey(): Buffer {
    if (this.#key === undefined) throw new Error('The key of channels was not read yet.');
    return this.#key;
  }

  async #readKey(): Promise<Buffer | undefined> {
    try {
      const key = Buffer.from(await readFile(join(this.#needs.dataFolder, keyFileName), 'utf8'), 'base64');
      // A damaged key opens nothing: the leader makes a new one, and people must set URLs and secrets again.
      return key.length === keyBytes ? key : undefined;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  async #makeKey(): Promise<Buffer> {
    const key = randomBytes(keyBytes);
    await writeFileDurably(join(this.#needs.dataFolder, keyFileName), `${key.toString('base64')}\n`);
    return key;
  }
}
