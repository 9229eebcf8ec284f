import { join } from 'node:path';
import { builtInModels } from '@lcs/domain';
import { createLeaderBroker } from '../broker/leader-broker.ts';
import { SharedConfig } from '../config/shared-config.ts';
import { createChangeRunner } from '../core/change.ts';
import { LiveHub } from '../live/live-hub.ts';
import { type KnownNow, snapshotSource } from '../live/snapshot.ts';
import { ModelCatalog } from '../models/model-catalog.ts';
import type { LeaderRoleOptions } from './leader-role-options.ts';

/** Where a new leader's configuration says it listens, when its port is chosen at each start. */
const usualHttpPort = 4999;
const usualMqttPort = 1883;

/** What is built later and is asked only while the leader is up. */
export interface AskedLater extends KnownNow {
  /** The shared configuration is another one. */
  readonly onConfig: () => void;
}

export type LeaderCore = ReturnType<typeof createLeaderCore>;

/** What every part of the leader stands on: broker, live stream, changes of the store, shared configuration, models. */
export function createLeaderCore(options: LeaderRoleOptions, later: AskedLater) {
  const { leader, version, clock, wire, log, database, tasks, dataFolder } = options;
  const broker = createLeaderBroker({ settings: options.broker, leader, wire, log });
  const live = new LiveHub({
    wire,
    log,
    run: options.run,
    ...(options.liveConnections !== undefined && { connections: options.liveConnections }),
    snapshot: snapshotSource({ leader, clock, database, tasks, ...later }, version),
  });
  const change = createChangeRunner({ leader, database, live, mqtt: broker, now: () => clock.now() });
  const sharedConfig = new SharedConfig({
    context: { leader, clock, log, database, change, dataFolder },
    defaults: () => ({
      leaderAddress: options.host,
      httpPort: options.httpPort || usualHttpPort,
      brokerPort: (options.broker.mode === 'embedded' && options.broker.port) || usualMqttPort,
    }),
    onChange: later.onConfig,
    ...(options.probe ? { probe: options.probe } : {}),
  });
  return {
    broker,
    live,
    change,
    sharedConfig,
    models: new ModelCatalog({ builtIn: builtInModels, folder: join(dataFolder, 'models'), log }),
    /** The configuration that all nodes share. */
    config: () => sharedConfig.view(),
    /** For an address of the shared configuration without a port. */
    defaultPort: () => Number(sharedConfig.view().ui?.port ?? usualHttpPort),
  };
}
