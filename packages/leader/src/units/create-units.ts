import { lookup } from 'node:dns/promises';
import type { FeedAnswer, UnitTrouble } from '@lcs/contract';
import type { Cancel, Clock, Living, Log, Probe } from '@lcs/platform';
import type { SharedConfig } from '../config/shared-config.ts';
import type { ChangeRunner, LeaderDatabase, LivePublisher, MqttPublisher } from '../core/leader-context.ts';
import { addressIn } from '../fleet/unit-address.ts';
import { UnitHttp } from '../fleet/unit-http.ts';
import type { FeedBatch, IngestPort } from '../follower/ingest-port.ts';
import { ExperimentNames } from '../live/experiment-names.ts';
import { FeedEvents } from '../live/feed-events.ts';
import { Readings } from '../live/readings.ts';
import { UnitJobs } from '../live/unit-jobs.ts';
import type { ModelCatalog } from '../models/model-catalog.ts';
import { DesiredDocuments } from './desired-documents.ts';
import { EnrolmentService } from './enrolment-service.ts';
import { UnitFollowers } from './unit-followers.ts';
import { UnitRegistry } from './unit-registry.ts';
import { UnitStatusPublisher } from './unit-status-publisher.ts';

export interface UnitsOptions {
  readonly leader: string;
  readonly leaderId: string;
  readonly version: string;
  readonly clock: Clock;
  readonly wire: Clock;
  readonly log: Log;
  readonly database: LeaderDatabase;
  readonly change: ChangeRunner;
  readonly live: LivePublisher;
  readonly mqtt: MqttPublisher;
  readonly models: ModelCatalog;
  readonly sharedConfig: SharedConfig;
  /** The leader's own node has the unit role too. */
  readonly hasUnitRole: boolean;
  /** Where the feeds of the units are stored. */
  readonly ingest: IngestPort;
  /** A unit has answered. */
  readonly onAnswer?: (unit: string, answer: FeedAnswer) => void;
  /** The document of a unit, or what it has made of it, is another one. */
  readonly onDocument: (unit: string) => void;
  /** Whether NTP keeps the leader's clock now. Absent: no. */
  readonly hostSynced?: () => boolean;
  /** Base URL of this node; undefined until it is reachable. */
  readonly ownUrl: () => string | undefined;
  /** For an address of the shared configuration without a port. */
  readonly defaultPort: () => number;
  readonly newId: () => string;
  /** Numbers from 0 to 1. */
  readonly random: () => number;
  readonly probe?: Probe;
}

/** The leader's side of its units. */
export interface Units {
  readonly registry: UnitRegistry;
  readonly desired: DesiredDocuments;
  readonly desk: EnrolmentService;
  readonly jobs: UnitJobs;
  readonly followers: UnitFollowers;
  /** In the order of their start, once the store, the shared configuration and the live stream are up. */
  readonly parts: readonly Living[];
  /** Once the node can be reached. */
  readonly partsAfterHttp: readonly Living[];
}

const resolve = async (host: string): Promise<readonly string[]> => {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch {
    // A name that nobody knows belongs to nobody.
    return [];
  }
};

/** After a start of the leader as at any other time. */
const offlineAfterMs = 60_000;

const faultText: { readonly [Trouble in UnitTrouble]: string } = {
  foreign_leader: 'belongs to another leader',
  not_enrolled: 'has no leader any more',
  feed_epoch_changed: 'began a new numbering and has not enrolled with it yet',
  protocol_unsupported: 'speaks another version of the protocol, so that it or this leader has to be updated',
};

/** Builds the parts that know, follow and instruct the units, and joins them. */
export function createUnits(options: UnitsOptions): Units {
  const { leader, leaderId, clock, wire, log, database, change, live, models, sharedConfig } = options;
  const { newId, ownUrl, random, version } = options;
  const http = new UnitHttp();
  const send: UnitHttp['call'] = (call) => http.call(call);
  const addresses = () => sharedConfig.view()['cluster.addresses'] ?? {};
  const jobs = new UnitJobs();
  const readings = new Readings(live, wire);
  const events = new FeedEvents({
    ...{ live, mqtt: options.mqtt, jobs, readings, clock, log, database },
    names: new ExperimentNames(database, wire),
  });

  const desired: DesiredDocuments = new DesiredDocuments({
    ...{ leader, leaderId, clock, wire, log, database, change, models, send, newId, random },
    hasUnitRole: options.hasUnitRole,
    sharedText: () => sharedConfig.usableText(),
    addressOf: (unit) => registry.addressOf(unit),
    isEnrolled: (unit) => registry.enrolmentOf(unit) !== undefined,
    onChange: (unit) => {
      if (desired.membershipOf(unit) === 'gone') {
        followers.unfollow(unit);
        events.forget(unit);
      } else followers.follow(unit);
      options.onDocument(unit);
      news.changed(unit);
    },
  });
  const registry: UnitRegistry = new UnitRegistry({
    ...{ leader, version, clock, wire, database, ownUrl, defaultPort: options.defaultPort },
    configuredAddresses: addresses,
    members: () => desired.members(),
    isMember: (unit) => desired.membershipOf(unit) === 'member',
    versionOf: (unit) => desired.versionOf(unit),
    appliedOf: (unit) => desired.appliedOf(unit),
    livenessOf: (unit) => followers.livenessOf(unit),
    markOf: (unit) => followers.markOf(unit),
  });
  const news: UnitStatusPublisher = new UnitStatusPublisher({
    live,
    wire,
    describe: (unit) => registry.statusOf(unit),
    units: () => desired.members(),
  });

  const onAnswer = (unit: string, answer: FeedAnswer) => {
    registry.heard(unit, answer);
    events.heard(unit, answer);
    desired.heard(unit, answer);
    options.onAnswer?.(unit, answer);
  };
  const onStored = (batch: FeedBatch) => {
    for (const { record } of batch.records) {
      if (record.kind === 'sample') registry.measured(batch.unit, record.flags?.includes('simulated') ?? false);
      if (record.kind === 'event' && record.name === 'desired_applied') desired.reported(batch.unit, record.data);
    }
    events.stored(batch);
  };
  const onTrouble = (unit: string, trouble: UnitTrouble) => {
    registry.troubled(unit, trouble);
    desired.troubled(unit, trouble);
    if (desired.membershipOf(unit) !== 'member') return;
    news.changed(unit);
    const message = `${unit} ${faultText[trouble]}: nothing is read from it until it enrols.`;
    change(async (_, { logEvent }) => logEvent({ level: 'WARNING', message, task: 'units' })).catch((error: unknown) =>
      log.error('A warning could not be written', { message, error }),
    );
  };
  const followers: UnitFollowers = new UnitFollowers({
    ...{ leaderId, clock, wire, log, random, send, onAnswer, onStored, onTrouble },
    ingest: options.ingest,
    addressOf: (unit) => registry.addressOf(unit),
    epochOf: (unit) => registry.enrolmentOf(unit)?.epoch,
    onLiveness: (unit, liveness) => {
      if (liveness === 'offline') events.lost(unit);
      news.changed(unit);
    },
    ...(options.hostSynced && { hostSynced: options.hostSynced }),
    ...(options.probe ? { probe: options.probe } : {}),
  });
  const desk = new EnrolmentService({
    context: { leader, clock, wire, database, change },
    ...{ leaderId, models, resolve, send },
    configuredAddress: (unit) => addressIn(addresses(), unit),
    desiredVersion: (unit) => desired.versionOf(unit),
    onEnrolled: (enrolment, hasNewModel) => {
      const { reactor_unit: unit, epoch, boot } = enrolment;
      registry.enrolled(enrolment);
      if (hasNewModel) desired.refresh([unit]);
      followers.enrolled(unit);
      desired.enrolled(unit, epoch, boot);
      news.changed(unit);
    },
  });

  const book: Living = {
    name: 'book of units',
    start: () => registry.load(),
    stop: async () => {
      await events.settled;
      http.close();
    },
  };
  let stopWaiting: Cancel = () => {};
  const silence: Living = {
    name: 'units that stay silent',
    start: async () => {
      stopWaiting = wire.after(offlineAfterMs, () => {
        const isSilent = (unit: string) => registry.describe(unit).last_heard_at === null;
        for (const unit of desired.members().filter(isSilent)) events.silent(unit);
      });
    },
    stop: async () => stopWaiting(),
  };
  return {
    registry,
    desired,
    desk,
    jobs,
    followers,
    parts: [book, readings, news, desired],
    partsAfterHttp: [followers, silence],
  };
}
