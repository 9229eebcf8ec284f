import { type Kysely, sql } from 'kysely';
import { sampleFlags } from '../series/sample-flags.ts';

/** Units whose newest stored reading comes from a simulated board. */
export async function simulatedUnits<Tables>(read: Kysely<Tables>): Promise<readonly string[]> {
  const { rows } = await sql<{ unit: string; flags: number | null }>`
    select unit, (select flags from sample_flags f where f.series_id = newest.id and f.at = newest.at) as flags
    from (
      select unit, id, max(at) as at
      from (select s.unit, s.id, (select max(x.at) from samples x where x.series_id = s.id) as at from series s)
      where at is not null group by unit
    ) newest`.execute(read);
  return rows.filter(({ flags }) => ((flags ?? 0) & sampleFlags.simulated) !== 0).map(({ unit }) => unit);
}
