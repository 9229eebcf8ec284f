import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openSqlReader, type SqlReader } from '@lcs/platform/sql-reader';
import { FolderStorage } from '../sealed/folder-storage.ts';
import { openStorage } from '../sealed/open-storage.ts';
import { SealedFile, type SealedRow } from '../sealed/sealed-file.ts';
import { ArchiveFileMissing } from '../sealed/storage.ts';
import type { SealedSeriesSummary, SealOrder, VerifyOrder, WrittenFile } from './archive-protocol.ts';
import { RowsHash, SealedFileWriter, type SealedSeriesCells } from './sealed-file-writer.ts';

const seriesSql = `select s.id, ifnull(e.name, s.experiment_uid) as experiment, s.unit, s.source, s.channel, s.angle,
    d.name as derivation
  from series s
  left join experiments e on e.uid = s.experiment_uid
  left join derivations d on d.id = s.derivation_id
  where s.experiment_uid = ? order by s.source, s.unit, s.id`;

const rowsSql = `select x.at, x.value, x.era, f.flags, f.moved_from from samples x
  left join sample_flags f on f.series_id = x.series_id and f.at = x.at
  where x.series_id = ? and x.at >= ? and x.at < ? order by x.at`;

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const numberOrNull = (value: unknown): number | null => (typeof value === 'number' ? value : null);

function seriesOf(database: SqlReader, experimentUid: string): SealedSeriesCells[] {
  return database
    .prepare(seriesSql)
    .all(experimentUid)
    .map(({ id, experiment, unit, source, channel, angle, derivation }) => ({
      id: Number(id),
      experiment: String(experiment),
      unit: String(unit),
      source: String(source),
      channel: textOrNull(channel),
      angle: numberOrNull(angle),
      derivation: textOrNull(derivation),
    }));
}

/** Writes the file from one snapshot of the store. */
function writeFile(order: SealOrder, path: string) {
  const { store, fromMs, toMs, experimentUid } = order;
  const database = openSqlReader(store, { timeoutMs: 15_000 });
  const writer = new SealedFileWriter(path, order);
  try {
    database.exec('begin');
    const rows = database.prepare(rowsSql);
    for (const series of seriesOf(database, experimentUid)) writer.addSeries(series, sealedRows(series.id));
    function* sealedRows(id: number): Generator<SealedRow, void, undefined> {
      for (const { at, value, era, flags, moved_from } of rows.iterate(id, fromMs, toMs))
        yield {
          at: Number(at),
          value: Number(value),
          era: numberOrNull(era),
          flags: Number(flags ?? 0),
          movedFrom: numberOrNull(moved_from),
        };
    }
    return { ...writer.finish(), rowsHash: writer.rowsHash.digest(), series: writer.summaries };
  } finally {
    database.close();
  }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece);
  return hash.digest('hex');
}

/** Reads a whole file that was fetched to this machine. */
async function contentOf(folder: string, name: string, bytes: number) {
  const file = await SealedFile.open(new FolderStorage(folder), name, bytes);
  const rowsHash = new RowsHash();
  const found = new Map<number, SealedSeriesSummary>();
  for (const group of file.groups) {
    const { seriesId } = group;
    const rows = await file.rows(group);
    const before = found.get(seriesId);
    let { min, max } = before ?? { min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY };
    for (const row of rows) {
      rowsHash.add(seriesId, row);
      min = Math.min(min, row.value);
      max = Math.max(max, row.value);
    }
    const firstAt = before?.firstAt ?? group.firstAt;
    found.set(seriesId, { seriesId, rows: (before?.rows ?? 0) + rows.length, firstAt, lastAt: group.lastAt, min, max });
  }
  return { rowsHash: rowsHash.digest(), series: [...found.values()] };
}

/**
 * Writes what an experiment has of a month into a file, puts that into its place, fetches it from there and compares each row with the
 * store. Undefined: there is nothing.
 * @throws Error when the file is not what was written
 */
export async function sealFile(order: SealOrder): Promise<WrittenFile | undefined> {
  const { place, file, workFolder, experimentUid } = order;
  const name = `${order.month}-${experimentUid}`;
  const [writtenName, fetchedName] = [`${name}.written`, `${name}.fetched`];
  const [written, fetched] = [join(workFolder, writtenName), join(workFolder, fetchedName)];
  try {
    const { rowsHash, ...found } = writeFile(order, written);
    if (found.rows === 0) return undefined;
    const storage = await openStorage(place);
    await storage.put(file, written, found.sha256);
    await storage.fetchTo(file, fetched);
    if ((await hashOf(fetched)) !== found.sha256)
      throw new Error(`${file} in ${place} has other bytes than were written.`);
    const content = await contentOf(workFolder, fetchedName, found.bytes);
    if (content.rowsHash !== rowsHash) throw new Error(`${file} in ${place} has other rows than the store.`);
    return found;
  } finally {
    await rm(written, { force: true });
    await rm(fetched, { force: true });
  }
}

const keyOf = ({ seriesId, rows, firstAt, lastAt, min, max }: SealedSeriesSummary): string =>
  JSON.stringify([seriesId, rows, firstAt, lastAt, min, max]);

/** Reads a whole file and compares it with the manifest. Returns what is wrong. */
export async function verifyFile({ key, series, workFolder }: VerifyOrder): Promise<string | undefined> {
  const name = `${key.sha256}.verified`;
  const path = join(workFolder, name);
  try {
    const storage = await openStorage(key.place);
    await storage.fetchTo(key.file, path);
    if ((await hashOf(path)) !== key.sha256) return 'Its bytes are not those that were sealed (SHA-256).';
    const content = await contentOf(workFolder, name, key.bytes);
    const found = new Set(content.series.map(keyOf));
    return series.every((one) => found.has(keyOf(one))) ? undefined : 'Its series are not those of the manifest.';
  } catch (error) {
    if (error instanceof ArchiveFileMissing) return 'It is missing.';
    throw error;
  } finally {
    await rm(path, { force: true });
  }
}
