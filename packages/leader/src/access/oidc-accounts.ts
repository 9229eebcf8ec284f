import type { LeaderTransaction } from '../core/leader-context.ts';
import type { LeaderReader } from '../queries/experiments.ts';

/** An account of a provider: only issuer and subject together identify it. */
export interface OidcAccount {
  readonly issuer: string;
  readonly subject: string;
}

/** The person to whom an account belongs. */
export const personIdOfAccount = async (
  database: LeaderReader,
  { issuer, subject }: OidcAccount,
): Promise<string | undefined> =>
  (
    await database
      .selectFrom('oidc_accounts')
      .where('issuer', '=', issuer)
      .where('subject', '=', subject)
      .select('person_id')
      .executeTakeFirst()
  )?.person_id;

export async function insertAccount(
  transaction: LeaderTransaction,
  { issuer, subject }: OidcAccount,
  personId: string,
  createdAt: number,
): Promise<void> {
  await transaction
    .insertInto('oidc_accounts')
    .values({ issuer, subject, person_id: personId, created_at: createdAt })
    .execute();
}
