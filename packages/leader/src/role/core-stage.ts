import { hostname } from 'node:os';
import { join } from 'node:path';
import { builtInModels, mqttSettings, settingOrDefault, uiSettings } from '@lcs/domain';
import { type IniView, isFromThisMachine, isLoopback, type Stage } from '@lcs/platform';
import { AccessControl } from '../access/access-control.ts';
import { brokerAccounts } from '../access/broker-accounts.ts';
import { ExperimentScopes } from '../access/experiment-scopes.ts';
import { OidcSignIn } from '../access/oidc-sign-in.ts';
import { Passkeys } from '../access/passkeys.ts';
import { Pins } from '../access/pins.ts';
import { SetUp } from '../access/set-up.ts';
import { AuditLog } from '../audit/audit-log.ts';
import { createLeaderBroker, type LeaderBroker } from '../broker/leader-broker.ts';
import { SharedConfig } from '../config/shared-config.ts';
import { createChangeRunner } from '../core/change.ts';
import type { ChangeRunner } from '../core/leader-context.ts';
import { ingestCallers } from '../ingest-processes/ingest-token.ts';
import { LiveHub } from '../live/live-hub.ts';
import { SnapshotContents, snapshotSource } from '../live/snapshot.ts';
import { CertificateExpiry } from '../machines/certificate-expiry.ts';
import { MachineAdmission } from '../machines/machine-admission.ts';
import { toJoinRequest } from '../machines/machine-handlers.ts';
import { MachineRegistry } from '../machines/machine-registry.ts';
import { ModelCatalog } from '../models/model-catalog.ts';
import type { LeaderRoleOptions } from './leader-role-options.ts';

export interface CoreOutputs {
  readonly access: AccessControl;
  readonly setUp: SetUp;
  /** Who may act on which experiment and unit. */
  readonly scopes: ExperimentScopes;
  readonly passkeys: Passkeys;
  readonly pins: Pins;
  readonly oidc: OidcSignIn;
  readonly audit: AuditLog;
  readonly machines: MachineRegistry;
  readonly admission: MachineAdmission;
  readonly broker: LeaderBroker;
  readonly live: LiveHub;
  /** What pages begin with. */
  readonly snapshot: SnapshotContents;
  readonly change: ChangeRunner;
  readonly sharedConfig: SharedConfig;
  readonly models: ModelCatalog;
  /** The configuration that all nodes share. */
  readonly config: () => IniView;
  /** For an address of the shared configuration without a port. */
  readonly defaultPort: () => number;
}

const wildcards = ['0.0.0.0', '::'];

const isOfThisMachine = (host: string): boolean => host === 'localhost' || isLoopback(host);

/** What every part of the leader uses: broker, live stream, changes of the store, shared configuration, models. */
export function coreStage(options: LeaderRoleOptions): Stage<CoreOutputs> {
  const { leader, leaderId, version, clock, wire, log, database, tasks, dataFolder, brokerSettings } = options;
  const audit = new AuditLog({ database, audit: options.auditDatabase, clock, wire, log });
  tasks.onChange(audit.recordTask);
  const broker = createLeaderBroker({
    onCommand: audit.recordCommand,
    settings: brokerSettings,
    leader,
    access: (origin, account) => accounts(origin, account),
    ...(options.tls && { network: { host: options.host, tls: options.tls } }),
    wire,
    log,
  });
  const snapshot = new SnapshotContents();
  const live = new LiveHub({
    wire,
    log,
    run: options.run,
    connections: options.liveConnections,
    ...(options.liveBroadcast && { broadcast: options.liveBroadcast }),
    snapshot: snapshotSource({ leader, clock, database, tasks }, snapshot, version),
  });
  const change = createChangeRunner({ leader, database, live, mqtt: broker, now: () => clock.now() });
  const machines = new MachineRegistry({ context: { database, clock }, leaderKey: options.identityKey.privateKey });
  const ingestCaller = ingestCallers(options.identityKey.privateKey);
  const access = new AccessControl({
    context: { database, change, clock, wire, log, newId: options.newId },
    cookieSuffix: leaderId.slice(0, 8),
    unitOf: (token, request, origin) =>
      ingestCaller(token) ??
      machines.callerOf(token, {
        peerKey: origin?.peerKey,
        isPlainLoopback: origin?.isSecure === false && isFromThisMachine(request),
      }),
    trustsLoopback: isLoopback(options.host),
    ...(options.readOnly && { readOnly: true }),
    ...(options.passwordCost && { cost: options.passwordCost }),
  });
  access.onChange(() => live.checkRights());
  const scopes = new ExperimentScopes({
    context: { leader, database, change, clock },
    people: access,
    listen: (listener) => live.listen(listener),
  });
  const setUp = new SetUp({ access, wire, log });
  const hosts = [options.host, ...(brokerSettings.mode === 'embedded' ? [brokerSettings.host] : [])];
  const accounts = brokerAccounts({
    access,
    units: machines,
    isOpen: hosts.every(isOfThisMachine),
    scopeOf: (caller) => scopes.ofTopics(caller),
  });
  const admission: MachineAdmission = new MachineAdmission({
    context: { clock, wire, newId: options.newId },
    leaderId,
    identityKey: options.identityKey,
    machines,
    hasPeople: () => access.people.length > 0,
    onJoinsChange: () => live.publish('join_requests', '', admission.joins.list().map(toJoinRequest)),
    ...(options.codeCost && { cost: options.codeCost }),
  });
  const passkeys = new Passkeys({ context: { database, change, clock, wire, newId: options.newId }, access });
  const pins = new Pins({ access, wire });
  const oidc = new OidcSignIn({ context: { database, change, clock, wire, log }, dataFolder, access });
  const sharedConfig = new SharedConfig({
    context: { leader, clock, log, database, change, dataFolder },
    defaults: () => ({
      // Listening on all addresses, it has none that units could use.
      leaderAddress: wildcards.includes(options.host) ? hostname() : options.host,
      httpPort: options.httpPort || uiSettings.port.absent,
      brokerPort: (brokerSettings.mode === 'embedded' && brokerSettings.port) || mqttSettings.brokerPort.absent,
    }),
    ...(options.probe ? { probe: options.probe } : {}),
  });
  const certificate = options.tls?.server;
  const expiry = certificate ? [new CertificateExpiry({ context: { change, clock, log }, certificate })] : [];
  const models = new ModelCatalog({ builtIn: builtInModels, folder: join(dataFolder, 'models'), log });
  const config = () => sharedConfig.view();
  const defaultPort = () => settingOrDefault(sharedConfig.view(), uiSettings.port);
  return {
    outputs: {
      access,
      setUp,
      scopes,
      passkeys,
      pins,
      oidc,
      audit,
      machines,
      admission,
      broker,
      live,
      snapshot,
      change,
      sharedConfig,
      models,
      config,
      defaultPort,
    },
    services: [machines, access, passkeys, scopes, audit, ...broker.parts, sharedConfig, ...expiry],
  };
}
