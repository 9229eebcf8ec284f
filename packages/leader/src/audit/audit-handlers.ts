import { ApiError, type AuditEntry, type AuditQuery, type auditRoutes, type Handlers } from '@lcs/contract';
import { toTimestamp } from '@lcs/platform';
import { queryTimestamp } from '../core/timestamps.ts';
import type { AuditRecord } from './audit-entry.ts';
import type { AuditDatabase } from './audit-tables.ts';
import { verifyAudit } from './verify-audit.ts';

const defaultLimit = 100;

const toAuditEntry = (record: AuditRecord): AuditEntry => ({
  seq: record.seq,
  timestamp: toTimestamp(record.at),
  caller_kind: record.caller_kind,
  caller: record.caller,
  address: record.address,
  operation: record.operation,
  method: record.method,
  path: record.path,
  body: record.body,
  status: record.status,
  code: record.code,
  request_id: record.request_id,
  hash: record.hash,
});

const numberOf = (before: string): number => {
  if (/^\d{1,15}$/.test(before)) return Number(before);
  throw new ApiError('invalid_query', {
    name: 'before',
    cause: `'${before}' is not the number of an entry.`,
    remediation: 'Send the value of x-next-before of the previous page.',
  });
};

/** Reads and verifies the audit. */
export function auditHandlers(database: AuditDatabase): Handlers<typeof auditRoutes> {
  const page = ({ caller, operation, since, until, before, limit = defaultLimit }: AuditQuery) => {
    let query = database.read.selectFrom('audit').selectAll().orderBy('seq', 'desc').limit(limit);
    if (caller !== undefined) query = query.where('caller', '=', caller);
    if (operation !== undefined) query = query.where('operation', '=', operation);
    if (since !== undefined) query = query.where('at', '>=', queryTimestamp('since', since));
    if (until !== undefined) query = query.where('at', '<', queryTimestamp('until', until));
    if (before !== undefined) query = query.where('seq', '<', numberOf(before));
    return query.execute();
  };
  const isPart = async (hash: string): Promise<boolean> =>
    (await database.read.selectFrom('audit').where('hash', '=', hash).select('seq').executeTakeFirst()) !== undefined;
  return {
    listAudit: async ({ query }) => {
      const records = await page(query);
      const last = records.at(-1);
      const isFull = last !== undefined && records.length === (query.limit ?? defaultLimit);
      const headers: Record<string, string> = isFull ? { 'x-next-before': String(last.seq) } : {};
      return { status: 200, body: records.map(toAuditEntry), headers };
    },
    verifyAudit: async ({ query: { contains }, signal }) => {
      const { entries, firstWrong, lastHash } = await verifyAudit(database.read, signal);
      return {
        status: 200,
        body: {
          entries,
          is_intact: firstWrong === null,
          first_wrong: firstWrong,
          contains: contains === undefined ? null : await isPart(contains),
          last_hash: lastHash,
        },
      };
    },
  };
}
