import { createHash } from 'node:crypto';
import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import type { ImportReport } from '@lcs/contract';
import { validateExperimentName, validateTags, validateUnitName } from '@lcs/domain';
import type { Effects, LeaderContext, LeaderTransaction } from '../core/leader-context.ts';
import { acceptedTags, replaceTags } from '../experiments/experiment-tags.ts';
import { type ModelCatalog, registeredModel } from '../models/model-catalog.ts';
import { experimentKey, experimentNamed, type LeaderReader, toExperiment } from '../queries/experiments.ts';
import { toWorker, workerNamed } from '../queries/workers.ts';
import { linesChecksum } from './checksums.ts';
import type { ClusterRow, ExperimentOutcome, ImportMark, ImportTarget, SourceContents } from './import-protocol.ts';
import type { MomentReader } from './moments.ts';
import { Skips } from './skips.ts';
import { mostClusterRows } from './source-database.ts';
import { type ClusterTable, faultColumn, unitColumn } from './source-tables.ts';

export type ReportedTable = ImportReport['tables'][number];
type ReportedExperiment = ImportReport['experiments'][number];

/** An experiment of the source that comes. */
export interface PlannedExperiment {
  readonly sourceName: string;
  readonly name: string;
  readonly createdAt: number;
  readonly description: string;
  readonly tags: readonly string[];
  readonly identity: string;
  /** It came with an earlier import. */
  readonly known: { readonly id: number; readonly uid: string } | undefined;
}

export interface ExperimentPlan {
  readonly planned: readonly PlannedExperiment[];
  readonly skipped: readonly ReportedExperiment[];
  /** Everything comes that was asked for. */
  readonly isComplete: boolean;
}

export interface PlanOptions {
  readonly experiments: readonly string[] | undefined;
  readonly onConflict: 'rename' | 'skip';
  readonly signal: AbortSignal;
}

/** Experiments between two turns of the event loop: some 10 ms. */
const plannedAtOnce = 100;

/** The same experiment of the other system at every import. */
const identityOf = (name: string, created: string): string =>
  createHash('sha256').update(`pioreactor\n${name}\n${created}`).digest('hex');

/** The name as this system accepts it; undefined: none is like it. */
function acceptedName(name: string): string | undefined {
  const replaced = name.replace(/[#$%+/\\?\p{Cc}\p{Zl}\p{Zp}]/gu, '-').slice(0, 180);
  for (const candidate of [name, replaced, `imported ${replaced}`]) {
    const validation = validateExperimentName(candidate);
    if (validation.ok) return validation.name;
  }
  return undefined;
}

const skipped = (sourceName: string, reason: string): ReportedExperiment => ({
  source_name: sourceName,
  experiment: null,
  status: 'skipped',
  reason,
  rows: 0,
});

/** Decides which experiments come, and under which names. Changes nothing. */
export async function planExperiments(
  read: LeaderReader,
  { cluster }: SourceContents,
  moments: MomentReader,
  { experiments: chosen, onConflict, signal }: PlanOptions,
): Promise<ExperimentPlan> {
  const planned: PlannedExperiment[] = [];
  const left: ReportedExperiment[] = [];
  const taken = new Set<string>();
  const tagsOf = Map.groupBy(cluster.tags ?? [], ({ experiment }) => experiment);
  let isComplete = (cluster.experiments ?? []).every(({ experiment }) => experiment != null);
  const rows = (cluster.experiments ?? []).flatMap(({ experiment, created_at, description }) => {
    const createdAt = created_at == null ? undefined : moments.read(created_at);
    return experiment == null ? [] : [{ experiment, created: created_at ?? '', createdAt, description }];
  });
  // The newest comes last, so that it is the latest of them.
  const byCreation = rows.toSorted((a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0));
  for (const [index, { experiment, created, createdAt, description }] of byCreation.entries()) {
    // The store answers at once: without a turn of the event loop no request is answered, and Cancel not received.
    if (index % plannedAtOnce === 0) await turnOfEventLoop();
    signal.throwIfAborted();
    if (chosen !== undefined && !chosen.includes(experiment)) {
      left.push(skipped(experiment, 'It was not chosen.'));
      continue;
    }
    if (createdAt === undefined) {
      isComplete = false;
      left.push(skipped(experiment, 'Its creation is not a time of the past.'));
      continue;
    }
    const identity = identityOf(experiment, created);
    const earlier = await earlierImport(read, identity);
    if (earlier?.deleting_at != null) {
      isComplete = false;
      left.push(skipped(experiment, 'An earlier import of it is being deleted. Import it again afterwards.'));
      continue;
    }
    const name = earlier?.name ?? (await freeName(read, experiment, taken, onConflict));
    if (name === undefined) {
      const isPossible = onConflict === 'skip' && acceptedName(experiment) !== undefined;
      isComplete &&= isPossible;
      const reason = isPossible ? 'An experiment of this name exists already.' : 'Its name is not possible here.';
      left.push(skipped(experiment, reason));
      continue;
    }
    taken.add(name);
    const tags = (tagsOf.get(experiment) ?? []).flatMap(({ tag }) => (tag && validateTags([tag]).ok ? [tag] : []));
    planned.push({
      sourceName: experiment,
      name,
      createdAt,
      description: description ?? '',
      identity,
      tags: validateTags(tags).ok ? acceptedTags(tags) : [],
      known: earlier && { id: earlier.experiment_id, uid: earlier.uid },
    });
  }
  return { planned, skipped: left, isComplete };
}

const earlierImport = (read: LeaderReader, identity: string) =>
  read
    .selectFrom('imported_experiments as i')
    .innerJoin('experiments as e', 'e.id', 'i.experiment_id')
    .where('i.identity', '=', identity)
    .select(['i.experiment_id', 'e.uid', 'e.name', 'e.deleting_at'])
    .executeTakeFirst();

async function freeName(
  read: LeaderReader,
  sourceName: string,
  taken: ReadonlySet<string>,
  onConflict: PlanOptions['onConflict'],
): Promise<string | undefined> {
  const name = acceptedName(sourceName);
  if (name === undefined) return undefined;
  for (let count = 0; ; count += 1) {
    const candidate = [name, `${name} (imported)`][count] ?? `${name} (imported ${count})`;
    const isTaken = taken.has(candidate) || (await experimentKey(read, candidate).executeTakeFirst()) !== undefined;
    if (!isTaken) return validateExperimentName(candidate).ok ? candidate : undefined;
    if (onConflict === 'skip') return undefined;
  }
}

/**
 * The place of a planned experiment, made if it is new. Imported experiments have ended; their numbers are lower than all others, so that the
 * latest experiment stays what people work on.
 */
export async function targetOf(context: LeaderContext, plan: PlannedExperiment): Promise<ImportTarget> {
  const { sourceName, name, known } = plan;
  const { id, uid } = known ?? (await created(context, plan));
  const marks = await context.database.read
    .selectFrom('import_marks')
    .where('experiment_id', '=', id)
    .select(['table_name', 'row_id', 'row_count'])
    .execute();
  const shown = marks.map(
    ({ table_name, row_id, row_count }): ImportMark => ({ table: table_name, rowId: row_id, rows: row_count }),
  );
  return { sourceName, name, id, uid, marks: shown };
}

async function created({ change, clock, newId }: LeaderContext, plan: PlannedExperiment) {
  const { name, createdAt, description, tags, identity } = plan;
  const uid = newId();
  const now = Math.floor(clock.now());
  return change(async (transaction, effects) => {
    // Rows of a deleted experiment keep its number: it must not get another owner.
    const lowestIds = [
      transaction.selectFrom('experiments').select(({ fn }) => fn.min('id').as('lowest')),
      transaction.selectFrom('assignment_history').select(({ fn }) => fn.min('experiment_id').as('lowest')),
      transaction.selectFrom('logs').select(({ fn }) => fn.min('experiment_id').as('lowest')),
    ];
    const lowest: number[] = [];
    for (const query of lowestIds) lowest.push(Number((await query.executeTakeFirstOrThrow()).lowest ?? 0));
    const any = await transaction
      .selectFrom('experiments as e')
      .leftJoin('imported_experiments as i', 'i.experiment_id', 'e.id')
      .where('i.experiment_id', 'is', null)
      .select('e.id')
      .limit(1)
      .executeTakeFirst();
    const values = { uid, name, created_at: createdAt, description, ended_at: createdAt };
    const { id } = await transaction
      .insertInto('experiments')
      .values(any === undefined ? values : { ...values, id: Math.min(0, ...lowest) - 1 })
      .returning('id')
      .executeTakeFirstOrThrow();
    await replaceTags(transaction, id, tags);
    await transaction
      .insertInto('imported_experiments')
      .values({ experiment_id: id, identity, imported_at: now })
      .execute();
    const experiment = await experimentNamed(transaction, name).executeTakeFirstOrThrow();
    effects.live('experiment', name, toExperiment(experiment, now));
    return { id, uid };
  });
}

interface ClusterOptions {
  readonly context: LeaderContext;
  readonly models: ModelCatalog;
  readonly moments: MomentReader;
  readonly contents: SourceContents;
  readonly targets: readonly ImportTarget[];
  readonly outcomes: readonly ExperimentOutcome[];
  readonly isDryRun: boolean;
  readonly planned: readonly PlannedExperiment[];
  readonly signal: AbortSignal;
}

/** A row of a small table as it is stored, as text. */
interface AcceptedRow {
  readonly line: string;
  /** People may have changed it here since an earlier import. */
  readonly mayDiffer: boolean;
  store(transaction: LeaderTransaction, effects: Effects): Promise<void>;
}

type Accept = (row: ClusterRow) => AcceptedRow | { readonly reason: string };

/** Imports workers, assignments and labels, closes the experiments, and reports the tables of the cluster. */
export class ClusterImport {
  readonly #options: ClusterOptions;
  readonly #targets: ReadonlyMap<string, ImportTarget>;
  readonly #endOf: ReadonlyMap<string, number | null>;
  /** Experiments of the source that came with an earlier import. */
  readonly #known: ReadonlySet<string>;

  constructor(options: ClusterOptions) {
    this.#options = options;
    this.#targets = new Map(options.targets.map((target) => [target.sourceName, target]));
    this.#known = new Set(options.planned.flatMap(({ sourceName, known }) => (known ? [sourceName] : [])));
    this.#endOf = new Map(options.outcomes.map(({ sourceName, lastAt }) => [sourceName, lastAt]));
  }

  /** @throws the reason of the signal */
  async run(): Promise<ReportedTable[]> {
    const { context, targets } = this.#options;
    await this.#endExperiments();
    const read = context.database.read;
    const ids = targets.map(({ id }) => id);
    const names = new Map(targets.map(({ id, sourceName }) => [id, sourceName]));
    const tables = [
      await this.#table(
        'workers',
        'workers',
        (row) => this.#worker(row),
        async () => {
          const rows = await read.selectFrom('workers').select(['reactor_unit']).execute();
          return rows.map(({ reactor_unit }) => JSON.stringify([reactor_unit]));
        },
      ),
      await this.#table(
        'experiment_worker_assignments_history',
        'assignments',
        (row) => this.#assignment(row),
        async () => {
          const rows = await read
            .selectFrom('assignment_history')
            .where('experiment_id', 'in', ids)
            .selectAll()
            .execute();
          return rows.map(({ experiment_id, reactor_unit, assigned_at, unassigned_at }) =>
            JSON.stringify([names.get(experiment_id), reactor_unit, assigned_at, unassigned_at]),
          );
        },
      ),
      await this.#table(
        'pioreactor_unit_labels',
        'labels',
        (row) => this.#label(row),
        async () => {
          const rows = await read.selectFrom('unit_labels').where('experiment_id', 'in', ids).selectAll().execute();
          return rows.map(({ experiment_id, reactor_unit, label, created_at }) =>
            JSON.stringify([names.get(experiment_id), reactor_unit, label, created_at]),
          );
        },
      ),
      await this.#table(
        'experiment_tags',
        'tags',
        (row) => this.#tag(row),
        async () => {
          const rows = await read.selectFrom('experiment_tags').where('experiment_id', 'in', ids).selectAll().execute();
          return rows.map(({ experiment_id, tag }) => JSON.stringify([names.get(experiment_id), tag.toLowerCase()]));
        },
      ),
      await this.#table(
        'experiments',
        'experiments',
        (row) => this.#experiment(row),
        async () => {
          const rows = await read.selectFrom('experiments').where('id', 'in', ids).selectAll().execute();
          return rows.map(({ id, created_at, description }) =>
            JSON.stringify([names.get(id), created_at, description]),
          );
        },
      ),
    ];
    return tables.flat();
  }

  async #endExperiments(): Promise<void> {
    const { context, targets, isDryRun, signal } = this.#options;
    if (isDryRun) return;
    for (const { id, name, sourceName } of targets) {
      signal.throwIfAborted();
      const lastAt = this.#endOf.get(sourceName);
      await context.change(async (transaction, effects) => {
        if (lastAt != null)
          await transaction
            .updateTable('experiments')
            .set({ ended_at: lastAt })
            .where('id', '=', id)
            .where('ended_at', '<', lastAt)
            .execute();
        const experiment = await experimentNamed(transaction, name).executeTakeFirst();
        if (experiment) effects.live('experiment', name, toExperiment(experiment, context.clock.now()));
      });
    }
  }

  /** Stores the accepted rows of a table in small transactions, then reads them back. */
  async #table(
    table: string,
    content: ClusterTable,
    accept: Accept,
    stored: () => Promise<string[]>,
  ): Promise<ReportedTable[]> {
    const { context, contents, isDryRun, signal } = this.#options;
    const rows = contents.cluster[content];
    if (rows === undefined) return [];
    const beyond = contents.beyond[content] ?? 0;
    const skips = new Skips();
    skips.add(`beyond the first ${mostClusterRows} rows`, beyond);
    const accepted = new Map<string, AcceptedRow>();
    for (const row of rows) {
      const fault = row[faultColumn];
      const outcome = fault == null ? accept(row) : { reason: fault };
      if ('reason' in outcome) skips.add(outcome.reason);
      else if (accepted.has(outcome.line)) skips.add('the same row again');
      else accepted.set(outcome.line, outcome);
    }
    const all = [...accepted.values()];
    for (let from = 0; !isDryRun && from < all.length; from += 200) {
      signal.throwIfAborted();
      await context.change(async (transaction, effects) => {
        for (const row of all.slice(from, from + 200)) await row.store(transaction, effects);
      });
    }
    signal.throwIfAborted();
    const isThere = isDryRun ? undefined : new Set(await stored());
    const kept = all.filter(({ line, mayDiffer }) => isThere !== undefined && mayDiffer && !isThere.has(line));
    skips.add('differs from here, kept', kept.length);
    for (const { line } of kept) accepted.delete(line);
    const lines = [...accepted.keys()];
    const found = isThere && lines.filter((line) => isThere.has(line));
    return [
      {
        table,
        rows: rows.length + beyond,
        imported: found?.length ?? lines.length,
        skipped: skips.list(),
        values: lines.length,
        checksum: linesChecksum(lines),
        stored_values: found?.length ?? null,
        stored_checksum: found ? linesChecksum(found) : null,
        fault: beyond > 0 ? `It has more than ${mostClusterRows} rows.` : null,
      },
    ];
  }

  #worker({ [unitColumn]: unit, added_at, model_name, model_version }: ClusterRow): ReturnType<Accept> {
    const { context, models, moments } = this.#options;
    const validation = validateUnitName(unit ?? '');
    if (!validation.ok) return { reason: 'not a name of a unit' };
    const { name } = validation;
    if (name === context.leader) return { reason: 'the name of this leader' };
    const added = (added_at && moments.read(added_at)) || Math.floor(context.clock.now());
    return {
      line: JSON.stringify([name]),
      mayDiffer: false,
      store: async (transaction, { afterCommit, live }) => {
        if (await workerNamed(transaction, name).executeTakeFirst()) return;
        const model =
          model_name && model_version
            ? await registeredModel(models, { model_name, model_version }).catch(() => undefined)
            : undefined;
        const worker = {
          reactor_unit: name,
          added_at: added,
          is_active: 0,
          model_name: model?.model_name ?? null,
          model_version: model?.model_version ?? null,
        };
        await transaction.insertInto('workers').values(worker).execute();
        live('worker', name, toWorker(worker));
        live('assignment', name, { reactor_unit: name, experiment: null, is_active: 0 });
        afterCommit(() => context.desired.refresh([name]));
      },
    };
  }

  #assignment({ [unitColumn]: unit, experiment, assigned_at, unassigned_at }: ClusterRow): ReturnType<Accept> {
    const { moments } = this.#options;
    const target = this.#targets.get(experiment ?? '');
    if (target === undefined) return { reason: 'of an experiment that is not imported' };
    if (!validateUnitName(unit ?? '').ok || unit == null) return { reason: 'not a name of a unit' };
    const assigned = assigned_at == null ? undefined : moments.read(assigned_at);
    if (assigned === undefined) return { reason: 'not a time of the past' };
    const ended = unassigned_at == null || unassigned_at === '' ? undefined : moments.read(unassigned_at);
    // Still assigned there: here the experiment has ended.
    const unassigned = Math.max(ended ?? this.#endOf.get(target.sourceName) ?? assigned, assigned);
    return {
      line: JSON.stringify([target.sourceName, unit, assigned, unassigned]),
      mayDiffer: this.#known.has(target.sourceName),
      store: async (transaction) => {
        const key = { reactor_unit: unit, experiment_id: target.id, assigned_at: assigned };
        const known = await transaction
          .selectFrom('assignment_history')
          .where('experiment_id', '=', target.id)
          .where('reactor_unit', '=', unit)
          .where('assigned_at', '=', assigned)
          .select('id')
          .executeTakeFirst();
        if (known)
          await transaction
            .updateTable('assignment_history')
            .set({ unassigned_at: unassigned })
            .where('id', '=', known.id)
            .execute();
        else
          await transaction
            .insertInto('assignment_history')
            .values({ ...key, experiment: target.name, unassigned_at: unassigned })
            .execute();
      },
    };
  }

  #label({ [unitColumn]: unit, experiment, label, created_at }: ClusterRow): ReturnType<Accept> {
    const { moments } = this.#options;
    const target = this.#targets.get(experiment ?? '');
    if (target === undefined) return { reason: 'of an experiment that is not imported' };
    if (unit == null || !validateUnitName(unit).ok) return { reason: 'not a name of a unit' };
    if (!label) return { reason: 'no label' };
    const created = created_at == null ? undefined : moments.read(created_at);
    if (created === undefined) return { reason: 'not a time of the past' };
    const values = { experiment_id: target.id, reactor_unit: unit, label, created_at: created };
    return {
      line: JSON.stringify([target.sourceName, unit, label, created]),
      mayDiffer: this.#known.has(target.sourceName),
      store: async (transaction) => {
        await transaction
          .insertInto('unit_labels')
          .values(values)
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      },
    };
  }

  #tag({ experiment, tag }: ClusterRow): ReturnType<Accept> {
    const target = this.#targets.get(experiment ?? '');
    if (target === undefined) return { reason: 'of an experiment that is not imported' };
    const validation = validateTags([tag ?? '']);
    const [accepted] = validation.ok ? validation.tags : [];
    if (accepted === undefined) return { reason: 'not possible as a tag here' };
    // They were stored with their experiment.
    return {
      line: JSON.stringify([target.sourceName, accepted.toLowerCase()]),
      mayDiffer: this.#known.has(target.sourceName),
      store: async () => {},
    };
  }

  #experiment({ experiment, created_at, description }: ClusterRow): ReturnType<Accept> {
    const target = this.#targets.get(experiment ?? '');
    if (target === undefined) return { reason: 'see the list of experiments' };
    const created = created_at == null ? undefined : this.#options.moments.read(created_at);
    return {
      line: JSON.stringify([target.sourceName, created, description ?? '']),
      mayDiffer: this.#known.has(target.sourceName),
      store: async () => {},
    };
  }
}
