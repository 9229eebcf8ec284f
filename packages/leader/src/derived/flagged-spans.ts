import type { FlaggedSpan } from '@lcs/contract';
import { toTimestamp } from '@lcs/platform';
import { type Kysely, sql } from 'kysely';
import type { LeaderSchema } from '../core/leader-context.ts';
import { sampleFlags, signalFlags } from '../series/sample-flags.ts';

/** The search criteria. */
export interface FlagsQuestion {
  readonly experimentUid: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly source?: string;
  readonly unit?: string;
}

interface Row {
  readonly id: number;
  readonly unit: string;
  readonly source: string;
  readonly channel: string | null;
  readonly at: number;
  readonly flags: number;
}

const signalBits = signalFlags.reduce((bits, flag) => bits | sampleFlags[flag], 0);

const mostRows = 50_000;
/** A flagged reading within this time of the one before belongs to the same span. */
const togetherMs = 120_000;

/** Flagged readings of an experiment as spans, oldest first. `read` works in separate threads. */
export async function flaggedSpans(read: Kysely<LeaderSchema>, question: FlagsQuestion): Promise<FlaggedSpan[]> {
  const { experimentUid, fromMs, toMs, source, unit } = question;
  const ofSource = source === undefined ? sql`` : sql`and s.source = ${source}`;
  const ofUnit = unit === undefined ? sql`` : sql`and s.unit = ${unit}`;
  const { rows } = await sql<Row>`
    select s.id, s.unit, s.source, s.channel, f.at, f.flags
    from series s join sample_flags f on f.series_id = s.id and f.at > ${fromMs} and f.at <= ${toMs}
    where s.experiment_uid = ${experimentUid} and s.hidden = 0 ${ofSource} ${ofUnit} and f.flags & ${signalBits} <> 0
    order by f.at desc limit ${mostRows}`.execute(read);
  const spans: (Omit<FlaggedSpan, 'from' | 'to'> & { fromMs: number; toMs: number })[] = [];
  const open = new Map<string, (typeof spans)[number]>();
  for (const { id, at, flags, ...place } of rows.toReversed()) {
    for (const flag of signalFlags) {
      if ((flags & sampleFlags[flag]) === 0) continue;
      const key = `${id} ${flag}`;
      const last = open.get(key);
      if (last !== undefined && at - last.toMs <= togetherMs) {
        last.toMs = at;
        last.samples += 1;
        continue;
      }
      const { unit: reactor_unit, source: ofSeries, channel } = place;
      const span = { reactor_unit, source: ofSeries, channel, flag, fromMs: at, toMs: at, samples: 1 };
      open.set(key, span);
      spans.push(span);
    }
  }
  return spans.map(({ fromMs: from, toMs: to, samples, ...span }) => ({
    ...span,
    from: toTimestamp(from),
    to: toTimestamp(to),
    samples,
  }));
}
