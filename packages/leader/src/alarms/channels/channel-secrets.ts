import { SecretBox, type Service } from '@lcs/platform';
import type { LeaderContext } from '../../core/leader-context.ts';
import { openSecretKey } from '../../core/leader-secrets.ts';
import { secretKeyName } from '../../core/opened-secrets.ts';
import { DeliveryFailed } from './delivery-failed.ts';

type Needs = Pick<LeaderContext, 'dataFolder' | 'database'>;

const prefix = 'sealed:1:';

/**
 * Seals URLs and secrets of channels for the database, with the leader's key. The key is in a separate file, so that they cannot be read
 * from a copy of the database (in an archive of the data folder, by a query).
 */
export class ChannelSecrets implements Service {
  readonly name = 'secrets of the channels of alarms';
  readonly #needs: Needs;
  #opened: SecretBox | undefined;

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  /** Reads the key, and seals values that were stored before. */
  async start(): Promise<void> {
    this.#opened = new SecretBox(await openSecretKey(this.#needs.dataFolder), prefix);
    const rows = await this.#needs.database.read
      .selectFrom('alarm_channels')
      .select(['channel_id', 'url', 'secret'])
      .execute();
    const isPlain = (text: string | null) => text !== null && !this.#box.isSealed(text);
    for (const { channel_id, url, secret } of rows.filter((row) => isPlain(row.url) || isPlain(row.secret))) {
      const sealed = { url: url && this.#sealedOnce(url), secret: secret && this.#sealedOnce(secret) };
      await this.#needs.database.write((transaction) =>
        transaction.updateTable('alarm_channels').set(sealed).where('channel_id', '=', channel_id).execute(),
      );
    }
  }

  async stop(): Promise<void> {}

  /** Seals a text for the database. */
  readonly seal = (text: string): string => this.#box.seal(text);

  /** The unsealed text; undefined: it was sealed with another key, for example in the database of another machine. */
  readonly unseal = (sealed: string): string | undefined => this.#box.unseal(sealed);

  /** The unsealed text, for sending. @throws DeliveryFailed */
  unsealOrThrow(sealed: string): string {
    const text = this.unseal(sealed);
    if (text !== undefined) return text;
    throw new DeliveryFailed(`The address or the secret was sealed with another ${secretKeyName}: set both again.`);
  }

  #sealedOnce(text: string): string {
    return this.#box.isSealed(text) ? text : this.seal(text);
  }

  get #box(): SecretBox {
    if (this.#opened === undefined) throw new Error('The key of channels was not read yet.');
    return this.#opened;
  }
}
