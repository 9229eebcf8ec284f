import type { Generated } from 'kysely';

/** Accounts of OpenID providers. */
export const oidcMigration = {
  set: 'access',
  id: 6,
  name: 'accounts of OpenID providers',
  up: `
    create table oidc_accounts (
      issuer text not null,
      subject text not null,
      person_id text not null references people (id) on delete cascade,
      created_at integer not null,
      primary key (issuer, subject)
    ) strict, without rowid;
    create index oidc_accounts_by_person on oidc_accounts (person_id);
  `,
} as const;

/** Whether a group has given the role of the person: it ends with the group. */
export const oidcRoleMigration = {
  set: 'access',
  id: 7,
  name: 'roles of OpenID groups',
  up: 'alter table oidc_accounts add column role_of_group integer not null default 0 check (role_of_group in (0, 1));',
} as const;

export interface OidcAccountsTable {
  issuer: string;
  subject: string;
  person_id: string;
  created_at: number;
  role_of_group: Generated<number>;
}
