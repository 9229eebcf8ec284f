import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { PlainExperiment, PlainState } from './plain-state.ts';

type Row = Readonly<Record<string, unknown>>;
const text = (value: unknown): string => String(value);
const parsed = (value: unknown): unknown => (value === null ? null : JSON.parse(text(value)));

function experimentOf(of: (sql: string) => readonly Row[], row: Row): [string, PlainExperiment] {
  const notes = of('select * from experiment_notes where experiment_id = ? order by id').map(
    ({ id, kind, text: said, author, reactor_unit, volume_ml }) =>
      [Number(id), { kind, text: said, author, reactor_unit, volume_ml }] as const,
  );
  const [charts] = of('select * from chart_preferences where experiment_id = ?');
  const versions = of('select groups from replicate_group_versions where experiment_id = ? order by id');
  const history = of('select distinct reactor_unit from assignment_history where experiment_id = ? order by 1');
  const labels = of('select reactor_unit, label from unit_labels where experiment_id = ?');
  return [
    text(row.name),
    {
      description: text(row.description),
      tags: of('select tag from experiment_tags where experiment_id = ? order by position').map(({ tag }) => text(tag)),
      labels: new Map(labels.map(({ reactor_unit, label }) => [text(reactor_unit), text(label)])),
      overview: parsed(charts?.overview_chart_keys ?? null),
      reactor: parsed(charts?.reactor_chart_keys ?? null),
      history: history.map(({ reactor_unit }) => text(reactor_unit)),
      hasEnded: row.ended_at !== null,
      isArchived: row.archived_at !== null,
      groups: versions.map(({ groups }) => parsed(groups) as readonly unknown[]),
      notes: Object.fromEntries(notes) as PlainExperiment['notes'],
    },
  ];
}

function configsOf(database: DatabaseSync): Map<string, string[]> {
  const configs = new Map<string, string[]>();
  for (const { filename, data } of database.prepare('select filename, data from config_histories order by id').all())
    configs.set(text(filename), [...(configs.get(text(filename)) ?? []), text(data)]);
  return configs;
}

async function profilesIn(dataFolder: string): Promise<Map<string, string>> {
  const folder = join(dataFolder, 'experiment_profiles');
  const names = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile());
  const texts = names.map(async ({ name }) => [name, await readFile(join(folder, name), 'utf8')] as const);
  return new Map(await Promise.all(texts));
}

export const openLeaderStore = (dataFolder: string) =>
  new DatabaseSync(join(dataFolder, 'storage/leader.sqlite'), { readOnly: true, timeout: 10_000 });

/** What is in the leader's store and files, in the words of the plain model. */
export async function storedState(dataFolder: string, database: DatabaseSync): Promise<PlainState> {
  database.exec('begin');
  try {
    const experiments = database.prepare('select * from experiments where deleting_at is null order by id').all();
    const workers = database
      .prepare(
        'select w.*, e.name as experiment from workers w left join assignments a using (reactor_unit) left join experiments e on e.id = a.experiment_id',
      )
      .all();
    return {
      experiments: experiments.map((row) => experimentOf((sql) => database.prepare(sql).all(Number(row.id)), row)),
      workers: new Map(
        workers.map(({ reactor_unit, is_active, model_name, experiment }) => [
          text(reactor_unit),
          {
            active: Number(is_active) === 1 ? 1 : 0,
            model: model_name === null ? null : text(model_name),
            experiment: experiment === null ? null : text(experiment),
          },
        ]),
      ),
      configs: configsOf(database),
      profiles: await profilesIn(dataFolder),
    };
  } finally {
    database.exec('commit');
  }
}
