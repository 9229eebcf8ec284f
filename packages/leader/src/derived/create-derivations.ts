import { ApiError, type derivationRoutes, type Handlers, hourMs, timeSeriesDefaults } from '@lcs/contract';
import { bioreactorSettings, settingOrDefault } from '@lcs/domain';
import type { IniView, TaskKind } from '@lcs/platform';
import type { Archive } from '../archive/archive.ts';
import type { LeaderContext, LeaderDatabase } from '../core/leader-context.ts';
import { acceptedTask } from '../core/tasks.ts';
import { experimentKey } from '../queries/experiments.ts';
import type { ExperimentData } from '../series/experiment-data.ts';
import type { SeriesStore } from '../series/series-store.ts';
import { DerivedSeriesStore } from './derived-series-store.ts';
import { flaggedSpans } from './flagged-spans.ts';
import { GrowthRecomputation, unitsWith } from './growth-recomputation.ts';

export interface DerivationsOptions {
  readonly context: LeaderContext;
  readonly series: Pick<SeriesStore, 'ids' | 'changes' | 'ingest' | 'read'>;
  readonly data: Pick<ExperimentData, 'removeSeries'>;
  readonly config: () => IniView;
  readonly archive: Pick<Archive, 'monthsOf'>;
}

type RemovalInput = { readonly experiment_uid: string; readonly derivation: number };

const removalTask = (store: DerivedSeriesStore): TaskKind<RemovalInput> => ({
  kind: 'remove_growth_rates',
  lock: 'recompute-growth-lock',
  resumable: true,
  run: async ({ experiment_uid, derivation }, task) => ({
    derivation,
    removed: await store.remove(experiment_uid, derivation, task.signal),
  }),
});

/** @throws ApiError experiment_not_found */
async function expectUid(database: LeaderDatabase, experiment: string): Promise<string> {
  const found = await experimentKey(database.read, experiment).select('uid').executeTakeFirst();
  if (found === undefined) throw new ApiError('experiment_not_found', { experiment });
  return found.uid;
}

/** The flags of the readings of the last hours. */
const flagsHandler =
  (
    { clock, database }: LeaderContext,
    reader: SeriesStore['read'],
  ): Handlers<typeof derivationRoutes>['listSampleFlags'] =>
  async ({ params, query }) => {
    const { lookback = timeSeriesDefaults.lookbackHours, source, reactor_unit: unit } = query;
    const toMs = clock.now();
    const body = await flaggedSpans(reader, {
      experimentUid: await expectUid(database, params.experiment),
      fromMs: Math.floor(toMs - lookback * hourMs),
      toMs,
      ...(source === undefined ? {} : { source }),
      ...(unit === undefined ? {} : { unit }),
    });
    return { status: 200, body };
  };

/** Recomputed growth rates, the active ones, and flags of readings. Registers its tasks. */
export function createDerivations({ context, series, data, config, archive }: DerivationsOptions): {
  readonly handlers: Handlers<typeof derivationRoutes>;
} {
  const { database, tasks, leader, newId } = context;
  const store = new DerivedSeriesStore({ database, ids: series.ids, changes: series.changes, data });
  const { initialVolume } = bioreactorSettings;
  const volumeOf = (): number => settingOrDefault(config(), initialVolume) || initialVolume.absent;
  const recomputation = new GrowthRecomputation({ context, series, store, usualVolumeMl: volumeOf });
  const removal = removalTask(store);
  tasks.register(recomputation.kind);
  tasks.register(removal);

  const uidOf = (experiment: string) => expectUid(database, experiment);

  const handlers: Handlers<typeof derivationRoutes> = {
    listGrowthDerivations: async ({ params }) => ({
      status: 200,
      body: await store.list(await uidOf(params.experiment)),
    }),
    recomputeGrowth: async ({ params, body }) => {
      const { parameters = {}, input = 'od', units = null, exclude = [], exclude_flags = [] } = body;
      const { smooth = false, activate = false } = body;
      const experiment_uid = await uidOf(params.experiment);
      const found = await unitsWith(database.read, { experiment_uid, input, units });
      const months = await archive.monthsOf(experiment_uid);
      if (months.length > 0) throw new ApiError('experiment_sealed', { months });
      if (found.length === 0) throw new ApiError('nothing_to_derive', { input });
      const { taskId } = await tasks.submit(recomputation.kind, {
        experiment_uid,
        experiment: params.experiment,
        recomputation: newId(),
        input,
        parameters,
        units,
        exclude,
        exclude_flags,
        smooth,
        activate,
      });
      return { status: 202, body: acceptedTask(leader, taskId) };
    },
    activateGrowthDerivation: async ({ params }) => {
      await store.activate(await uidOf(params.experiment), numberOf(params.derivation));
      return { status: 200, body: { status: 'success' } };
    },
    deleteGrowthDerivation: async ({ params }) => {
      const experiment_uid = await uidOf(params.experiment);
      const derivation = numberOf(params.derivation);
      await store.checkRemovable(experiment_uid, derivation);
      const { taskId } = await tasks.submit(removal, { experiment_uid, derivation });
      return { status: 202, body: acceptedTask(leader, taskId) };
    },
    listSampleFlags: flagsHandler(context, series.read),
  };
  return { handlers };
}

/** @throws ApiError derivation_unknown */
function numberOf(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new ApiError('derivation_unknown', { derivation: text });
  return Number(text);
}
