import { allPermissions, type Permission, type Role } from '@lcs/contract';
import type { LeaderTransaction } from '../core/leader-context.ts';
import type { LeaderReader } from '../queries/experiments.ts';
import type { PersonRecord, SessionRecord, TokenRecord } from './access-records.ts';
import { sessionLimits } from './session-expiry.ts';

const roleOf = (text: string): Role => (text === 'administrator' || text === 'operator' ? text : 'viewer');

/** A permission that this version does not know is left out. */
const permissionsOf = (json: string): readonly Permission[] => {
  const names: unknown = JSON.parse(json);
  return Array.isArray(names) ? [...allPermissions].filter((permission) => names.includes(permission)) : [];
};

const namesOf = (json: string | null): readonly string[] | undefined => {
  if (json === null) return undefined;
  const names: unknown = JSON.parse(json);
  return Array.isArray(names) ? names.map(String) : [];
};

const jsonOrNull = (names: readonly string[] | undefined): string | null =>
  names === undefined ? null : JSON.stringify(names);

/** As Mosquitto itself writes it. */
const mosquittoHashText = (hash: TokenRecord['mosquittoHash']): string | null =>
  hash === undefined ? null : `$7$${hash.iterations}$${hash.salt}$${hash.password}`;

function mosquittoHashOf(text: string | null): TokenRecord['mosquittoHash'] {
  const [, , iterations, salt, password] = text?.split('$') ?? [];
  return salt === undefined || password === undefined ? undefined : { iterations: Number(iterations), salt, password };
}

export const readPeople = async (database: LeaderReader): Promise<PersonRecord[]> =>
  (await database.selectFrom('people').selectAll().execute()).map((row) => ({
    id: row.id,
    name: row.name,
    displayName: row.display_name,
    role: roleOf(row.role),
    passwordHash: row.password_hash,
    pinHash: row.pin_hash,
    createdAt: row.created_at,
    disabledAt: row.disabled_at,
    lastSeenAt: row.last_seen_at,
  }));

export const readSessions = async (database: LeaderReader): Promise<SessionRecord[]> =>
  (await database.selectFrom('sessions').selectAll().execute()).map((row) => ({
    id: row.id,
    personId: row.person_id,
    tablet: row.tablet,
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
    mosquittoHash: mosquittoHashOf(row.mosquitto_hash),
    permissions: permissionsOf(row.permissions),
    experiments: namesOf(row.experiments),
    units: namesOf(row.units),
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
    pin_hash: person.pinHash,
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

export async function insertSession(transaction: LeaderTransaction, session: SessionRecord): Promise<void> {
  await transaction
    .insertInto('sessions')
    .values({
      id: session.id,
      person_id: session.personId,
      tablet: session.tablet,
      secret_hash: session.secretHash,
      created_at: session.createdAt,
      last_seen_at: session.lastSeenAt,
      address: session.address,
      user_agent: session.userAgent,
    })
    .execute();
}

export async function insertToken(transaction: LeaderTransaction, token: TokenRecord): Promise<void> {
  await transaction
    .insertInto('tokens')
    .values({
      id: token.id,
      person_id: token.personId,
      name: token.name,
      secret_hash: token.secretHash,
      mosquitto_hash: mosquittoHashText(token.mosquittoHash),
      permissions: JSON.stringify(token.permissions),
      experiments: jsonOrNull(token.experiments),
      units: jsonOrNull(token.units),
      created_at: token.createdAt,
      expires_at: token.expiresAt,
      last_used_at: token.lastUsedAt,
    })
    .execute();
}

/** Updates only: a session that has ended meanwhile stays away. */
export async function storeSessionUse(transaction: LeaderTransaction, id: string, at: number): Promise<void> {
  await transaction.updateTable('sessions').set({ last_seen_at: at }).where('id', '=', id).execute();
}

/** Updates only: a token that was revoked meanwhile stays away. */
export async function storeTokenUse(transaction: LeaderTransaction, id: string, at: number): Promise<void> {
  await transaction.updateTable('tokens').set({ last_used_at: at }).where('id', '=', id).execute();
}

/** Removes sessions that have ended at a time: those of people, and those of shared tablets. */
export async function deleteEndedSessions(transaction: LeaderTransaction, now: number): Promise<void> {
  for (const kind of ['person', 'tablet'] as const) {
    const { idleMs, longestMs } = sessionLimits[kind];
    await transaction
      .deleteFrom('sessions')
      .where('tablet', kind === 'person' ? 'is' : 'is not', null)
      .where((is) => is.or([is('last_seen_at', '<=', now - idleMs), is('created_at', '<=', now - longestMs)]))
      .execute();
  }
}
