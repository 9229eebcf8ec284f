import type { Json } from '@lcs/contract';
import type { Cancel, Clock, Database, Living, Log, Migration } from '@lcs/platform';
import type { JobMemory } from '../jobs/shared/job-memory.ts';

export interface JobMemoryTables {
  job_memory: { experiment_uid: string; key: string /** JSON. */; value: string };
}

export const jobMemoryMigrations: readonly Migration[] = [
  {
    set: 'job_memory',
    id: 1,
    name: 'what jobs keep between runs',
    up: `
      create table job_memory (
        experiment_uid text not null,
        key text not null,
        value text not null,
        primary key (experiment_uid, key)
      ) strict, without rowid;
    `,
  },
];

export interface DurableJobMemoryOptions {
  readonly database: Pick<Database<JobMemoryTables>, 'read' | 'bulk'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** What is newer than this on disk may be missing after a power cut. */
const writeEveryMs = 10_000;

const put = `insert into job_memory (experiment_uid, key, value) values (?, ?, ?)
  on conflict (experiment_uid, key) do update set value = excluded.value`;
const forget = 'delete from job_memory where experiment_uid = ? and key = ?';

type Place = readonly [experimentUid: string, key: string];
const nameOf = (...place: Place): string => JSON.stringify(place);

/** The jobs' memory in the unit's own database: at hand at once, on disk some seconds later. */
export class DurableJobMemory implements JobMemory, Living {
  readonly name = "jobs' memory";
  readonly #options: DurableJobMemoryOptions;
  readonly #values = new Map<string, Json>();
  readonly #unsaved = new Map<string, Place>();
  #cancel: Cancel = () => {};

  constructor(options: DurableJobMemoryOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { database, clock } = this.#options;
    for (const { experiment_uid, key, value } of await database.read.selectFrom('job_memory').selectAll().execute()) {
      this.#values.set(nameOf(experiment_uid, key), JSON.parse(value));
    }
    this.#cancel = clock.every(writeEveryMs, () => void this.#save());
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#save();
  }

  read(experimentUid: string, key: string): Json | undefined {
    return this.#values.get(nameOf(experimentUid, key));
  }

  write(experimentUid: string, key: string, value: Json): void {
    const name = nameOf(experimentUid, key);
    if (value === null) this.#values.delete(name);
    else this.#values.set(name, value);
    this.#unsaved.set(name, [experimentUid, key]);
  }

  async #save(): Promise<void> {
    const places = [...this.#unsaved];
    if (places.length === 0) return;
    this.#unsaved.clear();
    const kept = places.flatMap(([name, place]) => {
      const value = this.#values.get(name);
      return value === undefined ? [] : [[...place, JSON.stringify(value)]];
    });
    const gone = places.flatMap(([name, place]) => (this.#values.has(name) ? [] : [[...place]]));
    try {
      await this.#options.database.bulk([
        { sql: put, rows: kept },
        { sql: forget, rows: gone },
      ]);
    } catch (error) {
      this.#options.log.error('What jobs keep between runs could not be written', { error });
      for (const [name, place] of places) this.#unsaved.set(name, place);
    }
  }
}
