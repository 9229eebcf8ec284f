import type { LeaderReader } from './experiments.ts';

export const labelsOf = (database: LeaderReader, experimentId: number) =>
  database
    .selectFrom('unit_labels')
    .where('experiment_id', '=', experimentId)
    .orderBy('reactor_unit')
    .select(['reactor_unit', 'label']);

/** The other unit that has this name as its label in an experiment. */
export async function unitLabelled(
  database: LeaderReader,
  experimentId: number,
  name: string,
): Promise<string | undefined> {
  const rows = await labelsOf(database, experimentId).execute();
  return rows.find(({ reactor_unit, label }) => reactor_unit !== name && label.toLowerCase() === name.toLowerCase())
    ?.reactor_unit;
}
