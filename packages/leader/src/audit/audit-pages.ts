import { ApiError, type AuditExportQuery, type AuditQuery } from '@lcs/contract';
import { sql } from 'kysely';
import { queryTimestamp } from '../core/timestamps.ts';
import { broadcast } from '../queries/addressed-units.ts';
import type { AuditRecord } from './audit-entry.ts';
import type { AuditDatabase } from './audit-tables.ts';

const signIns = ['signIn', 'signInWithPasskey', 'signInWithOidc', 'signOut', 'startTablet', 'enterPin', 'endActing'];
const refused = [401, 403];

/** All entries; each of the filters below has an index in the order of time. */
const entries = ({ read }: AuditDatabase) => read.selectFrom('audit').selectAll();

type Entries = ReturnType<typeof entries>;

function between(query: Entries, { since, until }: Pick<AuditQuery, 'since' | 'until'>): Entries {
  let part = query;
  if (since !== undefined) part = part.where('at', '>=', queryTimestamp('since', since));
  if (until !== undefined) part = part.where('at', '<', queryTimestamp('until', until));
  return part;
}

function ofKind(query: Entries, kind: AuditQuery['kind']): Entries {
  switch (kind) {
    case 'change':
      return query.where('status', '<', 400).where('operation', 'not in', signIns);
    case 'sign_in':
      return query.where('operation', 'in', signIns);
    case 'refusal':
      return query.where('status', '>=', 400).where('status', 'in', refused);
    case 'failure':
      return query.where('status', '>=', 400).where('status', 'not in', refused);
    case undefined:
      return query;
  }
}

const numberOf = (before: string): number => {
  if (/^\d{1,15}$/.test(before)) return Number(before);
  throw new ApiError('invalid_query', {
    name: 'before',
    cause: `'${before}' is not the number of an entry.`,
    remediation: 'Send the value of x-next-before of the previous page.',
  });
};

const byNewest = (one: AuditRecord, other: AuditRecord): number => other.at - one.at || other.seq - one.seq;

/** Where a page begins; undefined: with the newest entry, also for a number that no entry has. @throws ApiError invalid_query */
async function startOf({ read }: AuditDatabase, before: string | undefined): Promise<PageStart | undefined> {
  if (before === undefined) return undefined;
  const seq = numberOf(before);
  const entry = await read.selectFrom('audit').where('seq', '=', seq).select('at').executeTakeFirst();
  return entry && { seq, at: entry.at };
}

type PageStart = Pick<AuditRecord, 'seq' | 'at'>;

function newestEntries(
  database: AuditDatabase,
  { caller, operation, experiment, kind, ...times }: Omit<AuditQuery, 'unit' | 'before'>,
  start: PageStart | undefined,
): Entries {
  let query = ofKind(between(entries(database), times), kind)
    .orderBy('at', 'desc')
    .orderBy('seq', 'desc');
  if (caller !== undefined) query = query.where('caller', '=', caller);
  if (operation !== undefined) query = query.where('operation', '=', operation);
  if (experiment !== undefined) query = query.where('experiment', '=', experiment);
  return start === undefined ? query : query.where(sql<boolean>`(at, seq) < (${start.at}, ${start.seq})`);
}

/** One page, newest first; of a unit also the commands to all units, or to several and it. @throws ApiError invalid_query */
export async function auditPage(
  database: AuditDatabase,
  { unit, before, ...filters }: AuditQuery,
  limit: number,
): Promise<AuditRecord[]> {
  const page = newestEntries(database, filters, await startOf(database, before)).limit(limit);
  if (unit === undefined) return page.execute();
  const isChosen = sql<boolean>`(units is null or exists (select 1 from json_each(units) where value = ${unit}))`;
  // Each by itself continues its index in the order of time.
  const [own, chosen] = await Promise.all([
    page.where('unit', '=', unit).execute(),
    page.where('unit', '=', broadcast).where(isChosen).execute(),
  ]);
  return [...own, ...chosen].sort(byNewest).slice(0, limit);
}

const acceptedStatus = 202;

/** The codes of requests that were accepted and failed later, by their ID. */
export async function failuresOf(
  { read }: AuditDatabase,
  page: readonly AuditRecord[],
): Promise<ReadonlyMap<string, string>> {
  const requests = page.flatMap(({ status, request_id }) => (status === acceptedStatus ? [request_id] : []));
  if (requests.length === 0) return new Map();
  const rows = await read
    .selectFrom('audit')
    .where('request_id', 'in', requests)
    .where('status', '>=', 400)
    .select(['request_id', 'code'])
    .execute();
  return new Map(rows.map(({ request_id, code }) => [request_id, code ?? 'failed']));
}

const readAtOnce = 500;

/** All entries of a time, oldest first, page by page. @throws ApiError invalid_query at the call */
export function auditExport(
  database: AuditDatabase,
  times: Pick<AuditExportQuery, 'since' | 'until'>,
): AsyncIterable<readonly AuditRecord[]> {
  const chosen = between(entries(database), times).orderBy('at').orderBy('seq').limit(readAtOnce);
  return (async function* pages() {
    let page = await chosen.execute();
    for (;;) {
      const last = page.at(-1);
      if (last === undefined) return;
      yield page;
      page = await chosen.where(sql<boolean>`(at, seq) > (${last.at}, ${last.seq})`).execute();
    }
  })();
}
