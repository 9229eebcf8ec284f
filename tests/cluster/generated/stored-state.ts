import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import {
  type PlainExperiment,
  type PlainHistory,
  type PlainState,
  type PlainWorker,
  withVersion,
} from './plain-state.ts';

type Row = Readonly<Record<string, unknown>>;
const text = (value: unknown): string => String(value);
const parsed = (value: unknown): unknown => (value === null ? null : JSON.parse(text(value)));

type Select = (sql: string, ...values: readonly number[]) => readonly Row[];

function experimentOf(of: (sql: string) => readonly Row[], row: Row): [string, PlainExperiment] {
  const notes = of('select * from experiment_notes where experiment_id = ? order by id').map(
    ({ id, kind, text: noteText, author, reactor_unit, volume_ml }) =>
      [Number(id), { kind, text: noteText, author, reactor_unit, volume_ml }] as const,
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

/** Histories of configuration files. They grow or go with their unit: what was read once is not read again meanwhile. */
class StoredConfigs {
  #lastId = 0;
  #histories: ReadonlyMap<string, PlainHistory> = new Map();

  read(of: Select): Map<string, PlainHistory> {
    const histories = this.#readAfter(of, this.#lastId, this.#histories);
    const counts = of('select filename, count(*) as n from config_histories group by filename');
    const isWhole =
      counts.length === histories.size &&
      counts.every(({ filename, n }) => histories.get(text(filename))?.versions === Number(n));
    this.#histories = isWhole ? histories : this.#readAfter(of, 0, new Map());
    return new Map(this.#histories);
  }

  #readAfter(of: Select, after: number, before: ReadonlyMap<string, PlainHistory>): Map<string, PlainHistory> {
    const histories = new Map(before);
    for (const row of of('select id, filename, data from config_histories where id > ? order by id', after)) {
      histories.set(text(row.filename), withVersion(histories.get(text(row.filename)), text(row.data)));
      this.#lastId = Number(row.id);
    }
    return histories;
  }
}

const workersSql = `select w.*, e.name as experiment from workers w left join assignments a using (reactor_unit)
  left join experiments e on e.id = a.experiment_id`;

const workerOf = ({ reactor_unit, is_active, model_name, experiment }: Row): [string, PlainWorker] => [
  text(reactor_unit),
  {
    active: Number(is_active) === 1 ? 1 : 0,
    model: model_name === null ? null : text(model_name),
    experiment: experiment === null ? null : text(experiment),
  },
];

async function profilesIn(dataFolder: string): Promise<Map<string, string>> {
  const folder = join(dataFolder, 'experiment_profiles');
  const names = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile());
  const texts = names.map(async ({ name }) => [name, await readFile(join(folder, name), 'utf8')] as const);
  return new Map(await Promise.all(texts));
}

/** Content of the leader's store and files, in the form of the plain model. */
export class StoredState {
  readonly database: DatabaseSync;
  readonly #dataFolder: string;
  readonly #statements = new Map<string, StatementSync>();
  #configs = new StoredConfigs();

  constructor(dataFolder: string) {
    this.#dataFolder = dataFolder;
    this.database = new DatabaseSync(join(dataFolder, 'storage/leader.sqlite'), { readOnly: true, timeout: 10_000 });
  }

  [Symbol.dispose](): void {
    this.database.close();
  }

  /** Reads what can have changed. */
  async read(): Promise<PlainState> {
    this.database.exec('begin');
    try {
      const experiments = this.#select('select * from experiments where deleting_at is null order by id');
      return {
        experiments: experiments.map((row) => experimentOf((sql) => this.#select(sql, Number(row.id)), row)),
        workers: new Map(this.#select(workersSql).map(workerOf)),
        configs: this.#configs.read((sql, ...values) => this.#select(sql, ...values)),
        profiles: await profilesIn(this.#dataFolder),
      };
    } finally {
      this.database.exec('commit');
    }
  }

  /** Reads everything, as if nothing had been read before. */
  readAnew(): Promise<PlainState> {
    this.#configs = new StoredConfigs();
    return this.read();
  }

  readonly #select: Select = (sql, ...values) => {
    const statement = this.#statements.get(sql) ?? this.database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement.all(...values);
  };
}
