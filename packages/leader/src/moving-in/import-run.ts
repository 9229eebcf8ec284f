import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError, dayMs, type ImportReport, type PioreactorImport } from '@lcs/contract';
import { eventSource, validateUnitName } from '@lcs/domain';
import type { TextReader } from '@lcs/node';
import { type IniView, type TaskContext, toTimestamp } from '@lcs/platform';
import type { StorePlace } from '@lcs/platform/sql-reader';
import { firstLine } from '../core/first-line.ts';
import type { LeaderContext } from '../core/leader-context.ts';
import type { DiskSpaceMonitor } from '../disk-space/disk-space-monitor.ts';
import { hostResources } from '../exports/resource-limits.ts';
import type { ModelCatalog } from '../models/model-catalog.ts';
import type { ProfileFiles } from '../profiles/profile-files.ts';
import type { Derivation } from '../series/series-ids.ts';
import type { BatchSeries } from '../series/series-ingest.ts';
import type { SeriesStore } from '../series/series-store.ts';
import { ClusterImport, type ExperimentPlan, planExperiments, targetOf } from './import-experiments.ts';
import { compareConfiguration, importFiles } from './import-files.ts';
import type { ImportReply, ImportRequest, ImportSeries, ImportTarget, SourceContents } from './import-protocol.ts';
import { ImportThreadFailed, runImportThread } from './import-thread.ts';
import { MomentReader } from './moments.ts';
import { findSource, fingerprintOf, readableDatabase, type SourceFolder, unpackArchive } from './source-folder.ts';
import { clusterTableNames, tablesWithoutPlace } from './source-tables.ts';
import { derivationName } from './verify-stored.ts';

export interface ImportOptions {
  readonly context: LeaderContext;
  readonly series: Pick<SeriesStore, 'ingest' | 'changes'>;
  readonly models: ModelCatalog;
  readonly diskSpace: Pick<DiskSpaceMonitor, 'level'>;
  readonly profiles: Pick<ProfileFiles, 'find' | 'create'>;
  readonly texts: TextReader;
  readonly config: () => IniView;
  readonly place: StorePlace;
}

/** What to import, and where it is. */
export interface ImportTask {
  readonly request: PioreactorImport;
  /** Path of the archive, and the name that people gave it. */
  readonly archive: { readonly path: string; readonly name: string } | undefined;
}

/** Free space that an import leaves for the leader. */
const reserveBytes = 256 * 1_048_576;
/** Bytes in this store for each byte of the source: its rows repeat names and times as text, ours do not, but have roll-ups and an index of logs. */
const growth = 1;
/** Units of one source: more are not names of units. */
const mostUnits = 1_000;

const derivation: Derivation = {
  key: 'pioreactor',
  name: derivationName,
  version: 'unknown',
  parameters: {},
};

const eventNames = ['dosing', 'led_change', 'automation', 'automation_settings'] as const;

const markSql = `insert into import_marks (experiment_id, table_name, row_id, row_count) values (?1, ?2, ?3, ?4)
  on conflict (experiment_id, table_name) do update
  set row_id = max(import_marks.row_id, excluded.row_id), row_count = import_marks.row_count + excluded.row_count`;

/** One import, from finding the source to the report. */
export class ImportRun {
  readonly #options: ImportOptions;
  readonly #task: TaskContext;
  readonly #request: PioreactorImport;
  readonly #units = new Set<string>();
  readonly #series: BatchSeries[] = [];
  readonly #moments: MomentReader;
  #contents: SourceContents = { tables: [], cluster: {}, beyond: {} };
  #plan: ExperimentPlan = { planned: [], skipped: [], isComplete: true };
  #targets: readonly ImportTarget[] = [];

  constructor(options: ImportOptions, request: PioreactorImport, task: TaskContext) {
    this.#options = options;
    this.#request = request;
    this.#task = task;
    // Clocks differ.
    this.#moments = new MomentReader(options.context.clock.now() + dayMs);
  }

  /** @throws ApiError import_source_invalid, import_failed, storage_full, or the reason of the signal */
  async run(archive: ImportTask['archive']): Promise<ImportReport> {
    const { context } = this.#options;
    const startedAt = context.clock.now();
    const workFolder = join(context.dataFolder, 'run', 'imports', this.#task.taskId);
    await rm(workFolder, { recursive: true, force: true });
    await mkdir(workFolder, { recursive: true, mode: 0o700 });
    try {
      this.#task.progress(0, 'Reading the source');
      const source = await this.#source(archive, join(workFolder, 'archive'));
      return await this.#import(source, workFolder, startedAt, archive?.name ?? this.#request.folder ?? '');
    } catch (error) {
      if (error instanceof ImportThreadFailed) {
        const isStored = this.#targets.length > 0 && this.#request.dry_run !== true;
        const cause = `Reading stopped (${firstLine(error.message)}).`;
        throw isStored ? new ApiError('import_failed', { cause }) : new ApiError('import_source_invalid', { cause });
      }
      throw error;
    } finally {
      await rm(workFolder, { recursive: true, force: true });
    }
  }

  #freeBytes(): number {
    return hostResources.freeDisk(this.#options.context.dataFolder) - reserveBytes;
  }

  async #source(archive: ImportTask['archive'], target: string): Promise<SourceFolder> {
    if (archive === undefined) return findSource(this.#request.folder ?? '');
    await mkdir(target, { mode: 0o700 });
    return unpackArchive(archive.path, target, { freeBytes: this.#freeBytes(), signal: this.#task.signal });
  }

  async #import(source: SourceFolder, workFolder: string, startedAt: number, shownSource: string) {
    const { context, profiles, texts, config, models, place } = this.#options;
    const { signal, taskId } = this.#task;
    const isDryRun = this.#request.dry_run === true;
    const before = await fingerprintOf(source);
    const database = await readableDatabase(source, workFolder, this.#freeBytes());
    if (!isDryRun && database.bytes * growth > this.#freeBytes()) throw new ApiError('storage_full', {});
    const { path: sourcePath, isImmutable } = database;
    const about = { leader: context.leader, nowMs: context.clock.now() };
    const done = await runImportThread(
      { ...about, sourcePath, isImmutable, place, isDryRun },
      { answer: (reply) => this.#answer(reply, isDryRun), signal, log: context.log },
    );
    this.#task.progress(0.9, 'Storing experiments and files');
    const cluster = await new ClusterImport({
      context,
      models,
      moments: this.#moments,
      contents: this.#contents,
      isDryRun,
      signal,
      targets: this.#targets,
      outcomes: done.experiments,
      planned: this.#plan.planned,
    }).run();
    const files = await importFiles(source, { context, profiles, texts, isDryRun, signal });
    const tables = [
      ...cluster,
      ...done.tables.map(({ storedValues, storedChecksum, skipped, ...table }) => ({
        ...table,
        skipped: [...skipped],
        stored_values: storedValues,
        stored_checksum: storedChecksum,
      })),
    ];
    const hasChanged = before !== (await fingerprintOf(source));
    const isEqual = tables.every(({ checksum, stored_checksum, fault }) => checksum === stored_checksum && !fault);
    const isVerified = isEqual && this.#plan.isComplete && !hasChanged;
    const rowsOf = new Map(done.experiments.map(({ sourceName, rows }) => [sourceName, rows]));
    const report: ImportReport = {
      import_id: taskId,
      source: shownSource,
      is_dry_run: isDryRun,
      is_verified: isDryRun ? null : isVerified,
      source_changed: hasChanged,
      started_at: toTimestamp(startedAt),
      ended_at: toTimestamp(context.clock.now()),
      experiments: [
        ...this.#plan.planned.map(({ sourceName, name, known }) => ({
          source_name: sourceName,
          experiment: name,
          reason: null,
          status: known === undefined ? ('new' as const) : ('known' as const),
          rows: rowsOf.get(sourceName) ?? 0,
        })),
        ...this.#plan.skipped,
      ],
      tables,
      other_tables: done.otherTables
        .filter(({ table }) => !clusterTableNames.includes(table))
        .map(({ table, rows }) => ({ table, rows, reason: tablesWithoutPlace.get(table) ?? 'no place for it here' })),
      files,
      configuration: await compareConfiguration(source, config()),
    };
    if (!isDryRun) await this.#logEnd(report);
    return report;
  }

  async #answer(reply: ImportReply, isDryRun: boolean): Promise<ImportRequest | undefined> {
    this.#task.signal.throwIfAborted();
    switch (reply.is) {
      case 'contents':
        return { is: 'targets', targets: await this.#targetsIn(reply.contents, isDryRun) };
      case 'unit':
        return { is: 'unit', isAccepted: this.#acceptsUnit(reply.unit) };
      case 'readings':
        await this.#storeReadings(reply);
        return { is: 'stored' };
      case 'records':
        await this.#expectSpace();
        await this.#options.context.database.bulk(reply.statements, { isDivisible: true });
        for (const uid of reply.experimentUids)
          for (const name of eventNames) this.#options.series.changes.note(uid, eventSource(name));
        return { is: 'stored' };
      case 'progress':
        this.#task.progress(reply.fraction, reply.message);
        return undefined;
      default:
        return undefined;
    }
  }

  async #targetsIn(contents: SourceContents, isDryRun: boolean): Promise<readonly ImportTarget[]> {
    const { context } = this.#options;
    const { experiments, on_conflict: onConflict = 'rename' } = this.#request;
    const there = new Set(contents.cluster.experiments?.map(({ experiment }) => experiment));
    if (contents.cluster.experiments === undefined)
      throw new ApiError('import_source_invalid', { cause: 'Its database has no table of experiments.' });
    const missing = experiments?.find((name) => !there.has(name));
    if (missing !== undefined)
      throw new ApiError('import_source_invalid', { cause: `Its database has no experiment '${missing}'.` });
    this.#contents = contents;
    const { signal } = this.#task;
    const options = { experiments, onConflict, signal };
    this.#plan = await planExperiments(context.database.read, contents, this.#moments, options);
    const targets: ImportTarget[] = [];
    for (const [index, plan] of this.#plan.planned.entries()) {
      const { sourceName, name } = plan;
      signal.throwIfAborted();
      targets.push(
        isDryRun ? { sourceName, name, id: 0, uid: `dry-run-${index}`, marks: [] } : await targetOf(context, plan),
      );
    }
    this.#targets = targets;
    return targets;
  }

  #acceptsUnit(unit: string): boolean {
    if (!validateUnitName(unit).ok || (this.#units.size >= mostUnits && !this.#units.has(unit))) return false;
    this.#units.add(unit);
    return true;
  }

  async #storeReadings({ newSeries, series, at, values, marks }: ImportReply & { readonly is: 'readings' }) {
    await this.#expectSpace();
    for (const key of newSeries) this.#series.push(batchSeries(key));
    // The places of the series of this batch, which are few of many.
    const places = new Map<number, number>();
    const used: BatchSeries[] = [];
    const readings = Array.from(series, (place, index) => {
      let position = places.get(place);
      if (position === undefined) {
        const key = this.#series[place];
        if (key === undefined) throw new RangeError(`Series ${place} was not announced.`);
        position = used.push(key) - 1;
        places.set(place, position);
      }
      return { series: position, at: at[index] ?? 0, value: values[index] ?? 0 };
    });
    const rows = marks.map(({ experimentId, table, rowId, rows: count }) => [experimentId, table, rowId, count]);
    const nowMs = Math.floor(this.#options.context.clock.now());
    await this.#options.series.ingest.write({ series: used, readings, also: [{ sql: markSql, rows }], nowMs });
  }

  async #expectSpace(): Promise<void> {
    this.#task.signal.throwIfAborted();
    if (this.#options.diskSpace.level === 'full') throw new ApiError('storage_full', {});
  }

  async #logEnd({ source, experiments, is_verified }: ImportReport): Promise<void> {
    const count = experiments.filter(({ experiment }) => experiment !== null).length;
    const result = is_verified
      ? 'Every row that was accepted is in the store.'
      : 'It is not complete: read its report.';
    await this.#options.context.change((_, effects) =>
      effects.logEvent({
        level: is_verified ? 'INFO' : 'WARNING',
        message: `Imported ${count} experiments from ${source}. ${result}`,
        task: 'import',
      }),
    );
  }
}

const batchSeries = ({ isDerived, ...key }: ImportSeries): BatchSeries => ({
  ...key,
  derivation: isDerived ? derivation : null,
});
