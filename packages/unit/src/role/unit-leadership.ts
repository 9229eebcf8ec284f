import type { UnitConfig } from '../config/unit-config.ts';
import { DesiredKeeper } from '../desired/desired-keeper.ts';
import type { DesiredKeeperOptions } from '../desired/desired-keeper-options.ts';
import { SqlDesiredStore } from '../desired/sql-desired-store.ts';
import { httpEnrolCall } from '../enrolment/enrol-call.ts';
import { Enrolment } from '../enrolment/enrolment.ts';
import type { LeaderBond } from '../enrolment/leader-bond.ts';
import { FeedHandler } from '../feed/feed-handler.ts';
import { Resumption } from '../resume/resumption.ts';
import { jobInHeartbeat } from './job-in-heartbeat.ts';
import type { ownJobs } from './own-jobs.ts';
import type { UnitRecords } from './unit-records.ts';
import type { UnitRoleOptions } from './unit-role-options.ts';

/** What the unit has to do with its leader. */
export interface UnitLeadership {
  readonly keeper: DesiredKeeper;
  readonly enrolment: Enrolment;
  readonly feed: FeedHandler;
  readonly resumption: Resumption;
}

interface Others {
  readonly config: UnitConfig;
  readonly bond: LeaderBond;
  readonly jobs: ReturnType<typeof ownJobs>;
  /** Brings what depends on the model of the reactor up to it. */
  readonly onModel: DesiredKeeperOptions['model'];
}

export function createUnitLeadership(options: UnitRoleOptions, records: UnitRecords, others: Others): UnitLeadership {
  const { unit, identity, database, wire, log } = options;
  const { time, clock, outbox, note } = records;
  const { config, bond, jobs } = others;
  const probe = options.probe === undefined ? {} : { probe: options.probe };
  const keeper = new DesiredKeeper({
    unit,
    store: new SqlDesiredStore(database),
    bond,
    config,
    jobs,
    model: others.onModel,
    note,
    now: () => clock.now(),
    wire,
    log,
    onLeaderTime: (leaderTimeMs) => time.takeLeaderTime(leaderTimeMs),
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
    bond,
    call: httpEnrolCall(options.leaderUrl),
    ...(options.replace && { replace: true }),
    wire,
    log,
    random: options.random,
    note,
    onLeaderTime: (leaderTimeMs) => time.takeLeaderTime(leaderTimeMs),
    onReplaced: () => keeper.release(),
  });
  const feed = new FeedHandler({
    unit,
    outbox,
    time,
    wire,
    leaderId: () => keeper.leaderId(),
    heartbeat: () => ({ ...keeper.heartbeat(), jobs: jobs.running().map(jobInHeartbeat) }),
    onLeader: () => enrolment.heard(),
    ...probe,
  });
  const resumption = new Resumption({ runtime: jobs, keeper, config, wire, log, note });
  return { keeper, enrolment, feed, resumption };
}
