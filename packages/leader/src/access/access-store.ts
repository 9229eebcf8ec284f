import { allPermissions, type Permission, type Role } from '@lcs/contract';
import type { LeaderTransaction } from '../core/leader-context.ts';
import type { LeaderReader } from '../queries/experiments.ts';
import type { PersonRecord, SessionRecord, TokenRecord } from './access-records.ts';

const roleOf = (text: string): Role => (text === 'administrator' || text === 'operator' ? text : 'viewer');

/** A permission that this version does not know is left out. */
const permissionsOf = (json: string): readonly Permission[] => {
  const names: unknown = JSON.parse(json);
  return Array.isArray(names) ? [...allPermissions].filter((permission) => names.includes(permission)) : [];
};

export const readPeople = async (database: LeaderReader): Promise<PersonRecord[]> =>
  (await database.selectFrom('people').selectAll().execute()).map((row) => ({
    id: row.id,
    name: row.name,
    displayName: row.display_name,
    role: roleOf(row.role),
    passwordHash: row.password_hash,
    createdAt: row.created_at,
    disabledAt: row.disabled_at,
    lastSeenAt: row.last_seen_at,
  }));

export const readSessions = async (database: LeaderReader): Promise<SessionRecord[]> =>
  (await database.selectFrom('sessions').selectAll().execute()).map((row) => ({
    id: row.id,
    personId: row.person_id,
    secretHash: row.secret_hash,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
    address: row.address,
    userAgent: row.user_agent,
  }));

export const readTokens = async (database: LeaderReader): Promise<TokenRecord[]> =>
  (await database.selectFrom('tokens').selectAll().execute()).map((row) => ({
    id: row.id,
    personId: row.person_id,
    name: row.name,
    secretHash: row.secret_hash,
    permissions: permissionsOf(row.permissions),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
  }));

/** Adds a person, or replaces them. */
export async function writePerson(transaction: LeaderTransaction, person: PersonRecord): Promise<void> {
  const row = {
    name: person.name,
    display_name: person.displayName,
    role: person.role,
    password_hash: person.passwordHash,
    created_at: person.createdAt,
    disabled_at: person.disabledAt,
    last_seen_at: person.lastSeenAt,
  };
  await transaction
    .insertInto('people')
    .values({ id: person.id, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute();
}

/** Adds a session, or replaces it. */
export async function writeSession(transaction: LeaderTransaction, session: SessionRecord): Promise<void> {
  await transaction
    .insertInto('sessions')
    .values({
      id: session.id,
      person_id: session.personId,
      secret_hash: session.secretHash,
      created_at: session.createdAt,
      last_seen_at: session.lastSeenAt,
      address: session.address,
      user_agent: session.userAgent,
    })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ last_seen_at: session.lastSeenAt }))
    .execute();
}

/** Adds a token, or replaces it. */
export async function writeToken(transaction: LeaderTransaction, token: TokenRecord): Promise<void> {
  await transaction
    .insertInto('tokens')
    .values({
      id: token.id,
      person_id: token.personId,
      name: token.name,
      secret_hash: token.secretHash,
      permissions: JSON.stringify(token.permissions),
      created_at: token.createdAt,
      expires_at: token.expiresAt,
      last_used_at: token.lastUsedAt,
    })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ last_used_at: token.lastUsedAt }))
    .execute();
}
