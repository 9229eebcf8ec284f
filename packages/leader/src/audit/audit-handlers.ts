import { type AuditEntry, type auditRoutes, type Handlers, StreamBody } from '@lcs/contract';
import { toTimestamp } from '@lcs/platform';
import type { AuditRecord } from './audit-entry.ts';
import { auditFile } from './audit-file.ts';
import { auditExport, auditPage, failuresOf } from './audit-pages.ts';
import type { AuditDatabase } from './audit-tables.ts';
import { verifyAudit } from './verify-audit.ts';

const defaultLimit = 100;

const toAuditEntry = (record: AuditRecord, failures: ReadonlyMap<string, string>): AuditEntry => ({
  seq: record.seq,
  timestamp: toTimestamp(record.at),
  caller_kind: record.caller_kind,
  caller: record.caller,
  address: record.address,
  channel: record.channel ?? 'http',
  operation: record.operation,
  method: record.method,
  path: record.path,
  experiment: record.experiment,
  unit: record.unit,
  units: record.units === null ? null : JSON.parse(record.units),
  job: record.job,
  body: record.body,
  before: record.before,
  after: record.after,
  reason: record.reason,
  status: record.status,
  code: record.code,
  failure_code: record.status < 400 ? (failures.get(record.request_id) ?? null) : null,
  request_id: record.request_id,
  hash: record.hash,
});

const contentTypes = { csv: 'text/csv; charset=utf-8', json: 'application/x-ndjson; charset=utf-8' } as const;

/** Reads, exports and verifies the audit. */
export function auditHandlers(database: AuditDatabase): Handlers<typeof auditRoutes> {
  return {
    listAudit: async ({ query }) => {
      const { limit = defaultLimit } = query;
      const records = await auditPage(database, query, limit);
      const last = records.at(-1);
      const isFull = last !== undefined && records.length === limit;
      const headers: Record<string, string> = isFull ? { 'x-next-before': String(last.seq) } : {};
      const failures = await failuresOf(database, records);
      return { status: 200, body: records.map((record) => toAuditEntry(record, failures)), headers };
    },
    exportAudit: ({ query: { format = 'csv', ...times } }) => ({
      status: 200,
      headers: {
        'content-type': contentTypes[format],
        'content-disposition': `attachment; filename="audit.${format === 'csv' ? 'csv' : 'jsonl'}"`,
      },
      body: new StreamBody(auditFile(auditExport(database, times), format)),
    }),
    verifyAudit: async ({ query: { contains }, signal }) => {
      const verified = await verifyAudit(database.read, signal, contains);
      const { entries, firstWrong, lastHash, hasExpected } = verified;
      return {
        status: 200,
        body: {
          entries,
          is_intact: firstWrong === null,
          first_wrong: firstWrong,
          contains: contains === undefined ? null : hasExpected,
          last_hash: lastHash,
        },
      };
    },
  };
}
