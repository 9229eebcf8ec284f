import { lookup } from 'node:dns/promises';
import type { UnitFault } from '@lcs/contract';
import type { Cancel, Clock, IngestRegister, Service, Stage, UpgradeHandler } from '@lcs/platform';
import type { ClockCorrections } from '../clock-corrections/clock-corrections.ts';
import type { MqttPublisher } from '../core/leader-context.ts';
import { addressIn } from '../fleet/unit-address.ts';
import type { UnitHttp } from '../fleet/unit-http.ts';
import type { FollowerReports } from '../follower/feed-followers.ts';
import type { FeedBatch, FeedMark, IngestPort } from '../follower/ingest-port.ts';
import type { FeedIngest } from '../ingest/feed-ingest.ts';
import { ingestPath } from '../ingest-processes/ingest-messages.ts';
import { IngestProcesses, type IngestProcessesOptions } from '../ingest-processes/ingest-processes.ts';
import { ExperimentNames } from '../live/experiment-names.ts';
import { FeedEvents, type FeedEventsOptions } from '../live/feed-events.ts';
import { HeldJobs } from '../live/held-jobs.ts';
import { publishLogEntry } from '../live/publish-log-entry.ts';
import { Readings } from '../live/readings.ts';
import type { SnapshotContents } from '../live/snapshot.ts';
import { UnitJobs } from '../live/unit-jobs.ts';
import type { MachineRegistry } from '../machines/machine-registry.ts';
import type { SeriesIds } from '../series/series-ids.ts';
import type { DocumentsOutputs } from './documents-stage.ts';
import { EnrolmentService, type EnrolmentServiceOptions } from './enrolment-service.ts';
import type { SessionsOutputs } from './sessions-stage.ts';
import { UnitFollowers, type UnitFollowersOptions } from './unit-followers.ts';
import { desiredVersionOf, enrolmentOf } from './unit-session.ts';
import type { UnitSessions } from './unit-sessions.ts';
import { UnitStatusPublisher } from './unit-status-publisher.ts';

interface ContactInputs
  extends SessionsOutputs,
    DocumentsOutputs,
    Omit<UnitFollowersOptions, 'ingest' | 'sessions' | 'send' | 'addressOf' | 'onAnswer' | 'share'>,
    Pick<FeedEventsOptions, 'live' | 'database'>,
    Pick<EnrolmentServiceOptions, 'models' | 'admission'>,
    Omit<EnrolmentServiceOptions['context'], 'clock' | 'wire' | 'database'> {
  readonly broker: MqttPublisher;
  readonly snapshot: SnapshotContents;
  /** Where the feeds of the units are stored. */
  readonly feed: IngestPort & Pick<FeedIngest, 'subscribe' | 'shareWith' | 'storedElsewhere'>;
  readonly machines: MachineRegistry;
  readonly series: { readonly ids: SeriesIds };
  readonly clockCorrections: Pick<ClockCorrections, 'wake'>;
  /** Of the processes that read feeds for this one; absent: none can. */
  readonly ingestRegister?: IngestRegister;
}

export interface ContactOutputs {
  /** The jobs that run on the units. */
  readonly unitJobs: UnitJobs;
  readonly followers: UnitFollowers;
  readonly enrolments: EnrolmentService;
  /** Connections of ingest processes. */
  readonly ingestUpgrades: Readonly<Record<string, UpgradeHandler>>;
  /** Once the store, the shared configuration and the live stream are up. */
  readonly contactServices: readonly Service[];
  /** Once the node can be reached. */
  readonly contactServicesAfterHttp: readonly Service[];
}

const resolve = async (host: string): Promise<readonly string[]> => {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch {
    // An unknown name has no addresses.
    return [];
  }
};

const faultText: { readonly [Fault in UnitFault]: string } = {
  foreign_leader: 'belongs to another leader',
  not_enrolled: 'has no leader',
  feed_epoch_changed: 'has begun a new numbering of its records and has not enrolled with it yet',
  protocol_unsupported: 'uses another version of the protocol, so that it or this leader has to be updated',
  revoked: 'has revoked credentials',
};

/** What enrols and follows the units, and publishes what they do. */
export function contactStage(inputs: ContactInputs): Stage<ContactOutputs> {
  const { clock, wire, log, database, live, broker, sessions, directory, unitHttp, sender, feed } = inputs;
  const { configuredAddresses } = inputs;
  const { addressOf } = directory;
  const send: UnitHttp['call'] = (call) => unitHttp.call(call);
  const unitJobs = new UnitJobs();
  const held = new HeldJobs();
  const readings = new Readings(live, wire);
  const names = new ExperimentNames(database, wire);
  const events = new FeedEvents({ live, mqtt: broker, jobs: unitJobs, held, readings, clock, log, database, names });
  const publisher = new UnitStatusPublisher({ live, wire, sessions, describe: (unit) => directory.statusOf(unit) });
  inputs.snapshot.add({ units: () => directory.all(), jobs: () => unitJobs.all(), held_jobs: () => held.all() });

  const { ingestRegister } = inputs;
  let ingestUpgrades: ContactOutputs['ingestUpgrades'] = {};
  const share = (register: IngestRegister): NonNullable<UnitFollowersOptions['share']> => {
    return (local, reports) => {
      const processes = new IngestProcesses(ingestOptions(inputs, register, reports), local);
      feed.shareWith(() => processes.settled());
      inputs.series.ids.onForget(() => processes.forgetSeries());
      ingestUpgrades = { [ingestPath]: processes.accept };
      return processes;
    };
  };
  const followers = new UnitFollowers({
    ...inputs,
    ...(ingestRegister && { share: share(ingestRegister) }),
    ingest: {
      // What another process has stored but not passed on is read again.
      mark: async (unit) => positionOf(sessions, unit) ?? feed.mark(unit),
      ingest: (batch) => feed.ingest(batch),
      rewind: (unit, mark) => feed.rewind(unit, mark),
    },
    send,
    addressOf,
    onAnswer: (unit, answer) => {
      sessions.dispatch(unit, { is: 'answered', answer, atMs: clock.now(), nowMs: wire.monotonic() });
      events.answered(unit, answer);
    },
  });
  feed.subscribe({
    stored: (batch) => {
      noteBoard(sessions, batch);
      for (const { record } of batch.records) {
        if (record.kind === 'event' && record.name === 'desired_applied') sender.reported(batch.unit, record.data);
      }
      events.stored(batch);
    },
  });
  const enrolments = new EnrolmentService({
    context: inputs,
    leaderId: inputs.leaderId,
    models: inputs.models,
    admission: inputs.admission,
    machines: inputs.machines,
    resolve,
    send,
    configuredAddress: (unit) => addressIn(configuredAddresses(), unit),
    desiredVersion: (unit) => desiredVersionOf(sessions.of(unit)),
    onEnrolled: (enrolment, hasNewModel) => sessions.enrolled(enrolment, wire.monotonic(), hasNewModel),
  });
  sessions.onEffect((unit, effect) => {
    if (effect.do === 'mark jobs lost') events.lost(unit);
    else if (effect.do === 'forget jobs') events.forget(unit);
    else if (effect.do === 'log feed refused') logFeedRefused(inputs, unit, effect.fault);
  });
  const published: Service = { name: 'feed events', start: async () => {}, stop: () => events.settled };
  return {
    outputs: {
      unitJobs,
      followers,
      enrolments,
      ingestUpgrades,
      contactServices: [published, readings, publisher],
      contactServicesAfterHttp: [followers, contactMonitor(sessions, wire), silentUnits(sessions, events, wire)],
    },
    services: [],
  };
}

const positionOf = (sessions: UnitSessions, unit: string): FeedMark | undefined => {
  const { feed } = sessions.of(unit);
  return feed.is === 'stored' ? feed.mark : undefined;
};

function ingestOptions(
  { sessions, directory, machines, feed, clockCorrections, live, wire, log }: ContactInputs,
  register: IngestRegister,
  reports: FollowerReports,
): IngestProcessesOptions {
  return {
    ...reports,
    register,
    wire,
    log,
    factsOf: (unit) => {
      const machine = machines.ofUnit(unit);
      const enrolment = enrolmentOf(sessions.of(unit));
      return {
        unit,
        url: directory.addressOf(unit) ?? null,
        token: machines.credentialsOf(unit)?.leader_token ?? null,
        publicKey: machine?.revokedAt === null ? machine.publicKey : null,
        machineId: enrolment?.machine_id ?? null,
        epoch: enrolment?.epoch ?? null,
      };
    },
    positionOf: (unit) => positionOf(sessions, unit),
    onStored: (batch) => feed.storedElsewhere(batch),
    onCorrection: () => clockCorrections.wake(),
    onLogged: publishLogEntry(live),
  };
}

/** Whether the newest reading of the batch comes from a simulated board. */
function noteBoard(sessions: UnitSessions, { unit, records }: FeedBatch): void {
  const newest = records.findLast(({ record }) => record.kind === 'sample')?.record;
  if (newest?.kind !== 'sample') return;
  const isSimulated = newest.flags?.includes('simulated') ?? false;
  if (isSimulated !== sessions.of(unit).isSimulated) sessions.dispatch(unit, { is: 'board found', isSimulated });
}

function logFeedRefused({ change, log }: Pick<ContactInputs, 'change' | 'log'>, unit: string, fault: UnitFault) {
  const message = `${unit} ${faultText[fault]}. The leader reads nothing from it until it enrols.`;
  change(async (_, { logEvent }) => logEvent({ level: 'WARNING', message, task: 'units' })).catch((error: unknown) =>
    log.error('A warning could not be written', { message, error }),
  );
}

const contactCheckMs = 1_000;

/** Units that do not answer become stale, then offline. */
function contactMonitor(sessions: UnitSessions, wire: Clock): Service {
  let cancel: Cancel = () => {};
  return {
    name: 'contact monitor',
    start: async () => {
      cancel = wire.every(contactCheckMs, () => {
        const nowMs = wire.monotonic();
        for (const unit of sessions.units()) sessions.dispatch(unit, { is: 'time passed', nowMs });
      });
    },
    stop: async () => cancel(),
  };
}

/** After a start of the leader as at any other time. */
const offlineAfterMs = 60_000;

/** The jobs of units that have not answered since the start of the leader are lost. */
function silentUnits(sessions: UnitSessions, events: FeedEvents, wire: Clock): Service {
  let cancel: Cancel = () => {};
  return {
    name: 'silent units',
    start: async () => {
      cancel = wire.after(offlineAfterMs, () => {
        const silent = sessions.members().filter((unit) => sessions.of(unit).contact.is === 'none');
        for (const unit of silent) events.silent(unit);
      });
    },
    stop: async () => cancel(),
  };
}
