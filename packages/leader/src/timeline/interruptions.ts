import { readInterruptions } from '../interruptions/interruption-store.ts';
import { toInterruption } from '../interruptions/to-interruption.ts';
import type { LeaderReader } from '../queries/experiments.ts';
import { type FoundEntry, type TimelineFilter, type TimelinePosition, withoutFacts } from './timeline-source.ts';

/** An ID of two numbers: of the table, and of the row. */
const idsOfTable = 1e14;
const idOf = (table: number, id: number): number => table * idsOfTable + id;
const cursorOf = ({ at, id }: TimelinePosition) => ({ at, table: Math.floor(id / idsOfTable), id: id % idsOfTable });

/** Interruptions, at their end. */
export async function readInterruptionEntries(
  reads: LeaderReader,
  { experimentId, unit, by, since, until, before, limit }: TimelineFilter,
): Promise<readonly FoundEntry[]> {
  if (by !== undefined) return [];
  const rows = await readInterruptions(reads, {
    experimentId,
    ...(unit !== undefined && { unit }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(before !== undefined && { before: cursorOf(before) }),
    limit,
  });
  return rows.map((row) => {
    const { reactor_unit, from, to, message } = toInterruption(row);
    return {
      id: idOf(row.table, row.id),
      at: row.at,
      entry: {
        ...withoutFacts,
        entry_id: `interruption-${row.table}-${row.id}`,
        kind: 'interruption',
        at: to,
        since: from,
        reactor_unit,
        text: message,
      },
    };
  });
}
