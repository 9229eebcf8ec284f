import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { minuteMs } from '@lcs/contract/durations';
import type { BulkStatement, Clock, Database, Probe } from '@lcs/platform';
import type { StorePlace } from '@lcs/platform/sql-reader';
import { sql } from 'kysely';
import { systemExperiment } from '../core/leader-context.ts';
import { ArchiveFailed } from '../sealed/archive-failed.ts';
import { openStorage } from '../sealed/open-storage.ts';
import type { SealedFile, SealedGroup } from '../sealed/sealed-file.ts';
import { usualRowsPerGroup } from '../sealed/sealed-format.ts';
import { ReadingPartitions } from '../series/reading-partitions.ts';
import { TouchedBuckets } from '../series/rollup-levels.ts';
import type { SealedFileState } from '../store/archive-migration.ts';
import type { LeaderTables } from '../store/tables.ts';
import type { SealedSeriesSummary } from './archive-protocol.ts';
import { type ArchiveWork, answerTo, inThread } from './archive-thread.ts';
import type { Month } from './month.ts';
import { keptSource, removeGroup, removeRowsSql, restoreRowSql } from './sealed-rows-sql.ts';

export interface ArchiveOptions {
  readonly database: Database<LeaderTables>;
  /** Where threads find the store. */
  readonly store: StorePlace;
  readonly version: string;
  /** Names the file of readings of no experiment: several leaders may seal into one bucket. */
  readonly leaderId: string;
  /** For files on their way; nothing else is in it. */
  readonly workFolder: string;
  readonly now: () => number;
  readonly wire: Clock;
  /** Readers that know an older manifest have ended by then. Default 2 s. */
  readonly graceMs?: number;
  /** Of a file that is written; default `usualRowsPerGroup`. */
  readonly rowsPerGroup?: number;
  /** What writes and compares files. Default: each time a thread of its own. */
  readonly work?: ArchiveWork;
  /**
   * Called at `archive.file_put` (nothing is recorded yet), `archive.recorded`, `archive.group_removed`, `archive.rows_removed`,
   * `archive.partition_dropped`; at `archive.group_restored`, `archive.rows_restored`, `archive.released`, `archive.file_removed`.
   */
  readonly probe?: Probe;
}

/** A file of the manifest. */
export interface SealedFileRow {
  readonly experiment_uid: string;
  readonly month: string;
  readonly place: string;
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly row_count: number;
  readonly first_at: number;
  readonly last_at: number;
  readonly state: SealedFileState;
  readonly sealed_at: number;
}

export interface SealedMonth {
  readonly files: number;
  readonly rows: number;
  readonly bytes: number;
}

export interface FaultyFile {
  readonly place: string;
  readonly file: string;
  readonly fault: string;
}

type Progress = (fraction: number, message: string) => void;

const defaultGraceMs = 2_000;

/**
 * Moves the readings of closed months into files, and back. Whatever ends the process leaves the rows in the store, or a verified file that
 * the manifest names, or both; the same call continues. One at a time: a deletion waits for the month that is being moved.
 */
export class Archive {
  readonly #options: ArchiveOptions;
  readonly #probe: Probe;
  readonly #work: ArchiveWork;
  readonly #partitions: ReadingPartitions;
  /** Resolves when the work that was requested last has ended. */
  #turn: Promise<void> = Promise.resolve();

  constructor(options: ArchiveOptions) {
    this.#options = options;
    this.#probe = options.probe ?? (() => {});
    this.#work = options.work ?? inThread;
    this.#partitions = new ReadingPartitions(options.database);
  }

  /** The manifest, without files that are being removed. */
  async files(month?: string): Promise<readonly SealedFileRow[]> {
    const files = this.#options.database.read
      .selectFrom('sealed_files')
      .selectAll()
      .where('state', '<>', 'removing')
      .orderBy('month')
      .orderBy('experiment_uid');
    return (month === undefined ? files : files.where('month', '=', month)).execute();
  }

  /** The sealed months of an experiment. */
  async monthsOf(uid: string): Promise<readonly string[]> {
    return (await this.files()).flatMap(({ experiment_uid, month }) => (experiment_uid === uid ? [month] : []));
  }

  /**
   * Moves the readings of a month into files, one for each experiment, and continues an earlier call. An experiment whose file is
   * complete is left alone.
   * @throws ArchiveFailed
   */
  seal(month: Month, place: string, signal: AbortSignal, progress: Progress): Promise<SealedMonth> {
    return this.#alone(() => this.#seal(month, place, signal, progress));
  }

  /** Compares the files of a month with the manifest, completely. @throws ArchiveFailed */
  verify(month: Month, signal: AbortSignal, progress: Progress): Promise<readonly FaultyFile[]> {
    return this.#alone(() => this.#verify(month, signal, progress));
  }

  /** Brings the readings of a month back into the store, and removes its files. @throws ArchiveFailed */
  unseal(month: Month, signal: AbortSignal, progress: Progress): Promise<SealedMonth> {
    return this.#alone(() => this.#unseal(month, signal, progress));
  }

  /** Removes the files of an experiment that is being deleted. Returns the number of their readings. */
  removeExperiment(uid: string): Promise<number> {
    return this.#alone(() => this.#removeExperiment(uid));
  }

  async #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = this.#turn;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#turn = promise;
    await before;
    try {
      return await work();
    } finally {
      resolve();
    }
  }

  async #seal(month: Month, place: string, signal: AbortSignal, progress: Progress): Promise<SealedMonth> {
    await this.#prepareWork();
    const experiments = await this.#experimentsOf(month);
    const earlier = await this.files(month.name);
    for (const [index, uid] of experiments.entries()) {
      signal.throwIfAborted();
      progress(index / (experiments.length + 1), `File ${index + 1} of ${experiments.length}`);
      await this.#writeFile(month, uid, place, signal);
    }
    const files = await this.files(month.name);
    const open = files.filter(({ state }) => state === 'verified');
    if (open.length > 0) await this.#options.wire.sleep(this.#options.graceMs ?? defaultGraceMs);
    progress(experiments.length / (experiments.length + 1), 'Removing the rows from the store');
    // Beside files of an earlier call there may be later readings.
    const isFirst = open.length > 0 && earlier.length === 0;
    if (isFirst && (await this.#partitions.dropSealed(month.fromMs, month.toMs, keptSource)))
      this.#probe('archive.partition_dropped');
    for (const file of open) await this.#removeRows(file, signal);
    return sumOf(await this.files(month.name));
  }

  async #verify(month: Month, signal: AbortSignal, progress: Progress): Promise<readonly FaultyFile[]> {
    await this.#prepareWork();
    const files = await this.files(month.name);
    const faulty: FaultyFile[] = [];
    for (const [index, key] of files.entries()) {
      progress(index / files.length, key.file);
      const series = await this.#seriesOf(key);
      const order = { is: 'verify', key, series, workFolder: this.#options.workFolder } as const;
      const { fault } = await answerTo(order, this.#work, signal);
      if (fault !== undefined) faulty.push({ place: key.place, file: key.file, fault });
    }
    return faulty;
  }

  async #unseal(month: Month, signal: AbortSignal, progress: Progress): Promise<SealedMonth> {
    await this.#prepareWork();
    const faulty = await this.#verify(month, signal, progress);
    const [first] = faulty;
    if (first !== undefined) throw new ArchiveFailed(`${first.file} in ${first.place}: ${first.fault}`);
    const files = await this.files(month.name);
    for (const [index, file] of files.entries()) {
      progress(index / files.length, file.file);
      await this.#restoreRows(file, month, signal);
      await this.#release(file);
    }
    await this.#options.wire.sleep(this.#options.graceMs ?? defaultGraceMs);
    await this.#finishRemovals();
    return sumOf(files);
  }

  async #removeExperiment(uid: string): Promise<number> {
    const { database } = this.#options;
    const files = await database.read
      .selectFrom('sealed_files')
      .selectAll()
      .where('experiment_uid', '=', uid)
      .execute();
    for (const file of files) {
      await removeFile(file);
      this.#probe('archive.file_removed');
      await this.#release(file);
      await this.#forget(file);
    }
    return files.reduce((sum, { row_count }) => sum + row_count, 0);
  }

  async #prepareWork(): Promise<void> {
    await rm(this.#options.workFolder, { recursive: true, force: true });
    await mkdir(this.#options.workFolder, { recursive: true, mode: 0o700 });
    await this.#finishRemovals();
  }

  /** Experiments with readings in a month that have no file of it. */
  async #experimentsOf({ name, fromMs, toMs }: Month): Promise<readonly string[]> {
    const { rows } = await sql<{ uid: string }>`select distinct s.experiment_uid as uid from series s
      where exists (select 1 from samples x where x.series_id = s.id and x.at >= ${fromMs} and x.at < ${toMs})
        and not exists (select 1 from sealed_files f where f.experiment_uid = s.experiment_uid and f.month = ${name})
      order by s.experiment_uid`.execute(this.#options.database.read);
    return rows.map(({ uid }) => uid);
  }

  async #writeFile({ name: month, fromMs, toMs }: Month, uid: string, place: string, signal: AbortSignal) {
    const { database, store, version, leaderId, workFolder, now, rowsPerGroup = usualRowsPerGroup } = this.#options;
    const file = `${month}/${fileName(uid, leaderId)}.parquet`;
    const order = { store, experimentUid: uid, month, fromMs, toMs, version, place, file, workFolder, rowsPerGroup };
    const { written } = await answerTo({ is: 'seal', ...order }, this.#work, signal);
    if (written === undefined) return;
    this.#probe('archive.file_put');
    const { bytes, sha256, rows, series } = written;
    const isRecorded = await database.write(async (transaction) => {
      const deleted = await transaction
        .selectFrom('experiments')
        .select('id')
        .where('uid', '=', uid)
        .where('deleting_at', 'is not', null)
        .executeTakeFirst();
      if (deleted !== undefined) return false;
      const found = await transaction.selectFrom('series').select('id').where('experiment_uid', '=', uid).execute();
      const ids = new Set(found.map(({ id }) => id));
      // The experiment, or a computed series of it, may have been deleted meanwhile.
      const left = series.filter(({ seriesId }) => ids.has(seriesId));
      if (left.length === 0) return false;
      const ends = {
        first_at: Math.min(...series.map(({ firstAt }) => firstAt)),
        last_at: Math.max(...series.map(({ lastAt }) => lastAt)),
      };
      await transaction
        .insertInto('sealed_files')
        .values({
          ...{ experiment_uid: uid, month, place, file, bytes, sha256, row_count: rows, ...ends },
          ...{ state: 'verified', sealed_at: now() },
        })
        .execute();
      for (const one of left)
        await transaction
          .insertInto('sealed_series')
          .values({
            ...{ series_id: one.seriesId, from_at: fromMs, to_at: toMs, experiment_uid: uid, month },
            ...{ row_count: one.rows, first_at: one.firstAt, last_at: one.lastAt, min: one.min, max: one.max },
          })
          .execute();
      return true;
    });
    if (isRecorded) this.#probe('archive.recorded');
    else await removeFile({ place, file });
  }

  async #removeRows(file: SealedFileRow, signal: AbortSignal): Promise<void> {
    const { database } = this.#options;
    const kept = await this.#keptSeries(file.experiment_uid);
    const sealed = await opened(file);
    for (const group of await this.#groupsOf(file, sealed)) {
      signal.throwIfAborted();
      if (kept.has(group.seriesId)) continue;
      const { at } = await sealed.points(group);
      if (!(await database.write((transaction) => removeGroup(transaction, group, at))))
        await this.#removeExactly(sealed, group);
      this.#probe('archive.group_removed');
    }
    this.#probe('archive.rows_removed');
    await database.write((transaction) =>
      transaction
        .updateTable('sealed_files')
        .set({ state: 'sealed' })
        .where('experiment_uid', '=', file.experiment_uid)
        .where('month', '=', file.month)
        .execute(),
    );
  }

  /** Row by row: the store has other rows beside them by now. */
  async #removeExactly(sealed: SealedFile, group: SealedGroup): Promise<void> {
    const rows = (await sealed.rows(group)).map(({ at, value }) => [group.seriesId, at, value]);
    await this.#options.database.bulk([{ sql: removeRowsSql, rows }]);
  }

  /** Those of the manifest: other series were deleted after the sealing, or are in the store again. */
  async #groupsOf(file: SealedFileRow, { groups }: SealedFile): Promise<readonly SealedGroup[]> {
    const ids = new Set((await this.#seriesOf(file)).map(({ seriesId }) => seriesId));
    return groups.filter(({ seriesId }) => ids.has(seriesId));
  }

  /** Series whose readings other queries of the store need. */
  async #keptSeries(experimentUid: string): Promise<ReadonlySet<number>> {
    const rows = await this.#options.database.read
      .selectFrom('series')
      .select('id')
      .where('experiment_uid', '=', experimentUid)
      .where('source', '=', keptSource)
      .execute();
    return new Set(rows.map(({ id }) => id));
  }

  async #restoreRows(file: SealedFileRow, { fromMs, toMs }: Month, signal: AbortSignal): Promise<void> {
    const { database } = this.#options;
    const sealed = await opened(file);
    await this.#partitions.prepareMonth(fromMs);
    for (const group of await this.#groupsOf(file, sealed)) {
      signal.throwIfAborted();
      const rows = (await sealed.rows(group)).map(({ at, value, era }) => [group.seriesId, at, value, era]);
      await database.bulk([{ sql: restoreRowSql, rows }]);
      this.#probe('archive.group_restored');
    }
    this.#probe('archive.rows_restored');
    for (const { seriesId } of await this.#seriesOf(file)) await this.#updateRollups(seriesId, fromMs, toMs);
  }

  /** Readings that have come after the month was sealed are in no roll-up yet. */
  async #updateRollups(seriesId: number, fromMs: number, toMs: number): Promise<void> {
    const { database } = this.#options;
    const { rows } = await sql<{ minute: number }>`select c.minute as minute from (
        select at / ${minuteMs} as minute, count(*) as n from samples
        where series_id = ${seriesId} and at >= ${fromMs} and at < ${toMs} group by 1) as c
      left join rollup_1m r on r.series_id = ${seriesId} and r.bucket = c.minute * ${minuteMs}
      where r.n is null or r.n <> c.n`.execute(database.read);
    if (rows.length === 0) return;
    const touched = new TouchedBuckets();
    for (const { minute } of rows) touched.add(seriesId, minute * minuteMs);
    const release: BulkStatement = {
      sql: 'delete from sealed_series where series_id = ?1 and from_at = ?2',
      rows: [[seriesId, fromMs]],
    };
    await database.bulk([release, ...touched.statements('only_added')]);
  }

  /** From now on nobody reads the file. */
  async #release({ experiment_uid, month }: SealedFileRow): Promise<void> {
    await this.#options.database.write(async (transaction) => {
      await transaction
        .deleteFrom('sealed_series')
        .where('experiment_uid', '=', experiment_uid)
        .where('month', '=', month)
        .execute();
      await transaction
        .updateTable('sealed_files')
        .set({ state: 'removing' })
        .where('experiment_uid', '=', experiment_uid)
        .where('month', '=', month)
        .execute();
    });
    this.#probe('archive.released');
  }

  async #finishRemovals(): Promise<void> {
    const files = await this.#options.database.read
      .selectFrom('sealed_files')
      .selectAll()
      .where('state', '=', 'removing')
      .execute();
    for (const file of files) {
      await removeFile(file);
      this.#probe('archive.file_removed');
      await this.#forget(file);
    }
  }

  async #forget({ experiment_uid, month }: SealedFileRow): Promise<void> {
    await this.#options.database.write((transaction) =>
      transaction
        .deleteFrom('sealed_files')
        .where('experiment_uid', '=', experiment_uid)
        .where('month', '=', month)
        .execute(),
    );
  }

  async #seriesOf({ experiment_uid, month }: SealedFileRow): Promise<readonly SealedSeriesSummary[]> {
    const rows = await this.#options.database.read
      .selectFrom('sealed_series')
      .selectAll()
      .where('experiment_uid', '=', experiment_uid)
      .where('month', '=', month)
      .execute();
    return rows.map(({ series_id, row_count, first_at, last_at, min, max }) => ({
      seriesId: series_id,
      rows: row_count,
      firstAt: first_at,
      lastAt: last_at,
      min,
      max,
    }));
  }
}

type FilePlace = Pick<SealedFileRow, 'place' | 'file'>;

async function opened({ place, file, bytes }: SealedFileRow): Promise<SealedFile> {
  const { SealedFile } = await import('../sealed/sealed-file.ts');
  return SealedFile.open(await openStorage(place), file, bytes);
}

async function removeFile({ place, file }: FilePlace): Promise<void> {
  const storage = await openStorage(place);
  await storage.remove(file);
}

/** An identity of our own, or `$experiment`, which each leader has: in a name that folders and buckets take as it is. */
const fileName = (uid: string, leaderId: string): string =>
  (uid === systemExperiment ? `${uid}-${leaderId}` : uid).replaceAll(/[^\w-]/g, '_');

const sumOf = (files: readonly SealedFileRow[]): SealedMonth => ({
  files: files.length,
  rows: files.reduce((sum, { row_count }) => sum + row_count, 0),
  bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
});

/** The folder of files on their way, below the data folder. */
export const archiveWorkFolder = (dataFolder: string): string => join(dataFolder, 'archive', 'work');

/** Where months are sealed if no place is named. */
export const defaultArchivePlace = (dataFolder: string): string => join(dataFolder, 'archive', 'sealed');
