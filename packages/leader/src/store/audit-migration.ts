const auditTable = `    create table audit (
      seq integer primary key,
      at integer not null,
      caller_kind text not null,
      caller text not null,
      caller_id text not null,
      address text not null,
      operation text not null,
      method text not null,
      path text not null,
      body text,
      status integer not null,
      code text,
      request_id text not null,
      previous_hash text not null,
      hash text not null
    ) strict;
    create index audit_by_caller on audit (caller, seq desc);
    create index audit_by_operation on audit (operation, seq desc);`;

/** The triggers that refuse changes, for PostgreSQL. */
export const refuseChangesPostgres = `
    create function audit_refuses() returns trigger language plpgsql as $$
    begin raise exception using errcode = 'check_violation', message = 'the audit cannot be changed'; end $$;
    create trigger audit_is_not_changed before update on audit for each row execute function audit_refuses();
    create trigger audit_is_not_removed before delete on audit for each row execute function audit_refuses();`;

/**
 * Requests that may have changed something, and who sent them. Each entry contains the hash of the one before; the store refuses to change or
 * remove entries.
 */
export const auditMigration = {
  set: 'audit',
  id: 1,
  name: 'audit',
  upPostgres: `${auditTable}
${refuseChangesPostgres}`,
  up: `
${auditTable}

    create trigger audit_is_not_changed before update on audit begin select raise(abort, 'the audit cannot be changed'); end;
    create trigger audit_is_not_removed before delete on audit begin select raise(abort, 'the audit cannot be changed'); end;
  `,
} as const;

/** The audit has a file of its own; its entries move there at the next start (`audit/move-audit.ts`), and the table is dropped. */
export const auditMoveMigration = {
  set: 'audit',
  id: 2,
  name: 'the audit moves to a file of its own',
  up: 'alter table audit rename to moved_audit;',
} as const;
