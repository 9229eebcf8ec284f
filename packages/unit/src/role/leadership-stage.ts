import type { FeedHeldJob, FeedJob } from '@lcs/contract';
import type { InterruptedJob, JobRuntime } from '@lcs/node';
import { agentFetch, type Clock, PinnedAgent, type Stage } from '@lcs/platform';
import { UnitAccess } from '../access/unit-access.ts';
import { DesiredStateManager } from '../desired/desired-state-manager.ts';
import { SqlDesiredStore } from '../desired/sql-desired-store.ts';
import { httpEnrolCall } from '../enrolment/enrol-call.ts';
import { Enrolment } from '../enrolment/enrolment.ts';
import { FeedHandler } from '../feed/feed-handler.ts';
import { Resumption } from '../resume/resumption.ts';
import { requestLeaderTime } from '../time/leader-time.ts';
import type { JobsOutputs } from './jobs-stage.ts';
import type { OutputsOutputs } from './outputs-stage.ts';
import type { StorageOutputs } from './storage-stage.ts';
import type { TimeOutputs } from './time-stage.ts';
import type { UnitRoleInputs } from './unit-role-options.ts';

export interface LeadershipOutputs {
  readonly desiredState: DesiredStateManager;
  /** Starts after HTTP. */
  readonly resumption: Resumption;
  /** Starts after HTTP: the leader connects to the unit. */
  readonly enrolment: Enrolment;
  /** Starts after HTTP. */
  readonly feed: FeedHandler;
  readonly access: UnitAccess;
  /** As `requestLeaderTime`, of this unit's leader. */
  readonly leaderTime: () => Promise<number>;
}

type Inputs = UnitRoleInputs & TimeOutputs & StorageOutputs & OutputsOutputs & JobsOutputs;

/** The unit and its leader: the leader's document, enrolment and feed. */
export function leadershipStage(inputs: Inputs): Stage<LeadershipOutputs> {
  const { options, certificate, time, clock, config, link, assignment, outbox, note, survey, limitsOf, ownJobs } =
    inputs;
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
  const resumption = new Resumption({ runtime: ownJobs, desiredState, config, outbox, wire, log, note });
  const enrolment = new Enrolment({
    unit,
    machineId: identity.id,
    appVersion: options.version,
    boot: identity.boot,
    instance: options.instance,
    epoch: () => outbox.epoch,
    address: options.address,
    link,
    call: httpEnrolCall({ leader: options.leaderUrl, identityKey: options.identityKey, certificate }),
    ...(options.code !== undefined && { code: options.code }),
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
      held_jobs: resumption.held.map(heldJobInHeartbeat),
      unrecorded: ownJobs.isUnrecorded,
    }),
    onLeader: () => enrolment.noteContact(),
    ...probe,
  });
  const access = new UnitAccess({
    link: () => link.current,
    hasPeople: () => assignment.document?.has_people ?? link.current?.has_people ?? false,
    onUnknownToken: atMostEvery(wire, unknownTokenMs, () => enrolment.changed()),
  });
  const leaderTime = async (): Promise<number> => {
    const url = options.leaderUrl();
    if (url.protocol !== 'https:') return requestLeaderTime(url, wire);
    const agent = new PinnedAgent({ peerKey: link.current?.leader_key, machine: await certificate() });
    return requestLeaderTime(url, wire, agentFetch(agent)).finally(() => agent.destroy());
  };
  return { outputs: { desiredState, resumption, enrolment, feed, access, leaderTime }, services: [desiredState] };
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

const heldJobInHeartbeat = ({ jobId, jobName, experiment, endedAtMs, state }: InterruptedJob): FeedHeldJob => ({
  job_id: jobId,
  job_name: jobName,
  experiment,
  since: Math.floor(endedAtMs),
  was_stopped: state === 'disconnected',
});

/** Pause between two enrolments because of an unknown token. */
const unknownTokenMs = 10_000;

function atMostEvery(wire: Pick<Clock, 'monotonic'>, pauseMs: number, work: () => void): () => void {
  let lastMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (wire.monotonic() - lastMs < pauseMs) return;
    lastMs = wire.monotonic();
    work();
  };
}
