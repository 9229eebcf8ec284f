import type { Json } from '@lcs/contract';
import type { Cancel, Clock, Database, Log, Migration, Service } from '@lcs/platform';
import type { JobMemory } from '../jobs/shared/job-memory.ts';

export interface JobMemoryTables {
  job_memory: {
    experiment_uid: string;
    key: string;
    /** JSON. */
    value: string;
    /** Grows with each time that something is written: the memory last written has the highest. */
    turn: number;
  };
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
  {
    set: 'job_memory',
    id: 2,
    name: 'which memory is the oldest',
    up: 'alter table job_memory add column turn integer not null default 0;',
  },
];

export interface DurableJobMemoryOptions {
  readonly database: Pick<Database<JobMemoryTables>, 'read' | 'bulk'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Values that were not flushed and are newer than this may be missing after a power cut. */
const writeEveryMs = 10_000;

/** A return to an older experiment than these starts without memory, as on another unit. */
const mostExperiments = 20;

const put = `insert into job_memory (experiment_uid, key, value, turn) values (?, ?, ?, ?)
  on conflict (experiment_uid, key) do update set value = excluded.value, turn = excluded.turn`;
const forget = 'delete from job_memory where experiment_uid = ? and key = ?';
const forgetExperiment = 'delete from job_memory where experiment_uid = ?';

type Place = readonly [experimentUid: string, key: string];
const nameOf = (...place: Place): string => JSON.stringify(place);

/**
 * The jobs' memory in the unit's own database: readable at once, on disk after some seconds or after `flush`. It keeps the
 * newest experiments.
 */
export class DurableJobMemory implements JobMemory, Service {
  readonly name = "jobs' memory";
  readonly #options: DurableJobMemoryOptions;
  /** By experiment and key; the experiment used last is the last. */
  readonly #memories = new Map<string, Map<string, Json>>();
  readonly #unsaved = new Map<string, Place>();
  #turn = 0;
  /** Never rejects. */
  #saving: Promise<void> = Promise.resolve();
  #cancel: Cancel = () => {};

  constructor(options: DurableJobMemoryOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { database, clock } = this.#options;
    const rows = await database.read.selectFrom('job_memory').selectAll().orderBy('turn').execute();
    for (const { experiment_uid, key, value, turn } of rows) {
      this.#put(experiment_uid, key, JSON.parse(value));
      this.#turn = turn;
    }
    this.#cancel = clock.every(writeEveryMs, () => void this.#saveQuietly());
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#saveQuietly();
  }

  /** All writes so far are on disk when it resolves. @throws StoreError; the write is retried */
  flush(): Promise<void> {
    return this.#save({ durable: true });
  }

  read(experimentUid: string, key: string): Json | undefined {
    const memory = this.#memories.get(experimentUid);
    if (memory === undefined) return undefined;
    this.#usedNow(experimentUid, memory);
    return memory.get(key);
  }

  write(experimentUid: string, key: string, value: Json): void {
    if (value === null) this.#memories.get(experimentUid)?.delete(key);
    else this.#put(experimentUid, key, value);
    this.#unsaved.set(nameOf(experimentUid, key), [experimentUid, key]);
  }

  #put(experimentUid: string, key: string, value: Json): void {
    const memory = this.#memories.get(experimentUid) ?? new Map<string, Json>();
    memory.set(key, value);
    this.#usedNow(experimentUid, memory);
  }

  #usedNow(experimentUid: string, memory: Map<string, Json>): void {
    this.#memories.delete(experimentUid);
    this.#memories.set(experimentUid, memory);
  }

  /** Forgets all but the newest experiments; returns those it forgot. */
  #forgetOldest(): readonly string[] {
    const oldest = [...this.#memories.keys()].slice(0, -mostExperiments);
    for (const experimentUid of oldest) this.#memories.delete(experimentUid);
    return oldest;
  }

  async #saveQuietly(): Promise<void> {
    try {
      await this.#save({});
    } catch (error) {
      this.#options.log.error('The memory of the jobs could not be written', { error });
    }
  }

  /** After the write under way, which may contain the values of this call. */
  #save(how: { readonly durable?: true }): Promise<void> {
    const saved = this.#saving.then(() => this.#write(how));
    // This keeps the order only; the caller receives the outcome.
    this.#saving = saved.catch(() => {});
    return saved;
  }

  async #write(how: { readonly durable?: true }): Promise<void> {
    const places = [...this.#unsaved];
    if (places.length === 0) return;
    this.#unsaved.clear();
    this.#turn += 1;
    const oldest = this.#forgetOldest();
    const valueAt = ([experimentUid, key]: Place) => this.#memories.get(experimentUid)?.get(key);
    const kept = places.flatMap(([, place]) => {
      const value = valueAt(place);
      return value === undefined ? [] : [[...place, JSON.stringify(value), this.#turn]];
    });
    const removed = places.flatMap(([, place]) => (valueAt(place) === undefined ? [[...place]] : []));
    try {
      await this.#options.database.bulk(
        [
          { sql: put, rows: kept },
          { sql: forget, rows: removed },
          { sql: forgetExperiment, rows: oldest.map((experimentUid) => [experimentUid]) },
        ],
        how,
      );
    } catch (error) {
      for (const [name, place] of places) this.#unsaved.set(name, place);
      throw error;
    }
  }
}
