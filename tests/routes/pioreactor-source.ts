import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** The schema of the other system's database, by the facts of its version 26.7.2; only names and types count here. */
const schema = (): string => {
  const at = 'experiment text not null, pioreactor_unit text not null, timestamp text not null';
  const readings = [
    ['od_readings', 'od_reading real not null, angle integer not null, channel integer not null'],
    ['raw_od_readings', 'od_reading real not null, channel integer not null'],
    ['od_readings_fused', 'od_reading real'],
    ['od_readings_filtered', 'normalized_od_reading real'],
    ['growth_rates', 'rate real'],
    ['temperature_readings', 'temperature_c real'],
    ['stirring_rates', 'measured_rpm real'],
    ['alt_media_fractions', 'alt_media_fraction real'],
    ['liquid_volumes', 'liquid_volume real'],
    ['ir_led_intensities', 'relative_intensity real'],
    ['od_blanks', 'channel text not null, angle integer not null, od_reading real not null'],
    ['pwm_dcs', 'channel_1 real, channel_2 real, channel_3 real, channel_4 real, channel_5 real'],
    ['dosing_events', 'event text not null, volume_change_ml real not null, source_of_event text'],
    ['led_change_events', 'channel text, intensity real, source_of_event text'],
    ['logs', 'message text not null, source text not null, level text, task text'],
    ['kalman_filter_outputs', 'state text, covariance_matrix text'],
    ...['dosing', 'led', 'temperature'].map((kind) => [
      `${kind}_automation_events`,
      'event_name text not null, message text, data text',
    ]),
  ];
  const settings = 'started_at text not null, ended_at text, automation_name text not null, settings blob not null';
  return `
    create table experiments (experiment text not null unique, created_at text not null, description text);
    create table experiment_tags (experiment text, tag text, created_at text not null, primary key (experiment, tag));
    create table workers (pioreactor_unit text not null unique, added_at text not null, model_name text,
      model_version text, is_active integer not null default 1);
    create table experiment_worker_assignments (pioreactor_unit text unique, experiment text, assigned_at text);
    create table experiment_worker_assignments_history (pioreactor_unit text, experiment text, assigned_at text not null,
      unassigned_at text);
    create table pioreactor_unit_labels (experiment text, pioreactor_unit text, label text not null, created_at text);
    create table config_files_histories (timestamp text, filename text, data text);
    create table experiment_profile_runs (started_at text not null, experiment_profile_name text, experiment text);
    ${readings.map(([table, columns]) => `create table ${table} (${at}, ${columns});`).join('\n')}
    ${['dosing', 'led', 'temperature']
      .map(
        (kind) =>
          `create table ${kind}_automation_settings (experiment text not null, pioreactor_unit text not null, ${settings});`,
      )
      .join('\n')}
    create view latest_experiment as select * from experiments order by rowid desc limit 1;`;
};

export type Value = string | number | null;

/** A folder of the other system. */
export interface PioreactorSource {
  readonly folder: string;
  readonly databasePath: string;
  insert(table: string, ...rows: readonly (readonly Value[])[]): void;
  exec(sql: string): void;
  write(file: string, text: string): Promise<void>;
}

export async function pioreactorSource(folder: string): Promise<PioreactorSource> {
  const databasePath = join(folder, 'storage', 'pioreactor.sqlite');
  await mkdir(dirname(databasePath), { recursive: true });
  const change = (work: (database: DatabaseSync) => void) => {
    const database = new DatabaseSync(databasePath);
    database.exec('begin');
    work(database);
    database.exec('commit');
    database.close();
  };
  change((database) => database.exec(schema()));
  return {
    folder,
    databasePath,
    exec: (sql) => change((database) => database.exec(sql)),
    insert: (table, ...rows) =>
      change((database) => {
        for (const row of rows)
          database.prepare(`insert into ${table} values (${row.map(() => '?').join(', ')})`).run(...row);
      }),
    write: async (file, text) => {
      const path = join(folder, file);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    },
  };
}

/** Content and time of each file below a folder. */
export async function stateOfFolder(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true });
  const files = await Promise.all(
    names.toSorted().map(async (name) => {
      const { mtimeMs, size } = await stat(join(folder, name));
      const isFile = (await stat(join(folder, name))).isFile();
      const hash = isFile
        ? createHash('sha256')
            .update(await readFile(join(folder, name)))
            .digest('hex')
        : 'folder';
      return `${name} ${mtimeMs} ${size} ${hash}`;
    }),
  );
  return files;
}
