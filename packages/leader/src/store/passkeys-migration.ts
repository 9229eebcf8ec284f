/** Passkeys of people: public keys, no secrets. */
export const passkeysMigration = {
  set: 'access',
  id: 3,
  name: 'passkeys',
  up: `
    create table passkeys (
      id text primary key,
      person_id text not null references people (id) on delete cascade,
      credential_id text not null unique,
      public_key blob not null,
      counter integer not null,
      host text not null,
      name text not null,
      created_at integer not null,
      last_used_at integer
    ) strict, without rowid;
    create index passkeys_by_person on passkeys (person_id);
  `,
} as const;
