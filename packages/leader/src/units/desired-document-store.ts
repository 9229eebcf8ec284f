import type { Model } from '@lcs/contract';
import type { Clock } from '@lcs/platform';
import {
  type JobsOfExperiment,
  type LeaderDatabase,
  type LeaderTransaction,
  systemExperiment,
} from '../core/leader-context.ts';
import type { ModelCatalog } from '../models/model-catalog.ts';
import { workerNames } from '../queries/workers.ts';
import type { ReceivedReport } from './desired-client.ts';
import {
  isOrderedToStopMore,
  type KeptDesired,
  nextDesired,
  withoutStopOrders,
  withStopOrder,
} from './desired-document.ts';
import { keepDesired, storedDesired } from './desired-queries.ts';
import { readReport } from './desired-report.ts';
import { type StoredUnitFacts, storedUnitFacts, type UnitFacts } from './unit-facts.ts';

export interface DesiredDocumentStoreOptions {
  readonly leader: string;
  readonly leaderId: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly database: LeaderDatabase;
  readonly models: Pick<ModelCatalog, 'list'>;
  readonly sharedText: () => string;
  readonly hasPeople: () => boolean;
  readonly newId: () => string;
}

export interface StoredDocumentStatus {
  readonly unit: string;
  readonly version: number;
  readonly standing: string;
  /** 0: the unit has never reported. */
  readonly reportedVersion: number;
  /** Whether the unit had applied all of that version when it reported. */
  readonly isComplete: boolean;
}

interface UnitDocument {
  readonly unit: string;
  readonly document: KeptDesired;
}

/** The documents of all units, in the store. */
export class DesiredDocumentStore {
  readonly #options: DesiredDocumentStoreOptions;

  constructor(options: DesiredDocumentStoreOptions) {
    this.#options = options;
  }

  async all(): Promise<readonly StoredDocumentStatus[]> {
    const { database } = this.#options;
    const rows = await database.read
      .selectFrom('desired')
      .select(['reactor_unit', 'version', 'document', 'reported'])
      .execute();
    return rows.map(({ reactor_unit, version, document, reported }) => {
      const { standing }: KeptDesired['content'] = JSON.parse(document);
      const report = reported === null ? undefined : readReport(JSON.parse(reported));
      return {
        unit: reactor_unit,
        version,
        standing,
        reportedVersion: report?.version ?? 0,
        isComplete: report?.isComplete ?? false,
      };
    });
  }

  async workers(): Promise<readonly string[]> {
    return workerNames(this.#options.database.read);
  }

  async documentOf(unit: string): Promise<KeptDesired | undefined> {
    return (await storedDesired(this.#options.database.read, [unit])).get(unit);
  }

  /** Makes the documents again from the store. Units that have none and need none are left out. */
  async make(units: readonly string[]): Promise<readonly UnitDocument[]> {
    const { leader, leaderId, clock, database, models, newId, sharedText, hasPeople } = this.#options;
    if (units.length === 0) return [];
    const known = await models.list();
    const making = {
      leader,
      leaderId,
      newId,
      shared: sharedText(),
      now: Math.floor(clock.now()),
      hasPeople: hasPeople(),
    };
    return database.write(async (transaction) => {
      const facts = await storedUnitFacts(transaction, units);
      const kept = await storedDesired(transaction, units);
      const made: UnitDocument[] = [];
      for (const unit of units) {
        const previous = kept.get(unit);
        const stored = facts.get(unit);
        const document = nextDesired(
          previous,
          stored && withModel(stored, known),
          previous?.endedStops ?? new Set(),
          making,
        );
        if (!document) continue;
        if (document !== previous) await keepDesired(transaction, unit, document);
        made.push({ unit, document });
      }
      return made;
    });
  }

  /** Adds an order to the document of each of these units that has one. Nothing, for an experiment that nobody knows. */
  async orderStops(units: readonly string[], stop: JobsOfExperiment): Promise<readonly UnitDocument[]> {
    if (units.length === 0) return [];
    return this.#options.database.write((transaction) => this.orderStopsIn(transaction, units, stop));
  }

  /** The same, as a part of another change. */
  async orderStopsIn(
    transaction: LeaderTransaction,
    units: readonly string[],
    { experiment, ...jobs }: JobsOfExperiment,
  ): Promise<readonly UnitDocument[]> {
    const { clock, newId } = this.#options;
    const making = { newId, now: Math.floor(clock.now()) };
    const experimentUid = experiment === null ? null : await uidOf(transaction, experiment);
    if (experimentUid === undefined) return [];
    const kept = await storedDesired(transaction, units);
    return this.#keepChanged(transaction, kept, (each) => withStopOrder(each, { experimentUid, ...jobs }, making));
  }

  /** Drops the orders to stop this job. Returns the changed documents, and the units that still have an order to stop all jobs, or a group. */
  async beforeStart(
    units: readonly string[],
    { experiment, jobName }: JobsOfExperiment & { readonly jobName: string },
  ) {
    const { database } = this.#options;
    const all = [...(await storedDesired(database.read, units)).values()];
    if (all.every(({ content }) => content.stop.length === 0)) return { changed: [], ordered: [] };
    return database.write(async (transaction) => {
      const experimentUid = (experiment === null ? null : await uidOf(transaction, experiment)) ?? null;
      const kept = await storedDesired(transaction, units);
      const drop = (each: KeptDesired) => withoutStopOrders(each, { experimentUid, jobName });
      const changed = await this.#keepChanged(transaction, kept, drop);
      const ordered = [...kept].filter(([, each]) => isOrderedToStopMore(each, experimentUid)).map(([unit]) => unit);
      return { changed, ordered };
    });
  }

  async #keepChanged(
    transaction: LeaderTransaction,
    kept: ReadonlyMap<string, KeptDesired>,
    change: (kept: KeptDesired) => KeptDesired,
  ): Promise<readonly UnitDocument[]> {
    const changed: UnitDocument[] = [];
    for (const [unit, before] of kept) {
      const document = change(before);
      if (document === before) continue;
      await keepDesired(transaction, unit, document);
      changed.push({ unit, document });
    }
    return changed;
  }

  /** The unit has a later version than this store: the next version is above both. */
  async raise(unit: string, above: number): Promise<number> {
    return this.#options.database.write(async (transaction) => {
      const kept = (await storedDesired(transaction, [unit])).get(unit);
      if (!kept) return 0;
      const version = Math.max(kept.version, above) + 1;
      await keepDesired(transaction, unit, { version, content: kept.content });
      return version;
    });
  }

  /** Stores the report. Returns whether it has orders of the document that are carried out. */
  async keepReport(unit: string, report: ReceivedReport): Promise<{ readonly hasEndedStops: boolean }> {
    const { clock, database } = this.#options;
    const kept = (await storedDesired(database.read, [unit])).get(unit);
    const hasEndedStops = kept?.content.stop.some(({ stop_id }) => report.endedStops.has(stop_id)) ?? false;
    if (kept && kept.reported !== report.text) {
      await database.write(async (transaction) => {
        await transaction
          .updateTable('desired')
          .set({ reported: report.text, reported_at: Math.floor(clock.now()) })
          .where('reactor_unit', '=', unit)
          .execute();
      });
    }
    return { hasEndedStops };
  }
}

function withModel({ model_name, model_version, ...facts }: StoredUnitFacts, models: readonly Model[]): UnitFacts {
  const model = models.find((each) => each.model_name === model_name && each.model_version === model_version);
  return { ...facts, model: model ?? null };
}

/** As jobs have it; undefined when there is no such experiment. */
async function uidOf(transaction: LeaderTransaction, experiment: string): Promise<string | undefined> {
  if (experiment === systemExperiment) return systemExperiment;
  const row = await transaction
    .selectFrom('experiments')
    .where('name', '=', experiment)
    .where('deleting_at', 'is', null)
    .select('uid')
    .executeTakeFirst();
  return row?.uid;
}
