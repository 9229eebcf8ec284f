import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import { jobMigrations, ZipFault, type ZipMember } from '@lcs/node';
import { type Clock, type Log, SqliteDatabase, taskMigrations } from '@lcs/platform';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import type { LeaderSchema } from '../core/leader-context.ts';
import { TouchedBuckets } from '../series/rollup-levels.ts';
import { leaderMigrations } from '../store/migrations.ts';
import { capsuleFiles, capsuleTables, tableFile } from './capsule-format.ts';
import { type CheckedCapsule, memberOf } from './check-capsule.ts';

export interface LoadOptions {
  readonly wire: Clock;
  readonly log: Log;
  /** Where the store is made; its folder exists. */
  readonly databasePath: string;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isValue = (value: unknown): value is SQLInputValue =>
  value === null || typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));

const unreadable = (path: string, error: unknown): ZipFault =>
  error instanceof ZipFault
    ? error
    : new ZipFault(
        'metadata_invalid',
        `${path} cannot be read (${error instanceof Error ? error.message : String(error)}).`,
      );

/** Inserts the rows of a table; a statement for each set of columns. */
async function loadTable(database: DatabaseSync, table: string, member: ZipMember): Promise<void> {
  const known = new Set(
    database
      .prepare(`pragma table_info(${table})`)
      .all()
      .map(({ name }) => String(name)),
  );
  const statements = new Map<string, StatementSync>();
  for await (const line of createInterface({ input: await member.open() })) {
    if (line === '') continue;
    const row: unknown = JSON.parse(line);
    if (!isObject(row)) throw new ZipFault('metadata_invalid', `A line of ${member.name} is not an object.`);
    const columns = Object.keys(row);
    const foreign = columns.find((column) => !known.has(column));
    if (foreign !== undefined)
      throw new ZipFault(
        'newer_version',
        `${member.name} has the unknown column '${foreign}': a newer version made it.`,
      );
    const values = Object.values(row);
    if (!values.every(isValue))
      throw new ZipFault('metadata_invalid', `A value of ${member.name} is not a text or number.`);
    const key = columns.join(',');
    const statement =
      statements.get(key) ??
      database.prepare(`insert into ${table} (${key}) values (${columns.map(() => '?').join(', ')})`);
    statements.set(key, statement);
    statement.run(...values);
  }
}

/** Rows of samples in memory. */
const rowsAtOnce = 20_000;

/** Inserts the readings with their flags, and computes their roll-ups. Returns their number. */
async function loadSamples(database: DatabaseSync, path: string): Promise<number> {
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  const rows = Number(metadata.num_rows);
  const series = new Set(
    database
      .prepare('select id from series')
      .all()
      .map(({ id }) => Number(id)),
  );
  const sample = database.prepare('insert into samples (series_id, at, value) values (?, ?, ?)');
  const flag = database.prepare('insert into sample_flags (series_id, at, flags, moved_from) values (?, ?, ?, ?)');
  const touched = new TouchedBuckets();
  for (let rowStart = 0; rowStart < rows; rowStart += rowsAtOnce) {
    const rowEnd = Math.min(rows, rowStart + rowsAtOnce);
    for (const row of await parquetReadObjects({ file, metadata, rowStart, rowEnd })) {
      const [id, at, value] = [Number(row.series), Number(row.timestamp), row.value];
      if (!series.has(id) || !Number.isSafeInteger(at) || typeof value !== 'number')
        throw new ZipFault(
          'metadata_invalid',
          `Row ${rowStart} or a later one of ${capsuleFiles.samples} is not a reading of a series.`,
        );
      sample.run(id, at, value);
      touched.add(id, at);
      if (row.flags != null)
        flag.run(id, at, Number(row.flags), row.moved_from == null ? null : Number(row.moved_from));
    }
  }
  for (const { sql, rows: buckets } of touched.statements('only_added')) {
    const statement = database.prepare(sql);
    for (const bucket of buckets) statement.run(...bucket);
  }
  return rows;
}

/**
 * Makes the store of a leader from a checked capsule. Returns the number of readings.
 * @throws ZipFault
 */
export async function loadCapsule(
  { files }: CheckedCapsule,
  { wire, log, databasePath }: LoadOptions,
): Promise<number> {
  const migrations = [...taskMigrations, ...jobMigrations, ...leaderMigrations];
  const store = new SqliteDatabase<LeaderSchema>({ path: databasePath, migrations, clock: wire, log });
  await store.start(new AbortController().signal);
  await store.stop();
  const samplesPath = `${databasePath}.samples.parquet`;
  const database = new DatabaseSync(databasePath);
  let path = '';
  try {
    database.exec('pragma synchronous = off; begin');
    for (const { name } of capsuleTables) {
      path = tableFile(name);
      await loadTable(database, name, memberOf(files, path));
    }
    path = capsuleFiles.samples;
    await pipeline(await memberOf(files, path).open(), createWriteStream(samplesPath, { flags: 'wx', mode: 0o600 }));
    const samples = await loadSamples(database, samplesPath);
    if (database.prepare('select id from experiments').all().length !== 1)
      throw new ZipFault('metadata_invalid', 'It does not contain exactly one experiment.');
    database.exec('commit');
    return samples;
  } catch (error) {
    throw unreadable(path, error);
  } finally {
    database.close();
    await rm(samplesPath, { force: true });
  }
}
