import type { DesiredVolumeNote, Model } from '@lcs/contract';
import { sql } from 'kysely';
import type { LeaderReader } from '../queries/experiments.ts';

/** The data of a unit's document. */
export interface UnitFacts {
  /** Of the assignment; null: free. */
  readonly experiment: { readonly name: string; readonly uid: string; readonly assigned_at: number } | null;
  readonly isActive: boolean;
  readonly model: Model | null;
  /** Text of its own configuration file. */
  readonly own: string;
  /** The notes about the volume of its vial in this experiment, oldest first. */
  readonly volumeNotes: readonly DesiredVolumeNote[];
}

/** As stored: the model is still a name and a version. */
export type StoredUnitFacts = Omit<UnitFacts, 'model'> & {
  readonly model_name: string | null;
  readonly model_version: string | null;
};

/** The stored data of these units, without units that are not workers. */
export async function storedUnitFacts(
  database: LeaderReader,
  units: readonly string[],
): Promise<ReadonlyMap<string, StoredUnitFacts>> {
  const rows = await database
    .selectFrom('workers as w')
    .leftJoin('assignments as a', 'a.reactor_unit', 'w.reactor_unit')
    .leftJoin('experiments as e', 'e.id', 'a.experiment_id')
    .where('w.reactor_unit', 'in', units)
    .select(['w.reactor_unit', 'w.is_active', 'w.model_name', 'w.model_version', 'e.name', 'e.uid', 'a.assigned_at'])
    .execute();
  const own = await ownConfigs(database, units);
  const notes = await volumeNotes(database, units);
  return new Map(
    rows.map((row) => [
      row.reactor_unit,
      {
        experiment:
          row.name === null || row.uid === null || row.assigned_at === null
            ? null
            : { name: row.name, uid: row.uid, assigned_at: row.assigned_at },
        isActive: row.is_active !== 0,
        model_name: row.model_name,
        model_version: row.model_version,
        own: own.get(row.reactor_unit) ?? '',
        volumeNotes: notes.get(row.reactor_unit) ?? [],
      },
    ]),
  );
}

/** Of the experiments that the units are in. */
async function volumeNotes(
  database: LeaderReader,
  units: readonly string[],
): Promise<ReadonlyMap<string, readonly DesiredVolumeNote[]>> {
  const rows = await database
    .selectFrom('assignments as a')
    .innerJoin('experiment_notes as n', (join) =>
      join.onRef('n.experiment_id', '=', 'a.experiment_id').onRef('n.reactor_unit', '=', 'a.reactor_unit'),
    )
    .where('a.reactor_unit', 'in', units)
    .where('n.volume_ml', '>', 0)
    .orderBy('n.at')
    .orderBy('n.id')
    .select(['a.reactor_unit', 'n.id', 'n.kind', 'n.volume_ml', 'n.at'])
    .execute();
  const notes = new Map<string, DesiredVolumeNote[]>();
  for (const { reactor_unit: unit, id: note_id, kind: stored, volume_ml, at } of rows) {
    const kind = stored === 'media_added' ? 'media_added' : 'sample_taken';
    notes.set(unit, [...(notes.get(unit) ?? []), { note_id, kind, volume_ml: volume_ml ?? 0, at }]);
  }
  return notes;
}

/** The newest version of each unit's own file. */
async function ownConfigs(database: LeaderReader, units: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const files = new Map(units.map((unit) => [`unit_config.ini::${unit}`, unit]));
  const rows = await database
    .selectFrom('config_histories as c')
    .where('c.filename', 'in', [...files.keys()])
    .where(
      'c.id',
      '=',
      sql<number>`(select n.id from config_histories n where n.filename = c.filename order by n.at desc, n.id desc limit 1)`,
    )
    .select(['c.filename', 'c.data'])
    .execute();
  return new Map(rows.map(({ filename, data }) => [files.get(filename) ?? filename, data]));
}
