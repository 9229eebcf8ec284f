import { type Handler, leaderApi, type nodeSystemRoutes } from '@lcs/contract';
import { Composition, type NotFoundHook, type ServedApi, type Stage, serve } from '@lcs/platform';
import { type HistoryPort, historyPort } from '../demonstration/past-experiment.ts';
import { contactStage } from '../units/contact-stage.ts';
import { documentsStage } from '../units/documents-stage.ts';
import { sessionsStage } from '../units/sessions-stage.ts';
import { coreStage } from './core-stage.ts';
import { type FeaturesOutputs, featuresStage, type LeaderBase, type NodeJobs } from './features-stage.ts';
import { fleetStage } from './fleet-stage.ts';
import { leaderHandlers } from './leader-handlers.ts';
import type { LeaderRoleOptions } from './leader-role-options.ts';
import { ownNodeStage } from './own-node-stage.ts';
import { storeStage } from './store-stage.ts';

/** The units, and all of the role that its own node is built from. Nothing is started. */
export const createLeaderBase = (options: LeaderRoleOptions): Stage<LeaderBase> =>
  Composition.of(options)
    .add(coreStage)
    .add(sessionsStage)
    .add(storeStage)
    .add(documentsStage)
    .add(fleetStage)
    .add(ownNodeStage)
    .add(contactStage);

/** What is built once the jobs of the node are known. */
export interface LeaderRole extends Pick<FeaturesOutputs, 'servicesAfterTasks' | 'servicesAfterHttp'> {
  readonly api: ServedApi;
  /** Files of the web UI, for what no route takes. */
  readonly notFound: NotFoundHook;
  readonly history: HistoryPort;
  /** People's notes of the volumes of vials. */
  readonly volumeNotes: FeaturesOutputs['notes']['volumes'];
  readonly metrics: Pick<FeaturesOutputs['metrics'], 'observe'>;
}

export interface LeaderRoleInputs extends NodeJobs {
  readonly leaderBase: LeaderBase;
  /** Replaces the data of the leader itself. */
  readonly importOwnData: Handler<(typeof nodeSystemRoutes)['importDataFolder']>;
}

/** The leader role of a node. The kinds of its tasks and jobs are registered here, before tasks and jobs start. */
export function leaderRoleStage(inputs: LeaderRoleInputs): Stage<{ readonly leaderRole: LeaderRole }> {
  const { leaderBase, runtime, plugins, importOwnData } = inputs;
  const { outputs, services } = Composition.of({ ...leaderBase, runtime, plugins, importOwnData }).add(featuresStage);
  const { context, series, webUi: notFound, notes, metrics, servicesAfterTasks, servicesAfterHttp } = outputs;
  const leaderRole: LeaderRole = {
    api: serve(leaderApi, leaderHandlers(outputs)),
    notFound,
    servicesAfterTasks,
    servicesAfterHttp,
    volumeNotes: notes.volumes,
    metrics,
    history: historyPort(context, series.ingest),
  };
  return { outputs: { leaderRole }, services };
}
