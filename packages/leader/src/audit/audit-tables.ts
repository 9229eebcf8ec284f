import { join } from 'node:path';
import type { Database, Migration } from '@lcs/platform';
import { refuseChangesPostgres } from '../store/audit-migration.ts';
import type { AuditRecord } from './audit-entry.ts';

export interface AuditTables {
  audit: AuditRecord;
}

/** The audit's own file: no change of the leader's store waits for an entry of another. */
export type AuditDatabase = Database<AuditTables>;

/** Below the data folder. */
export const auditDatabaseFile = join('storage', 'audit.sqlite');

const auditTable = `      create table audit (
        seq integer primary key,
        format integer not null check (format in (1, 2)),
        at integer not null,
        caller_kind text not null,
        caller text not null,
        caller_id text not null,
        address text not null,
        channel text,
        operation text not null,
        method text not null,
        path text not null,
        experiment text,
        unit text,
        job text,
        body text,
        before text,
        after text,
        reason text,
        status integer not null,
        code text,
        request_id text not null,
        previous_hash text not null,
        hash text not null
      ) strict;
      create index audit_by_time on audit (at, seq);
      create index audit_by_caller on audit (caller, at, seq);
      create index audit_by_operation on audit (operation, at, seq);
      create index audit_by_experiment on audit (experiment, at, seq) where experiment is not null;
      create index audit_by_unit on audit (unit, at, seq) where unit is not null;
      create index audit_failures on audit (at, seq) where status >= 400;`;

/** The tables of the audit's file. A step that has been released is never edited: a new one is added. */
export const auditMigrations: readonly Migration[] = [
  {
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
  },
  { set: 'audit', id: 2, name: 'chosen units', up: 'alter table audit add column units text;' },
  {
    set: 'audit',
    id: 3,
    name: 'failures of accepted requests',
    up: 'create index audit_failed_requests on audit (request_id) where status >= 400;',
  },
];
