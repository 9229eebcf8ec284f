import type { ExperimentCreation } from '@lcs/contract';
import { ExperimentScopes } from '../access/experiment-scopes.ts';
import type { LeaderDatabase } from '../core/leader-context.ts';
import { ExperimentDeletion } from '../experiments/experiment-deletion.ts';
import { experimentHandlers } from '../experiments/experiment-handlers.ts';
import { ExperimentData } from '../series/experiment-data.ts';
import { SeriesIds } from '../series/series-ids.ts';
import { bodyOf, request, startTestLeader, type TestLeaderOptions } from './test-leader.ts';

export const hour = 3_600_000;

/** What a deletion removes, with nothing being stored meanwhile. */
export const dataOf = (database: LeaderDatabase) =>
  new ExperimentData({ database, ids: new SeriesIds(database), settled: async () => {}, now: () => 0 });

/** A test leader with the handlers of experiments, its tasks running. */
export async function startExperiments(options: TestLeaderOptions = {}) {
  const leader = await startTestLeader(options);
  const deletion = new ExperimentDeletion(leader.context, dataOf(leader.context.database));
  const scopes = new ExperimentScopes({
    context: leader.context,
    people: { people: [], person: () => undefined },
    listen: () => () => {},
  });
  const handlers = experimentHandlers(leader.context, deletion, scopes);
  await leader.context.tasks.start(new AbortController().signal);
  await deletion.start();
  const stop = async () => {
    await deletion.stop();
    await leader.stop();
  };
  return {
    ...leader,
    deletion,
    handlers,
    stop,
    create: async (experiment: string, more: Omit<ExperimentCreation, 'experiment'> = {}) =>
      bodyOf(await handlers.createExperiment(request({}, { experiment, ...more }))),
    listed: async () => bodyOf(await handlers.listExperiments(request({}, undefined))),
    names: async () => {
      const list = bodyOf(await handlers.listExperiments(request({}, undefined)));
      return Array.isArray(list) ? list.map(({ experiment }) => experiment) : list;
    },
    /** Waits until a task has ended; returns its record. */
    finished: async (taskId: string) => {
      const ended = Promise.withResolvers<void>();
      const check = async () => {
        if ((await leader.context.tasks.get(taskId))?.finishedAt != null) ended.resolve();
      };
      const forget = leader.context.tasks.onChange(() => void check().catch(ended.reject));
      await check();
      await ended.promise;
      forget();
      return leader.context.tasks.get(taskId);
    },
    [Symbol.asyncDispose]: async () => {
      await deletion.stop();
      await leader[Symbol.asyncDispose]();
    },
  };
}

export type ExperimentsUnderTest = Awaited<ReturnType<typeof startExperiments>>;
