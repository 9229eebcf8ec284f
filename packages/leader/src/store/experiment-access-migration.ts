/** Owners and members of experiments, and the limits of tokens. */
export const experimentAccessMigration = {
  set: 'access',
  id: 2,
  name: 'owners and members of experiments, limits of tokens',
  up: `
    create table experiment_access (
      experiment_id integer primary key references experiments (id) on delete cascade,
      owner_id text references people (id) on delete set null,
      created_by text,
      is_protected integer not null default 0 check (is_protected in (0, 1))
    ) strict;
    create index experiment_access_by_owner on experiment_access (owner_id);

    create table experiment_members (
      experiment_id integer not null references experiments (id) on delete cascade,
      person_id text not null references people (id) on delete cascade,
      primary key (experiment_id, person_id)
    ) strict, without rowid;
    create index experiment_members_by_person on experiment_members (person_id);

    alter table tokens add column experiments text;
    alter table tokens add column units text;
  `,
} as const;

interface ExperimentAccessTable {
  experiment_id: number;
  owner_id: string | null;
  created_by: string | null;
  is_protected: number;
}

interface ExperimentMembersTable {
  experiment_id: number;
  person_id: string;
}

export interface ExperimentAccessTables {
  experiment_access: ExperimentAccessTable;
  experiment_members: ExperimentMembersTable;
}
