import { sql } from 'kysely';
import type { LeaderReader } from '../queries/experiments.ts';

/** The size of the database file. Pages freed by a deletion stay in the file and are used again. */
export interface DatabaseSpace {
  /** Bytes. */
  readonly page_size: number;
  readonly page_count: number;
  readonly freelist_count: number;
  readonly allocated_bytes: number;
  readonly reclaimable_bytes: number;
  /** 0..1 of the pages. */
  readonly reclaimable_fraction: number;
}

type Pages = Pick<DatabaseSpace, 'page_size' | 'page_count' | 'freelist_count'>;

export async function databaseSpace(database: LeaderReader): Promise<DatabaseSpace> {
  const { rows } = await sql<Pages>`select
    (select page_size from pragma_page_size) as page_size,
    (select page_count from pragma_page_count) as page_count,
    (select freelist_count from pragma_freelist_count) as freelist_count`.execute(database);
  const { page_size, page_count, freelist_count } = rows[0] ?? { page_size: 0, page_count: 0, freelist_count: 0 };
  return {
    page_size,
    page_count,
    freelist_count,
    allocated_bytes: page_size * page_count,
    reclaimable_bytes: page_size * freelist_count,
    reclaimable_fraction: page_count === 0 ? 0 : freelist_count / page_count,
  };
}
