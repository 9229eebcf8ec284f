import { ApiError, type Model } from '@lcs/contract';
import { sql } from 'kysely';
import type { LeaderReader } from '../queries/experiments.ts';
import { workerNamed } from '../queries/workers.ts';
import type { Note } from './note-rules.ts';

/** Pages show a volume with 3 digits: who takes all that is shown takes no more than there is. */
const roundingMl = 0.05;

/** Part of the catalogue of models. */
export interface SampleModels {
  find(name: string, version: string): Promise<Model | undefined>;
}

interface Vial {
  readonly experimentUid: string;
  readonly unit: string;
}

/**
 * The last volume that the unit reported up to a time, with what people noted to have added since. By the ends of the keys of the few
 * series: a join alone would read all volumes of the experiment within a command.
 */
async function reportedMl(
  database: LeaderReader,
  { experimentUid, unit }: Vial,
  atMs: number,
): Promise<number | undefined> {
  const { rows } = await sql<{ readonly value: number; readonly added: number }>`
    select x.value, (
      select coalesce(sum(n.volume_ml), 0) from experiment_notes n join experiments e on e.id = n.experiment_id
      where e.uid = ${experimentUid} and n.reactor_unit = ${unit} and n.kind = 'media_added'
        and n.at <= ${atMs} and max(n.at, n.created_at) >= x.at) as added
    from series s join samples x on x.series_id = s.id
    where s.experiment_uid = ${experimentUid} and s.unit = ${unit} and s.source = 'liquid_volume' and s.hidden = 0
      and x.at = (select max(at) from samples where series_id = s.id and at <= ${atMs})
    order by x.at desc limit 1`.execute(database);
  const last = rows[0];
  return last && last.value + last.added;
}

/** What the vial of the unit's present model can hold; undefined: it has none. */
async function capacityMl(database: LeaderReader, models: SampleModels, unit: string): Promise<number | undefined> {
  const worker = await workerNamed(database, unit).executeTakeFirst();
  if (!worker || worker.model_name === null || worker.model_version === null) return undefined;
  return (await models.find(worker.model_name, worker.model_version))?.reactor_capacity_ml;
}

/** Expects that a sample is no more than its vial held. @throws ApiError note_invalid */
export async function expectInVial(
  database: LeaderReader,
  models: SampleModels,
  experimentUid: string,
  note: Pick<Note, 'kind' | 'reactor_unit' | 'volume_ml' | 'at'>,
): Promise<void> {
  const { kind, reactor_unit: unit, volume_ml: sampleMl, at } = note;
  if (kind !== 'sample_taken' || unit === null || sampleMl === null) return;
  const reported = await reportedMl(database, { experimentUid, unit }, at);
  const limitMl = reported ?? (await capacityMl(database, models, unit));
  if (limitMl === undefined || sampleMl <= limitMl + roundingMl) return;
  const holds = reported === undefined ? 'can hold' : 'held';
  const cause = `A sample of ${sampleMl} mL is more than the vial ${holds}: ${Number(limitMl.toFixed(2))} mL.`;
  throw new ApiError('note_invalid', { cause, field: 'volume_ml' });
}
