import type { LeaderTransaction } from '../core/leader-context.ts';
import type { LeaderReader } from '../queries/experiments.ts';

/** An account of a provider: only issuer and subject together identify it. */
export interface OidcAccount {
  readonly issuer: string;
  readonly subject: string;
}

/** An account that has signed in before. */
export interface KnownAccount {
  readonly personId: string;
  /** A group has given the role of the person. */
  readonly hasRoleOfGroup: boolean;
}

export async function readAccount(
  database: LeaderReader,
  { issuer, subject }: OidcAccount,
): Promise<KnownAccount | undefined> {
  const row = await database
    .selectFrom('oidc_accounts')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .select(['person_id', 'role_of_group'])
    .executeTakeFirst();
  return row && { personId: row.person_id, hasRoleOfGroup: row.role_of_group === 1 };
}

export async function insertAccount(
  transaction: LeaderTransaction,
  { issuer, subject }: OidcAccount,
  { personId, hasRoleOfGroup }: KnownAccount,
  createdAt: number,
): Promise<void> {
  const row = { issuer, subject, person_id: personId, created_at: createdAt, role_of_group: Number(hasRoleOfGroup) };
  await transaction.insertInto('oidc_accounts').values(row).execute();
}

export async function storeRoleOfGroup(
  transaction: LeaderTransaction,
  { issuer, subject }: OidcAccount,
  hasRoleOfGroup: boolean,
): Promise<void> {
  await transaction
    .updateTable('oidc_accounts')
    .set({ role_of_group: Number(hasRoleOfGroup) })
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .execute();
}
