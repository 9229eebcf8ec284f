import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { type AuditRecord, type ChainEnd, chainStart, hashOf } from './audit-entry.ts';
import type { AuditTables } from './audit-tables.ts';

/** The result of reading the whole chain. */
export interface AuditVerification {
  readonly entries: number;
  /** Number of the first entry that was changed, or whose predecessor is missing; null: there is none. */
  readonly firstWrong: number | null;
  /** Hash of the last entry: whoever keeps it can detect the removal of later entries. */
  readonly lastHash: string;
  /** Whether the expected hash is that of an entry before the first wrong one. */
  readonly hasExpected: boolean;
}

const atOnce = 500;

/** Follows the chain through entries in the order of their numbers, up to the first that does not continue it. */
export function followChain(
  start: ChainEnd,
  entries: readonly AuditRecord[],
): { readonly end: ChainEnd; readonly firstWrong: number | null } {
  let end = start;
  for (const entry of entries) {
    const isNext = entry.seq === end.seq + 1 && entry.previous_hash === end.hash;
    if (!isNext || entry.hash !== hashOf(entry)) return { end, firstWrong: entry.seq };
    end = entry;
  }
  return { end, firstWrong: null };
}

/** Computes all hashes again, in pieces. */
export async function verifyAudit(
  database: Kysely<AuditTables>,
  signal: AbortSignal,
  expectedHash?: string,
): Promise<AuditVerification> {
  let end: ChainEnd = chainStart;
  let hasExpected = false;
  for (;;) {
    signal.throwIfAborted();
    const page = await database
      .selectFrom('audit')
      .where('seq', '>', end.seq)
      .orderBy('seq')
      .limit(atOnce)
      .selectAll()
      .execute();
    const followed = followChain(end, page);
    end = followed.end;
    hasExpected ||= page.some(({ seq, hash }) => hash === expectedHash && seq <= followed.end.seq);
    if (followed.firstWrong !== null || page.length < atOnce)
      return { entries: end.seq, firstWrong: followed.firstWrong, lastHash: end.hash, hasExpected };
    await turnOfEventLoop();
  }
}
