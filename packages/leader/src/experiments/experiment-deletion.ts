import { type AcceptedTask, ApiError } from '@lcs/contract';
import type { Service, TaskContext, TaskKind } from '@lcs/platform';
import { sql } from 'kysely';
import { freeWorkers } from '../assignments/free-workers.ts';
import type { Effects, LeaderContext, LeaderTransaction } from '../core/leader-context.ts';
import { acceptedTask } from '../core/tasks.ts';
import { experimentKey } from '../queries/experiments.ts';
import type { ExperimentData } from '../series/experiment-data.ts';
import { databaseSpace } from './database-space.ts';
import { largeTables, removeSomeRows, rowsToRemove } from './remove-rows.ts';
import { type StopOutcome, stopBeforeDeletion } from './stop-before-deletion.ts';

/** The input of the task. The name is not a key: it may be in use again. */
type DeletionInput = { readonly experiment_id: number; readonly experiment: string };

const kindName = 'delete_experiment';

/** Readings and events of an experiment in all stores. */
type RemovableData = Pick<ExperimentData, 'count' | 'remove'>;

/** Clears the retained messages under a filter for which `matches` returns true. */
export type ClearRetained = (filter: string, matches: (topic: string) => boolean) => void;

/** Further changes for an experiment that is deleted: in the transaction of the mark. */
export type OnMarked = (transaction: LeaderTransaction, effects: Effects, experimentId: number) => Promise<void>;

const deletionMessage = (experiment: string, stop: StopOutcome | undefined): string => {
  const deleted = `Deleted experiment ${experiment}.`;
  if (stop?.is === 'unknown') return `${deleted} Not all units confirmed in time that its jobs have stopped.`;
  if (!stop || stop.failed.length === 0) return deleted;
  return `${deleted} Units that did not stop its jobs: ${stop.failed.join(', ')}.`;
};

/**
 * Deletes experiments in two steps. The first is one change: the experiment is marked and does not exist from then on, its workers are free,
 * its name is free, and the task is recorded. The second is the task, which removes the rows
 * in small transactions and continues after a restart.
 */
export class ExperimentDeletion implements Service {
  readonly name = 'experiment deletion';
  /** Register it before the tasks start. */
  readonly kind: TaskKind<DeletionInput>;
  readonly #context: LeaderContext;
  readonly #data: RemovableData;
  readonly #onMarked: OnMarked;
  readonly #clearRetained: ClearRetained;
  /** Requests to stop, sent at once, even if the task waits for another deletion. By experiment ID. */
  readonly #stops = new Map<number, Promise<StopOutcome>>();
  #ending = new AbortController();

  constructor(
    context: LeaderContext,
    data: RemovableData,
    onMarked: OnMarked = async () => {},
    clearRetained: ClearRetained = () => {},
  ) {
    this.#clearRetained = clearRetained;
    this.#context = context;
    this.#data = data;
    this.#onMarked = onMarked;
    this.kind = {
      kind: kindName,
      lock: 'delete-experiment-lock',
      resumable: true,
      run: (input, task) => this.#run(input, task),
    };
  }

  /** Continues deletions whose task has failed or was cancelled. The tasks must be running. */
  async start(): Promise<void> {
    this.#ending = new AbortController();
    const { database, tasks } = this.#context;
    const forgotten = await database.read
      .selectFrom('experiments as e')
      .where('e.deleting_at', 'is not', null)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('tasks as t')
              .select('t.seq')
              .where('t.kind', '=', kindName)
              .where('t.finished_at_ms', 'is', null)
              .where(sql`cast(json_extract(t.input, '$.experiment_id') as integer)`, '=', sql.ref('e.id')),
          ),
        ),
      )
      .orderBy('e.id')
      .select(['e.id as experiment_id', 'e.name as experiment'])
      .execute();
    for (const input of forgotten) await tasks.submit(this.kind, { ...input });
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await Promise.all(this.#stops.values());
  }

  /** The experiment does not exist any more when this resolves; its rows are deleted later. @throws ApiError experiment_not_found */
  async begin(name: string): Promise<AcceptedTask> {
    const { change, clock, leader, tasks } = this.#context;
    const now = clock.now();
    return change(async (transaction, effects) => {
      const experiment = await experimentKey(transaction, name).executeTakeFirst();
      if (!experiment) throw new ApiError('experiment_not_found', { experiment: name });
      const { id } = experiment;
      await transaction.updateTable('experiments').set({ deleting_at: now }).where('id', '=', id).execute();
      await rememberDeleted(transaction, id);
      await this.#onMarked(transaction, effects, id);
      await freeWorkers(this.#context, transaction, effects, id, now);
      // The task takes its lock when it begins: nothing must be released when this change fails.
      const task = tasks.prepare(this.kind, { experiment_id: id, experiment: name });
      await task.insert(transaction);
      effects.live('experiment_deleted', name, { experiment: name });
      effects.afterCommit(() => {
        this.#stops.set(id, stopBeforeDeletion(this.#context, name, this.#ending.signal));
        task.begin();
      });
      return acceptedTask(leader, task.taskId);
    });
  }

  async #run({ experiment_id: id, experiment }: DeletionInput, task: TaskContext) {
    task.progress(null, 'Stopping the jobs of the experiment');
    const stop = await this.#stopped(id, experiment, task.signal);
    await this.#clearTopics(experiment);
    await this.#removeRows(id, task);
    const msg = deletionMessage(experiment, stop);
    await this.#removeExperiment(id, msg);
    return { result: true, experiment, database_space: { ...(await databaseSpace(this.#context.database.read)) }, msg };
  }

  /** After a restart the request is sent again, unless it would stop the jobs of a new experiment of the same name. */
  async #stopped(id: number, experiment: string, signal: AbortSignal): Promise<StopOutcome | undefined> {
    const sent = this.#stops.get(id);
    if (sent) {
      const outcome = await sent;
      this.#stops.delete(id);
      return outcome;
    }
    const namesake = await experimentKey(this.#context.database.read, experiment).executeTakeFirst();
    return namesake ? undefined : stopBeforeDeletion(this.#context, experiment, signal);
  }

  /**
   * Retained messages of the units would appear as those of the next experiment with the same name. Units that have already joined it have
   * cleared theirs, and have published new ones since.
   */
  async #clearTopics(experiment: string): Promise<void> {
    const inNamesake = await this.#context.database.read
      .selectFrom('assignments as a')
      .innerJoin('experiments as e', 'e.id', 'a.experiment_id')
      .where('e.name', '=', experiment)
      .where('e.deleting_at', 'is', null)
      .select('a.reactor_unit')
      .execute();
    const kept = new Set(inNamesake.map(({ reactor_unit }) => reactor_unit));
    this.#clearRetained(`reactor/+/${experiment}/#`, (topic) => !kept.has(topic.split('/')[1] ?? ''));
  }

  async #removeRows(id: number, task: TaskContext): Promise<void> {
    const { database } = this.#context;
    const uid = await database.write((transaction) => rememberDeleted(transaction, id));
    if (uid === undefined) return;
    const few = await rowsToRemove(database.read, id);
    const total = few === undefined ? undefined : few + (await this.#data.count(uid));
    let removed = 0;
    const count = (rows: number) => {
      removed += rows;
      task.progress(total ? Math.min(1, removed / total) : null, `${removed} rows removed`);
    };
    await this.#data.remove(uid, task.signal, count);
    for (const large of largeTables) {
      let batch: number;
      do {
        task.signal.throwIfAborted();
        batch = await database.write(async (transaction) => {
          const { numAffectedRows = 0n } = await removeSomeRows(large, id).execute(transaction);
          return Number(numAffectedRows);
        });
        count(batch);
      } while (batch > 0);
    }
  }

  /** The last step: the marked experiment and its dependent rows. A task that was interrupted after it finds nothing to do. */
  async #removeExperiment(id: number, message: string): Promise<void> {
    await this.#context.change(async (transaction, effects) => {
      const { numDeletedRows } = await transaction
        .deleteFrom('experiments')
        .where('id', '=', id)
        .where('deleting_at', 'is not', null)
        .executeTakeFirstOrThrow();
      if (numDeletedRows > 0n) await effects.logEvent({ level: 'INFO', message, task: kindName });
    });
  }
}

/**
 * Keeps the uid of a deleted experiment for ever: records that units still send for it are dropped instead of counting as readings of an
 * unknown experiment. Returns the uid; undefined when the experiment does not exist.
 */
async function rememberDeleted(transaction: LeaderTransaction, id: number): Promise<string | undefined> {
  await sql`insert into deleted_experiments (uid, name, deleted_at)
    select uid, name, deleting_at from experiments where id = ${id} and deleting_at is not null
    on conflict do nothing`.execute(transaction);
  const experiment = await transaction.selectFrom('experiments').where('id', '=', id).select('uid').executeTakeFirst();
  return experiment?.uid;
}
