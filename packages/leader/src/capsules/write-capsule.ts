import { existsSync, readFileSync } from 'node:fs';
import type { SQLInputValue } from 'node:sqlite';
import { defaultWindowH, growthCurveVersion } from '@lcs/domain/growth-curves';
import { withHiddenSecrets } from '@lcs/platform/config-secrets';
import { openSqlReader, type SqlReader } from '@lcs/platform/sql-reader';
import { stringify } from 'yaml';
import { utcText } from '../datasets/rows/minute-text.ts';
import { SampleReader } from '../datasets/rows/series-cursors.ts';
import { Archive } from '../exports/archive.ts';
import { ParquetFile } from '../exports/parquet-file.ts';
import { provenanceOf } from '../exports/provenance.ts';
import { bitsOfFlags, defaultExcludedFlags } from '../growth-curves/default-excluded-flags.ts';
import { CurveReader } from '../growth-curves/read-curve.ts';
import { type GrowthQuestion, unitGrowth } from '../growth-curves/unit-growth.ts';
import { capsuleFiles, capsuleFormat, capsuleTables, tableFile } from './capsule-format.ts';
import type { CapsuleOrder, WrittenCapsule } from './capsule-protocol.ts';
import { type CrateFile, roCrate } from './ro-crate.ts';

const stored = { compressionLevel: 0 };
const compressed = { compressionLevel: 6 };

/** Rows of a series that are read at a time. */
const rowsPerBatch = 4_096;

const samplesColumns = {
  columns: [
    { name: 'series', kind: 'integer' },
    { name: 'timestamp', kind: 'text' },
    { name: 'value', kind: 'real' },
    { name: 'flags', kind: 'integer' },
    { name: 'moved_from', kind: 'integer' },
  ],
  timestamps: new Set(['timestamp']),
} as const;

const about = `This is a run capsule of the Leader Control Service: all data of one experiment.

${capsuleFiles.crate}      what the files are (RO-Crate 1.1)
${capsuleFiles.manifest}     SHA-256 of each file
${capsuleFiles.samples}       all readings: number of the series, time (UTC), value, flags (bits, see ${capsuleFiles.versions})
data/*.jsonl               the other records, one JSON object a line
calibrations/, configuration/, profiles/   the same as the instrument used them
${capsuleFiles.growth}   growth curves: fits, confidence intervals, generations
provenance.json            calibrations, filter parameters and flags of each series

lcs capsule verify FILE    checks hashes and structure, and computes growth rates again
lcs capsule open FILE      shows the charts
`;

/** A name as a part of a path. */
const fileName = (text: string): string => text.replaceAll(/[^\w.-]+/g, '_').replace(/^\.+/, '_') || '_';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

class CapsuleWriter {
  readonly #order: CapsuleOrder;
  readonly #database: SqlReader;
  readonly #archive: Archive;
  readonly #files: CrateFile[] = [];
  readonly #key: { readonly id: number; readonly uid: string };
  readonly #names = new Set<string>();

  constructor(order: CapsuleOrder, database: SqlReader, key: { readonly id: number; readonly uid: string }) {
    this.#order = order;
    this.#database = database;
    this.#key = key;
    this.#archive = new Archive(order.path, order.nowMs);
  }

  async write(progress: (fraction: number, message: string) => void): Promise<WrittenCapsule> {
    const { experiment, nowMs, version, license } = this.#order;
    const [row] = this.#all('select created_at, ended_at, description from main.experiments where id = ?1');
    const iso = (ms: unknown) => (typeof ms === 'number' ? new Date(ms).toISOString() : null);
    const [createdAt, endedAt] = [iso(row?.created_at) ?? '', iso(row?.ended_at)];
    const series = this.#all('select id, unit from main.series where experiment_uid = ?2 order by id');
    await this.#text('README.txt', about, 'text/plain', 'What this is');
    for (const table of capsuleTables) await this.#table(table);
    const ids = series.map(({ id }) => Number(id));
    await this.#samples(ids, (done) => progress(0.1 + 0.6 * done, 'Readings'));
    await this.#calibrations();
    await this.#profiles();
    await this.#configuration(Number(row?.created_at ?? 0), typeof row?.ended_at === 'number' ? row.ended_at : nowMs);
    const provenance = provenanceOf(this.#database, [experiment], version);
    await this.#json('provenance.json', provenance, 'Calibrations, filter parameters and flags of each series');
    progress(0.75, 'Growth curves');
    const growth = this.#growth([...new Set(series.map(({ unit }) => String(unit)))].sort());
    await this.#json(capsuleFiles.growth, growth, 'Growth curves of the units, by four fits');
    await this.#json(capsuleFiles.versions, this.#versions(), 'Versions of programs and methods');
    const facts = { experiment, createdAt, endedAt, version, license };
    const crate = roCrate({
      experiment,
      description: textOf(row?.description),
      createdAt,
      endedAt,
      madeAt: new Date(nowMs).toISOString(),
      softwareVersion: facts.version,
      license,
      files: this.#files,
    });
    const { sha256: ofCrate } = await this.#archive.text(capsuleFiles.crate, `${JSON.stringify(crate, null, 2)}\n`);
    const lines = [...this.#files.map(({ path, sha256 }) => `${sha256}  ${path}`), `${ofCrate}  ${capsuleFiles.crate}`];
    await this.#archive.text(capsuleFiles.manifest, `${lines.join('\n')}\n`);
    const { bytes, sha256 } = await this.#archive.close();
    progress(1, `${this.#files.length + 2} files`);
    return { bytes, sha256, files: this.#files.length + 2 };
  }

  async #table({ name, where, description }: (typeof capsuleTables)[number]): Promise<void> {
    const sql = `select * from main.${name} where ${where} order by 1 nulls first, 2 nulls first`;
    const rows = this.#database.prepare(sql).iterate(...this.#values(sql));
    function* lines(): Generator<Uint8Array> {
      for (const row of rows) yield Buffer.from(`${JSON.stringify(row)}\n`);
    }
    const written = await this.#archive.file(tableFile(name), lines(), compressed);
    this.#note(tableFile(name), written, 'application/jsonl', description);
  }

  async #samples(ids: readonly number[], progress: (done: number) => void): Promise<void> {
    const flagsOf = this.#database.prepare(
      'select at, flags, moved_from from main.sample_flags where series_id = ? order by at',
    );
    const samples = new SampleReader(this.#database, { order: 'ascending', batch: rowsPerBatch });
    const time = utcText();
    function* pieces(): Generator<Uint8Array> {
      const file = new ParquetFile(samplesColumns);
      for (const [index, id] of ids.entries()) {
        progress(index / ids.length);
        const cursor = samples.open(id);
        const flags = flagsOf.iterate(id);
        let flag = flags.next();
        while (cursor.next()) {
          while (!flag.done && Number(flag.value.at) < cursor.at) flag = flags.next();
          const found = !flag.done && Number(flag.value.at) === cursor.at ? flag.value : undefined;
          const marks = [found?.flags, found?.moved_from].map((mark) => (typeof mark === 'number' ? mark : null));
          if (file.add([id, time.of(cursor.at), cursor.value, ...marks])) yield file.take();
        }
        // The cursor of PostgreSQL is closed at the end of its rows.
        while (!flag.done) flag = flags.next();
      }
      yield file.finish();
    }
    const written = await this.#archive.file(capsuleFiles.samples, pieces(), stored);
    samples.close();
    this.#note(capsuleFiles.samples, written, 'application/vnd.apache.parquet', 'All readings with their flags');
  }

  async #calibrations(): Promise<void> {
    const rows = this.#all(
      `select reactor_unit, device, name, data from main.calibrations
      where reactor_unit in (select unit from main.series where experiment_uid = ?2) order by reactor_unit, device, name`,
    );
    for (const { reactor_unit, device, name, data } of rows) {
      const path = [
        'calibrations',
        ...[reactor_unit, device].map((part) => fileName(textOf(part))),
        fileName(textOf(name)),
      ];
      const text = stringify(JSON.parse(textOf(data)), { lineWidth: 0, flowCollectionPadding: false });
      await this.#text(`${path.join('/')}.yaml`, text, 'application/yaml', `Calibration of ${textOf(device)}`);
    }
  }

  async #profiles(): Promise<void> {
    const rows = this.#all(
      'select id, profile_filename, profile_text from main.profile_runs where experiment_id = ?1 order by id',
    );
    for (const { id, profile_filename, profile_text } of rows)
      await this.#text(
        `profiles/${Number(id)}-${fileName(textOf(profile_filename) || 'profile.yaml')}`,
        textOf(profile_text),
        'application/yaml',
        'Profile as it was run',
      );
  }

  /** Each configuration file as it was at the start, its later versions, and the shared file as it is now. Secrets are blanked. */
  async #configuration(startMs: number, endMs: number): Promise<void> {
    const rows = this.#database
      .prepare(
        `select at, filename, data from main.config_histories h where h.at <= ?2 and (h.at >= ?1 or h.id = (
          select max(e.id) from main.config_histories e where e.filename = h.filename and e.at < ?1))
        order by h.at, h.id`,
      )
      .all(startMs, endMs);
    const { sharedConfigPath } = this.#order;
    if (existsSync(sharedConfigPath)) {
      const shared = withHiddenSecrets(readFileSync(sharedConfigPath, 'utf8'));
      await this.#text(
        'configuration/config.ini',
        shared,
        'text/plain',
        'The shared configuration when this capsule was made',
      );
    }
    for (const { at, filename, data } of rows) {
      const moment = new Date(Number(at)).toISOString().replaceAll(/[:.]/g, '-');
      const path = `configuration/${moment}-${fileName(textOf(filename))}`;
      await this.#text(path, withHiddenSecrets(textOf(data)), 'text/plain', `${textOf(filename)}, saved at ${moment}`);
    }
  }

  #growth(units: readonly string[]) {
    const reader = new CurveReader(this.#database);
    const question = (unit: string): GrowthQuestion => ({
      experimentUid: this.#key.uid,
      unit,
      source: 'od',
      fromMs: null,
      toMs: null,
      excludeFlags: bitsOfFlags(defaultExcludedFlags),
      usualVolumeMl: this.#order.usualVolumeMl,
      windowH: defaultWindowH,
      leastOd: 0,
    });
    return {
      method_version: growthCurveVersion,
      units: units.flatMap((unit) => {
        const growth = unitGrowth(reader, question(unit));
        return growth === undefined ? [] : [{ question: question(unit), growth }];
      }),
    };
  }

  #versions() {
    const { version, usualVolumeMl, flagBits } = this.#order;
    const { node, v8, sqlite } = process.versions;
    return {
      capsule_format: capsuleFormat,
      software: { name: 'leader-control-service', version },
      runtime: { node, v8, sqlite, platform: process.platform, architecture: process.arch },
      growth_curves: { method_version: growthCurveVersion, seed: 'growth curve' },
      usual_volume_ml: usualVolumeMl,
      flags: flagBits,
    };
  }

  #all(sql: string) {
    return this.#database.prepare(sql).all(...this.#values(sql));
  }

  /** ID and UID of the experiment, as many as the statement has: ?1, ?2. */
  #values(sql: string): readonly SQLInputValue[] {
    const { id, uid } = this.#key;
    return sql.includes('?2') ? [id, uid] : [id];
  }

  #json(path: string, value: unknown, description: string): Promise<void> {
    return this.#text(path, `${JSON.stringify(value, null, 2)}\n`, 'application/json', description);
  }

  /** Names of people's files may become equal as parts of paths: the later one gets a number. */
  async #text(path: string, content: string, type: string, description: string): Promise<void> {
    let free = path;
    for (let number = 2; this.#names.has(free); number += 1) free = path.replace(/(\.\w+)?$/, `-${number}$1`);
    this.#names.add(free);
    this.#note(free, await this.#archive.text(free, content), type, description);
  }

  #note(path: string, { bytes, sha256 }: { bytes: number; sha256: string }, type: string, description: string): void {
    this.#files.push({ path, bytes, sha256, type, description });
  }
}

/** Writes the capsule of an experiment; undefined: the experiment does not exist any more. */
export async function writeCapsule(
  order: CapsuleOrder,
  progress: (fraction: number, message: string) => void,
): Promise<WrittenCapsule | undefined> {
  const database = openSqlReader(order.place, { timeoutMs: 15_000 });
  try {
    // All files show one moment.
    database.exec('begin');
    const found = database
      .prepare('select id, uid from main.experiments where name = ? and deleting_at is null')
      .get(order.experiment);
    if (found === undefined) return undefined;
    return await new CapsuleWriter(order, database, { id: Number(found.id), uid: String(found.uid) }).write(progress);
  } finally {
    database.close();
  }
}
