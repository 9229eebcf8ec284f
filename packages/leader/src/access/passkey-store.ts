import type { LeaderTransaction } from '../core/leader-context.ts';
import type { LeaderReader } from '../queries/experiments.ts';

/** A passkey of a person: its public key, never a secret. Times in milliseconds. */
export interface PasskeyRecord {
  readonly id: string;
  readonly personId: string;
  /** base64url. */
  readonly credentialId: string;
  /** COSE. */
  readonly publicKey: Uint8Array<ArrayBuffer>;
  /** Signatures so far, for authenticators that count; 0 for others. */
  readonly counter: number;
  /** The relying party: the host name for which it was made. */
  readonly host: string;
  readonly name: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

export const readPasskeys = async (database: LeaderReader): Promise<PasskeyRecord[]> =>
  (await database.selectFrom('passkeys').selectAll().execute()).map((row) => ({
    id: row.id,
    personId: row.person_id,
    credentialId: row.credential_id,
    publicKey: new Uint8Array(row.public_key),
    counter: row.counter,
    host: row.host,
    name: row.name,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  }));

export async function insertPasskey(transaction: LeaderTransaction, passkey: PasskeyRecord): Promise<void> {
  await transaction
    .insertInto('passkeys')
    .values({
      id: passkey.id,
      person_id: passkey.personId,
      credential_id: passkey.credentialId,
      public_key: passkey.publicKey,
      counter: passkey.counter,
      host: passkey.host,
      name: passkey.name,
      created_at: passkey.createdAt,
      last_used_at: passkey.lastUsedAt,
    })
    .execute();
}

/** Updates only: a passkey that was deleted meanwhile stays away. */
export async function storePasskeyUse(
  transaction: LeaderTransaction,
  { id, counter, lastUsedAt }: PasskeyRecord,
): Promise<void> {
  await transaction.updateTable('passkeys').set({ counter, last_used_at: lastUsedAt }).where('id', '=', id).execute();
}

export async function renamePasskey(transaction: LeaderTransaction, id: string, name: string): Promise<void> {
  await transaction.updateTable('passkeys').set({ name }).where('id', '=', id).execute();
}

export async function deletePasskey(transaction: LeaderTransaction, id: string): Promise<void> {
  await transaction.deleteFrom('passkeys').where('id', '=', id).execute();
}
