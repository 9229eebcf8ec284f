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

export interface OidcAccountsTable {
  issuer: string;
  subject: string;
  person_id: string;
  created_at: number;
}
