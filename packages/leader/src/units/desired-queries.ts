import type { LeaderTransaction } from '../core/leader-context.ts';
import type { LeaderReader } from '../queries/experiments.ts';
import type { DesiredContent, KeptDesired } from './desired-document.ts';
import { endedStopsOf } from './desired-report.ts';

/** A document with what its unit made of the last one it got. */
export interface StoredDesired extends KeptDesired {
  /** Orders that the unit has carried out. */
  readonly endedStops: ReadonlySet<string>;
  /** JSON of its last report. */
  readonly reported: string | null;
}

const toStored = (row: { version: number; document: string; reported: string | null }): StoredDesired => {
  // Written by this program only, from a `DesiredContent`.
  const content: DesiredContent = JSON.parse(row.document);
  return { version: row.version, content, reported: row.reported, endedStops: endedStopsOf(row.reported) };
};

/** The documents of these units. */
export async function storedDesired(
  database: LeaderReader,
  units: readonly string[],
): Promise<ReadonlyMap<string, StoredDesired>> {
  const rows = await database
    .selectFrom('desired')
    .where('reactor_unit', 'in', units)
    .select(['reactor_unit', 'version', 'document', 'reported'])
    .execute();
  return new Map(rows.map((row) => [row.reactor_unit, toStored(row)]));
}

/** Makes this the document of the unit; what it reported stays. */
export async function keepDesired(
  transaction: LeaderTransaction,
  unit: string,
  { version, content }: KeptDesired,
): Promise<void> {
  const document = JSON.stringify(content);
  await transaction
    .insertInto('desired')
    .values({ reactor_unit: unit, version, document, reported: null, reported_at: null })
    .onConflict((conflict) => conflict.column('reactor_unit').doUpdateSet({ version, document }))
    .execute();
}
