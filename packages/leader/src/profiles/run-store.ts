import {
  type HistoryQuery,
  isObject,
  type Json,
  type PreflightReport,
  type ProfileRun,
  type ProfileRunBeginning,
} from '@lcs/contract';
import { type ItemOutcome, itemKey, itemOutcomes, type ProfileItem, type SettledItem } from '@lcs/domain';
import { type EndedJobs, PendingRecords } from '@lcs/node';
import { toTimestamp } from '@lcs/platform';

import { type LeaderContext, type LeaderDatabase, type LeaderTransaction, noLimit } from '../core/leader-context.ts';
import type { LeaderReader } from '../queries/experiments.ts';
import type { RunPosition } from './run-time.ts';

export type RunOutcome = NonNullable<ProfileRun['outcome']>;

/** Identifies an item of a run. */
export type StoredKey = Pick<SettledItem, 'unit' | 'path' | 'iteration'>;

/** A jump to a later time of the run. */
export interface StoredSkip {
  /** What was due before this time of the run is skipped, in milliseconds. */
  readonly toMs: number;
  /** Name of the person or program that requested it; null: nobody had an account. */
  readonly by: string | null;
}

/** The part of a run that controls change. */
export interface RunState extends RunPosition {
  /** It is paused until a person answers about this missed action. */
  readonly asksAbout: StoredKey | undefined;
  readonly skipped: StoredSkip | undefined;
}

/** What a person, or the run itself, has changed of its course. */
const runChanges = ['paused', 'resumed', 'skipped', 'asked'] as const;
export interface RunChange {
  readonly kind: (typeof runChanges)[number];
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly account: string | null;
  /** Of the skipped or asked item. */
  readonly item?: StoredKey;
}

/** A stored run. */
export interface StoredRun extends RunState {
  readonly id: number;
  readonly uid: string;
  readonly experiment: { readonly id: number; readonly uid: string; readonly name: string };
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly profileName: string;
  readonly filename: string;
  readonly text: string;
  readonly isDryRun: boolean;
  readonly commonUnits: readonly string[];
  readonly ownUnits: readonly string[];
  readonly firstJobId: number;
  /** Name of the person or program that began it; null: nobody had an account. */
  readonly startedBy: string | null;
  readonly isStopping: boolean;
}

const newState: RunState & Pick<StoredRun, 'isStopping'> = {
  isStopping: false,
  pausedForMs: 0,
  pausedAfterMs: undefined,
  asksAbout: undefined,
  skipped: undefined,
};

/** An action that was about to take effect, with the values of its expressions. */
interface EvaluatedItem extends StoredKey {
  readonly values: Json;
}

/** What a run has done. */
export interface StoredItems {
  readonly settled: readonly SettledItem[];
  readonly evaluated: readonly EvaluatedItem[];
  /** Of a run that a version before 26.12 has begun: its settled steps, by their number. */
  readonly numbered: readonly number[];
}

export const noItems: StoredItems = { settled: [], evaluated: [], numbered: [] };

export interface Settlement {
  readonly outcome: ItemOutcome;
  readonly settledMs: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly reason?: string | undefined;
}

const knownOutcome = (text: string | null): ItemOutcome | undefined => itemOutcomes.find((outcome) => outcome === text);

const outcomes: readonly RunOutcome[] = ['finished', 'stopped', 'failed'];

const allRuns = (database: LeaderReader) =>
  database
    .selectFrom('profile_runs as r')
    .innerJoin('experiments as e', 'e.id', 'r.experiment_id')
    .where('e.deleting_at', 'is', null)
    .selectAll('r')
    .select(({ selectFrom }) =>
      selectFrom('profile_items as i')
        .whereRef('i.run_id', '=', 'r.id')
        .where('i.outcome', '=', 'failed')
        .select(({ fn }) => fn.countAll<number>().as('failed'))
        .as('failed_actions'),
    );

const runsOf = (database: LeaderReader, experiment: string) => allRuns(database).where('e.name', '=', experiment);

/** A run as it is stored; undefined: the experiment has no such run. */
export const storedRun = (database: LeaderReader, experiment: string, uid: string) =>
  runsOf(database, experiment).where('r.uid', '=', uid).executeTakeFirst();

type RunRow = NonNullable<Awaited<ReturnType<typeof storedRun>>>;

export const profileRun = (row: RunRow, experiment: string): ProfileRun => ({
  run_id: row.uid,
  started_at: toTimestamp(row.started_at),
  experiment,
  experiment_profile_name: row.experiment_profile_name,
  profile_filename: row.profile_filename,
  dry_run: row.is_dry_run === 1,
  ended_at: row.ended_at === null ? null : toTimestamp(row.ended_at),
  outcome: outcomes.find((known) => known === row.outcome) ?? null,
  started_by: row.started_by,
  failed_actions: row.failed_actions ?? 0,
});

/** The runs in all experiments, newest first. */
export async function newestRuns(
  database: LeaderReader,
  { skip = 0, limit = noLimit }: HistoryQuery,
): Promise<ProfileRun[]> {
  const rows = await allRuns(database)
    .select('e.name as experiment')
    .orderBy('r.started_at', 'desc')
    .orderBy('r.id', 'desc')
    .limit(limit)
    .offset(skip)
    .execute();
  return rows.map(({ experiment, ...row }) => profileRun(row, experiment));
}

/** The runs in an experiment, newest first. An unknown experiment has none. */
export async function profileRuns(
  database: LeaderReader,
  experiment: string,
  { skip = 0, limit = noLimit }: HistoryQuery,
): Promise<ProfileRun[]> {
  const rows = await runsOf(database, experiment)
    .orderBy('r.started_at', 'desc')
    .orderBy('r.id', 'desc')
    .limit(limit)
    .offset(skip)
    .execute();
  return rows.map((row) => profileRun(row, experiment));
}

export const unitsIn = (json: string): readonly string[] => {
  const units: unknown = JSON.parse(json);
  return Array.isArray(units) ? units.filter((unit) => typeof unit === 'string') : [];
};

/** The key of an item, from its JSON. */
export function storedKey(json: string): StoredKey | undefined {
  const value: Json = JSON.parse(json);
  if (!isObject(value)) return undefined;
  const { unit, path, iteration } = value;
  return typeof unit === 'string' && typeof path === 'string' && typeof iteration === 'number'
    ? { unit, path, iteration }
    : undefined;
}

/** Runs of an experiment that are kept when they have ended. */
const keptRuns = 1_000;

/** Deletes the oldest ended runs above the limit. */
async function removeOldRuns(transaction: LeaderTransaction, experiment: number): Promise<void> {
  const tooOld = transaction
    .selectFrom('profile_runs')
    .where('experiment_id', '=', experiment)
    .where('ended_at', 'is not', null)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .select('id')
    .limit(noLimit)
    .offset(keptRuns - 1);
  await transaction.deleteFrom('profile_runs').where('id', 'in', tooOld).execute();
}

export interface RunStoreOptions {
  readonly context: Pick<LeaderContext, 'database' | 'log' | 'wire'>;
  /** IDs of runs that were stopped while the database could not record it. */
  readonly stoppedRuns: EndedJobs;
}

/**
 * The stored runs, which continue after a restart. A full disk must not end a run: a change that cannot be stored
 * is effective and retried, and a run that was stopped meanwhile is recorded in a file of its own. After a restart the units detect
 * repeated commands by their keys.
 */
export class RunStore {
  readonly #database: LeaderDatabase;
  readonly #stoppedRuns: EndedJobs;
  readonly #records: PendingRecords;
  #changes = 0;

  constructor({ context: { database, log, wire }, stoppedRuns }: RunStoreOptions) {
    this.#database = database;
    this.#stoppedRuns = stoppedRuns;
    this.#records = new PendingRecords({ wire, log, endedJobs: stoppedRuns });
  }

  /** Retries pending writes a last time. */
  stop(): Promise<void> {
    return this.#records.stop();
  }

  /** `preflight`: the check before the start; absent: none was made. @throws Error when it cannot be written */
  async begin(
    run: Omit<StoredRun, 'id' | keyof typeof newState>,
    beganWith: ProfileRunBeginning,
    preflight?: PreflightReport,
  ): Promise<StoredRun> {
    const { id } = await this.#database.write(async (transaction) => {
      await removeOldRuns(transaction, run.experiment.id);
      return transaction
        .insertInto('profile_runs')
        .values({
          uid: run.uid,
          experiment_id: run.experiment.id,
          started_at: run.startedAt,
          experiment_profile_name: run.profileName,
          profile_filename: run.filename,
          profile_text: run.text,
          is_dry_run: run.isDryRun ? 1 : 0,
          common_units: JSON.stringify(run.commonUnits),
          own_units: JSON.stringify(run.ownUnits),
          first_job_id: run.firstJobId,
          started_by: run.startedBy,
          began_with: JSON.stringify(beganWith),
          preflight: preflight === undefined ? null : JSON.stringify(preflight),
          stopping_at: null,
          ended_at: null,
          outcome: null,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
    });
    return { ...run, ...newState, id };
  }

  /** Runs that have not ended, of existing experiments, oldest first. Call it once, at the start. */
  async open(): Promise<readonly StoredRun[]> {
    const stopped = await this.#stoppedRuns.load();
    const rows = await this.#database.read
      .selectFrom('profile_runs as r')
      .innerJoin('experiments as e', 'e.id', 'r.experiment_id')
      .where('r.ended_at', 'is', null)
      .where('e.deleting_at', 'is', null)
      .orderBy('r.id')
      .selectAll('r')
      .select(['e.name', 'e.uid as experiment_uid', 'e.ended_at as experiment_ended_at'])
      .execute();
    await this.#stoppedRuns.remove(stopped.filter((id) => !rows.some((row) => row.id === id)));
    return rows.map((row) => ({
      id: row.id,
      uid: row.uid,
      experiment: { id: row.experiment_id, uid: row.experiment_uid, name: row.name },
      startedAt: row.started_at,
      profileName: row.experiment_profile_name,
      filename: row.profile_filename,
      text: row.profile_text,
      isDryRun: row.is_dry_run === 1,
      commonUnits: unitsIn(row.common_units),
      ownUnits: unitsIn(row.own_units),
      firstJobId: row.first_job_id,
      startedBy: row.started_by,
      // An experiment that has ended has no runs.
      isStopping: row.stopping_at !== null || row.experiment_ended_at !== null || stopped.includes(row.id),
      pausedForMs: row.paused_for,
      pausedAfterMs: row.paused_after ?? undefined,
      asksAbout: row.asks_about === null ? undefined : storedKey(row.asks_about),
      skipped: row.skipped_to === null ? undefined : { toMs: row.skipped_to, by: row.skipped_by },
    }));
  }

  /** What the run has done so far. */
  async items(runId: number): Promise<StoredItems> {
    const rows = await this.#database.read
      .selectFrom('profile_items')
      .where('run_id', '=', runId)
      .select(['reactor_unit', 'path', 'iteration', 'outcome', 'settled_ms', 'evaluated'])
      .execute();
    const numbered = await this.#database.read
      .selectFrom('profile_steps')
      .where('run_id', '=', runId)
      .select(['position', 'outcome'])
      .execute();
    return {
      settled: rows.flatMap(({ reactor_unit: unit, path, iteration, settled_ms, ...row }) => {
        const outcome = knownOutcome(row.outcome);
        return outcome === undefined || settled_ms === null
          ? []
          : [{ unit, path, iteration, outcome, settledMs: settled_ms }];
      }),
      evaluated: rows.flatMap(({ reactor_unit: unit, path, iteration, outcome, evaluated }) => {
        if (outcome !== null || evaluated === null) return [];
        const values: Json = JSON.parse(evaluated);
        return [{ unit, path, iteration, values }];
      }),
      numbered: numbered.map(({ position }) => position),
    };
  }

  /** The action takes effect with these values of its expressions, also after a restart. Never rejects, like those below. */
  begun(runId: number, item: ProfileItem, values: Json, at: number): Promise<void> {
    const { unit: reactor_unit, path, iteration } = item;
    return this.#recordItem(runId, item, (transaction) =>
      transaction
        .insertInto('profile_items')
        .values({
          run_id: runId,
          reactor_unit,
          path,
          iteration,
          at,
          planned_ms: Math.round(item.atMs),
          settled_ms: null,
          outcome: null,
          evaluated: JSON.stringify(values),
          reason: null,
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute(),
    );
  }

  settle(runId: number, item: ProfileItem, { outcome, settledMs, reason, at }: Settlement): Promise<void> {
    const { unit: reactor_unit, path, iteration } = item;
    const settlement = { settled_ms: settledMs, outcome, reason: reason ?? null, at };
    const key = { run_id: runId, reactor_unit, path, iteration };
    return this.#recordItem(runId, item, (transaction) =>
      transaction
        .insertInto('profile_items')
        .values({ ...key, planned_ms: Math.round(item.atMs), evaluated: null, ...settlement })
        .onConflict((conflict) =>
          conflict.columns(['run_id', 'reactor_unit', 'path', 'iteration']).doUpdateSet(settlement),
        )
        .execute(),
    );
  }

  /** How the run is controlled from now on. */
  save(runId: number, { pausedForMs, pausedAfterMs, asksAbout, skipped }: RunState): Promise<void> {
    const change = {
      paused_for: Math.round(pausedForMs),
      paused_after: pausedAfterMs ?? null,
      asks_about: asksAbout === undefined ? null : JSON.stringify(asksAbout),
      skipped_to: skipped === undefined ? null : Math.round(skipped.toMs),
      skipped_by: skipped?.by ?? null,
    };
    return this.#record(runId, 'state', (transaction) =>
      transaction.updateTable('profile_runs').set(change).where('id', '=', runId).execute(),
    );
  }

  /** The same, with the change to be listed in the record of the run. */
  async changed(runId: number, state: RunState, { kind, at, account, item }: RunChange): Promise<void> {
    this.#changes += 1;
    const listed = this.#record(runId, `change ${this.#changes}`, async (transaction) => {
      const run = await transaction.selectFrom('profile_runs').select('id').where('id', '=', runId).executeTakeFirst();
      if (run === undefined) return;
      const values = { run_id: runId, kind, at, account, item: item === undefined ? null : JSON.stringify(item) };
      await transaction.insertInto('profile_changes').values(values).execute();
    });
    await Promise.all([this.save(runId, state), listed]);
  }

  stopping(runId: number, at: number): Promise<void> {
    return this.#record(
      runId,
      'stop',
      (transaction) =>
        transaction.updateTable('profile_runs').set({ stopping_at: at }).where('id', '=', runId).execute(),
      [runId],
    );
  }

  end(runId: number, outcome: RunOutcome, at: number): Promise<void> {
    return this.#record(
      runId,
      'end',
      (transaction) =>
        transaction
          .updateTable('profile_runs')
          .set({ ended_at: at, outcome })
          .where('id', '=', runId)
          .where('ended_at', 'is', null)
          .execute(),
      // The jobs of a finished run continue: the next start of the leader does not stop them.
      outcome === 'finished' ? [] : [runId],
    );
  }

  /** Does nothing when the experiment and its run are deleted. */
  #recordItem(
    runId: number,
    item: ProfileItem,
    write: (transaction: LeaderTransaction) => Promise<unknown>,
  ): Promise<void> {
    return this.#record(runId, `${item.unit} ${itemKey(item)}`, async (transaction) => {
      const run = await transaction.selectFrom('profile_runs').select('id').where('id', '=', runId).executeTakeFirst();
      if (run !== undefined) await write(transaction);
    });
  }

  async #record(
    run: number,
    what: string,
    work: (transaction: LeaderTransaction) => Promise<unknown>,
    ends: readonly number[] = [],
  ): Promise<void> {
    const write = async () => void (await this.#database.write(work));
    await this.#records.record({ key: `profile run ${run}: ${what}`, ends, write });
  }
}
