import type { FeedRecord } from '@lcs/contract';
import { eventSource } from '@lcs/domain';
import { CompiledQuery } from 'kysely';
import type { LeaderDatabase, LeaderTransaction } from '../core/leader-context.ts';
import type { SeriesChanges } from '../series/series-changes.ts';
import { type BootEra, BootEras, type ClockCorrection, correctionsIn } from './boot-eras.ts';

export interface BootEraStoreOptions {
  readonly database: LeaderDatabase;
  readonly changes: SeriesChanges;
  /** Called when a correction is on disk: samples must be moved. */
  readonly onCorrection: () => void;
}

/** The unit of the records. */
interface Machine {
  readonly unit: string;
  readonly machineId: string;
}

/** The data of some events contain further times: of intervals of settings, and of the reading that caused an actuation. */
const moveEventsSql = `
  update events set at = max(0, at + ?4), data = case
    when name = 'automation_settings' and json_type(data, '$.ended_at') = 'integer' then json_set(data,
      '$.started_at', cast(json_extract(data, '$.started_at') as integer) + ?4, '$.ended_at', cast(json_extract(data, '$.ended_at') as integer) + ?4)
    when name = 'automation_settings' and json_type(data, '$.started_at') = 'integer' then json_set(data,
      '$.started_at', cast(json_extract(data, '$.started_at') as integer) + ?4)
    when name = 'actuation' and json_type(data, '$.reading.at') = 'integer' then json_set(data,
      '$.reading.at', cast(json_extract(data, '$.reading.at') as integer) + ?4)
    else data end
  where machine_id = ?1 and boot = ?2 and mono < ?3`;
const moveLogsSql =
  'update logs set at = max(0, at + ?4) where machine_id = ?1 and boot = ?2 and mono < ?3 and machine_id is not null';
const moveKnownSql = `
  update last_known set at = max(0, at + ?4) where machine_id = ?1 and boot = ?2 and mono < ?3 and reactor_unit = ?5`;

/** ?1 id, ?2 at. Records of an experiment cannot precede its start: the leader's clock was ahead at its creation. */
export const beginEarlierSql = 'update experiments set created_at = ?2 where id = ?1 and created_at > ?2';

/** ?1 era, ?2 and ?3: the first and last time at which samples were added to it. */
export const growEraSql = `
  update boot_eras set first_at = min(ifnull(first_at, ?2), ?2), last_at = max(ifnull(last_at, ?3), ?3) where id = ?1`;

/** The eras of boots; each correction starts a new one. */
export class BootEraStore {
  readonly #options: BootEraStoreOptions;

  constructor(options: BootEraStoreOptions) {
    this.#options = options;
  }

  /**
   * The eras of the boots of these stored records. A new correction moves the stored events and log entries of its boot in the same
   * transaction; samples are moved afterwards, see `ClockCorrections`. Call it for the batches of one unit one after the
   * other.
   */
  async of(machine: Machine, records: readonly FeedRecord[]): Promise<BootEras> {
    const boots = [...new Set(records.map(({ boot }) => boot))];
    const known = await this.#read(machine, boots);
    const started = boots.filter((boot) => !known.some((era) => era.boot === boot));
    const corrections = correctionsIn(records).filter(
      ({ boot, mono }) => !known.some((era) => era.boot === boot && era.sinceMono === mono),
    );
    if (started.length === 0 && corrections.length === 0) return new BootEras(known);
    await this.#options.database.write(async (transaction) => {
      await begin(transaction, machine, started);
      for (const correction of corrections) await correct(transaction, machine, correction);
    });
    for (const correction of corrections) await this.#noteEvents(machine, correction);
    if (corrections.length > 0) this.#options.onCorrection();
    return new BootEras(await this.#read(machine, boots));
  }

  async #read({ machineId }: Machine, boots: readonly number[]): Promise<BootEra[]> {
    if (boots.length === 0) return [];
    const rows = await this.#options.database.read
      .selectFrom('boot_eras')
      .where('machine_id', '=', machineId)
      .where('boot', 'in', boots)
      .select(['id', 'boot', 'since_mono', 'offset_ms'])
      .execute();
    return rows.map(({ id, boot, since_mono, offset_ms }) => ({
      id,
      boot,
      sinceMono: since_mono,
      offsetMs: offset_ms,
    }));
  }

  /** Cached answers that contain the moved events are invalid. */
  async #noteEvents({ machineId }: Machine, { boot, mono }: ClockCorrection): Promise<void> {
    const { database, changes } = this.#options;
    const moved = await database.read
      .selectFrom('events')
      .where('machine_id', '=', machineId)
      .where('boot', '=', boot)
      .where('mono', '<', mono)
      .select(['experiment_uid', 'name'])
      .distinct()
      .execute();
    for (const { experiment_uid, name } of moved) changes.note(experiment_uid, eventSource(name));
  }
}

async function begin(
  transaction: LeaderTransaction,
  { unit, machineId }: Machine,
  boots: readonly number[],
): Promise<void> {
  for (const boot of boots)
    await transaction
      .insertInto('boot_eras')
      .values({ reactor_unit: unit, machine_id: machineId, boot, since_mono: 0, moved_at: 0 })
      .execute();
}

async function correct(
  transaction: LeaderTransaction,
  { unit, machineId }: Machine,
  { boot, mono, offsetMs }: ClockCorrection,
): Promise<void> {
  const run = async (sql: string, more: readonly string[] = []): Promise<number> => {
    const { numAffectedRows = 0n } = await transaction.executeQuery(
      CompiledQuery.raw(sql, [machineId, boot, mono, offsetMs, ...more]),
    );
    return Number(numAffectedRows);
  };
  const moved = (await run(moveEventsSql)) + (await run(moveLogsSql));
  await run(moveKnownSql, [unit]);
  await transaction
    .insertInto('boot_eras')
    .values({
      reactor_unit: unit,
      machine_id: machineId,
      boot,
      since_mono: mono,
      offset_ms: offsetMs,
      moved_notes: moved,
      moved_at: null,
    })
    .execute();
}
