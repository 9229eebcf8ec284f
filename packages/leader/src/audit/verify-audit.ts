import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import type { LeaderReader } from '../queries/experiments.ts';
import { chainStart, hashOf } from './audit-entry.ts';

/** The result of reading the whole chain. */
export interface AuditVerification {
  readonly entries: number;
  /** Number of the first entry that was changed, or whose predecessor is missing; null: there is none. */
  readonly firstWrong: number | null;
  /** Hash of the last entry: whoever keeps it can detect the removal of later entries. */
  readonly lastHash: string;
}

const atOnce = 500;

/** Computes all hashes again, in pieces. */
export async function verifyAudit(database: LeaderReader, signal: AbortSignal): Promise<AuditVerification> {
  let end: { readonly seq: number; readonly hash: string } = chainStart;
  for (;;) {
    signal.throwIfAborted();
    const page = await database
      .selectFrom('audit')
      .where('seq', '>', end.seq)
      .orderBy('seq')
      .limit(atOnce)
      .selectAll()
      .execute();
    for (const entry of page) {
      const isNext = entry.seq === end.seq + 1 && entry.previous_hash === end.hash;
      if (!isNext || entry.hash !== hashOf(entry))
        return { entries: end.seq, firstWrong: entry.seq, lastHash: end.hash };
      end = entry;
    }
    if (page.length < atOnce) return { entries: end.seq, firstWrong: null, lastHash: end.hash };
    await turnOfEventLoop();
  }
}
