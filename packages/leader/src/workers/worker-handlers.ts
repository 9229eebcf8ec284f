import { ApiError, type Handlers, type ListedWorker, type workerRoutes } from '@lcs/contract';
import type { LeaderContext, LeaderDatabase } from '../core/leader-context.ts';
import { PreparedAnswer } from '../core/prepared-answer.ts';
import { addressIn, ipv4Of } from '../fleet/unit-address.ts';
import type { ModelCatalog } from '../models/model-catalog.ts';
import { allWorkers, toWorker, workerNamed } from '../queries/workers.ts';
import { registerWorker } from './register-worker.ts';
import { removeWorker } from './remove-worker.ts';
import { setActivation } from './set-activation.ts';
import { setModel } from './set-model.ts';
import { WorkerSetups } from './set-up-worker.ts';
import { getWorkerExperiment, getWorkerModel } from './worker-details.ts';

export interface WorkerDependencies {
  readonly models: ModelCatalog;
  /** `[cluster.addresses]` of the shared configuration: a new object after each change of the configuration. */
  readonly clusterAddresses: () => Readonly<Record<string, string>>;
  /** The default port of units. */
  readonly defaultPort: () => number;
}

const done = { status: 200, body: { status: 'success' } } as const;

/** The response with all workers; cached until the store or an address changes. */
const listedWorkers = (database: LeaderDatabase, clusterAddresses: WorkerDependencies['clusterAddresses']) =>
  new PreparedAnswer(
    () => [database.version, clusterAddresses()],
    async (): Promise<ListedWorker[]> => {
      const addresses = clusterAddresses();
      const rows = await allWorkers(database.read).execute();
      return rows.map((row) => ({ ...toWorker(row), ipv4_address: ipv4Of(addressIn(addresses, row.reactor_unit)) }));
    },
  );

/** The inventory of workers and the models they can have. */
export function workerHandlers(context: LeaderContext, deps: WorkerDependencies): Handlers<typeof workerRoutes> {
  const { database } = context;
  const { models, clusterAddresses } = deps;

  const workers = listedWorkers(database, clusterAddresses);

  const setUp = new WorkerSetups({ context, models, defaultPort: deps.defaultPort });

  return {
    listWorkers: async () => ({ status: 200, body: await workers.current() }),

    registerWorker: async ({ body }) => {
      const isNew = await registerWorker(context, models, body);
      return isNew ? { ...done, status: 201 } : done;
    },

    setUpWorker: async ({ body, signal }) => {
      await setUp.run(body, signal);
      return { status: 200, body: { msg: `${body.name} is a worker now.` } };
    },

    getWorker: async ({ params: { reactor_unit: unit } }) => {
      const worker = await workerNamed(database.read, unit).executeTakeFirst();
      if (!worker) throw new ApiError('worker_not_found', { unit });
      return { status: 200, body: toWorker(worker) };
    },

    removeWorker: async ({ params }) => {
      await removeWorker(context, params.reactor_unit);
      return { ...done, status: 202 };
    },

    getWorkerExperiment: async ({ params }) => ({
      status: 200,
      body: await getWorkerExperiment(database.read, params.reactor_unit),
    }),

    setWorkerActivation: async ({ params, body }) => {
      await setActivation(context, params.reactor_unit, Boolean(body.is_active));
      return done;
    },

    getWorkerModel: async ({ params }) => ({
      status: 200,
      body: await getWorkerModel(database.read, models, params.reactor_unit),
    }),

    setWorkerModel: async ({ params, body }) => {
      await setModel(context, models, params.reactor_unit, body);
      return done;
    },

    listModels: async () => ({ status: 200, body: { models: [...(await models.list())] } }),
  };
}
