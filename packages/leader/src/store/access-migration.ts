/** People, their sessions, tokens of programs. Passwords and secrets are stored as hashes only. */
export const accessMigration = {
  set: 'access',
  id: 1,
  name: 'people, sessions, tokens',
  up: `
    create table people (
      id text primary key,
      name text not null collate nocase unique,
      display_name text not null,
      role text not null check (role in ('viewer', 'operator', 'administrator')),
      password_hash text not null,
      created_at integer not null,
      disabled_at integer,
      last_seen_at integer
    ) strict, without rowid;

    create table sessions (
      id text primary key,
      person_id text not null references people (id) on delete cascade,
      secret_hash text not null unique,
      created_at integer not null,
      last_seen_at integer not null,
      address text not null,
      user_agent text not null
    ) strict, without rowid;
    create index sessions_by_person on sessions (person_id);

    create table tokens (
      id text primary key,
      person_id text not null references people (id) on delete cascade,
      name text not null,
      secret_hash text not null unique,
      permissions text not null,
      created_at integer not null,
      expires_at integer not null,
      last_used_at integer
    ) strict, without rowid;
    create index tokens_by_person on tokens (person_id);
  `,
} as const;

/** Tokens at an external Mosquitto, which does not understand the leader's hashes. */
export const mosquittoHashMigration = {
  set: 'access',
  id: 4,
  name: 'hashes of tokens for Mosquitto',
  up: 'alter table tokens add column mosquitto_hash text;',
} as const;
