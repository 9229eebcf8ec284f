import type { FeedJob } from '@lcs/contract';
import type { JobRuntime } from '@lcs/node';
import type { Stage } from '@lcs/platform';
import { DesiredStateManager } from '../desired/desired-state-manager.ts';
import { SqlDesiredStore } from '../desired/sql-desired-store.ts';
import { httpEnrolCall } from '../enrolment/enrol-call.ts';
import { Enrolment } from '../enrolment/enrolment.ts';
import { FeedHandler } from '../feed/feed-handler.ts';
import type { JobsOutputs } from './jobs-stage.ts';
import type { OutputsOutputs } from './outputs-stage.ts';
import type { StorageOutputs } from './storage-stage.ts';
import type { TimeOutputs } from './time-stage.ts';
import type { UnitRoleInputs } from './unit-role-options.ts';

export interface LeadershipOutputs {
  readonly desiredState: DesiredStateManager;
  /** Starts after HTTP: the leader connects to the unit. */
  readonly enrolment: Enrolment;
  /** Starts after HTTP. */
  readonly feed: FeedHandler;
}

type Inputs = UnitRoleInputs & TimeOutputs & StorageOutputs & OutputsOutputs & JobsOutputs;

/** The unit and its leader: the leader's document, enrolment and feed. */
export function leadershipStage(inputs: Inputs): Stage<LeadershipOutputs> {
  const { options, time, clock, config, link, assignment, outbox, note, survey, limitsOf, ownJobs } = inputs;
  const { unit, identity, database, board, wire, log } = options;
  const probe = options.probe === undefined ? {} : { probe: options.probe };
  const desiredState = new DesiredStateManager({
    unit,
    store: new SqlDesiredStore(database),
    assignment,
    link,
    config,
    jobs: ownJobs,
    note,
    wire,
    log,
    model: (model) => {
      survey.modelChanges();
      return board.actuators.setLimits(model === null ? null : limitsOf(model));
    },
    now: () => clock.now(),
    onLeaderTime: (leaderTimeMs) => time.receiveLeaderTime(leaderTimeMs),
    isDrained: () => outbox.acked >= outbox.head,
    ...probe,
  });
  const enrolment = new Enrolment({
    unit,
    machineId: identity.id,
    appVersion: options.version,
    boot: identity.boot,
    instance: options.instance,
    epoch: () => outbox.epoch,
    address: options.address,
    link,
    call: httpEnrolCall(options.leaderUrl),
    ...(options.replace && { replace: true }),
    wire,
    log,
    random: options.random,
    note,
    onLeaderTime: (leaderTimeMs) => time.receiveLeaderTime(leaderTimeMs),
    onReplaced: () => desiredState.release(),
  });
  outbox.onEpoch(() => enrolment.changed());
  const feed = new FeedHandler({
    unit,
    outbox,
    time,
    wire,
    leaderId: () => assignment.leaderId,
    heartbeat: () => ({
      ...desiredState.heartbeat(),
      jobs: ownJobs.running().map(jobInHeartbeat),
      unrecorded: ownJobs.isUnrecorded,
    }),
    onLeader: () => enrolment.noteContact(),
    ...probe,
  });
  return { outputs: { desiredState, enrolment, feed }, services: [desiredState] };
}

/** A running job as each response of the feed reports it. */
function jobInHeartbeat({ origin, state }: ReturnType<JobRuntime['running']>[number]): FeedJob {
  return {
    job_id: origin.jobId,
    job_name: origin.jobName,
    experiment: origin.experiment,
    experiment_uid: origin.experimentUid,
    // A job that has ended is not among the running ones.
    state: state.kind === 'ready' || state.kind === 'sleeping' ? state.kind : 'init',
    since: Math.floor(state.sinceMs),
  };
}
