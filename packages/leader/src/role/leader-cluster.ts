import { join } from 'node:path';
import { AlarmFacts } from '../alarms/alarm-facts.ts';
import { CalibrationCopies } from '../calibrations/calibration-copies.ts';
import { BootEraStore } from '../clock-corrections/boot-era-store.ts';
import { ClockCorrections } from '../clock-corrections/clock-corrections.ts';
import type { LeaderContext } from '../core/leader-context.ts';
import { DiskSpaceMonitor } from '../disk-space/disk-space-monitor.ts';
import { HttpFleet } from '../fleet/http-fleet.ts';
import { FeedIngest } from '../ingest/feed-ingest.ts';
import { ExperimentData } from '../series/experiment-data.ts';
import { createSeriesStore } from '../series/series-store.ts';
import { leaderDatabaseFile } from '../store/migrations.ts';
import { createUnits, type Units } from '../units/create-units.ts';
import type { LeaderCore } from './leader-core.ts';
import type { LeaderRoleOptions } from './leader-role-options.ts';

export type LeaderCluster = ReturnType<typeof createLeaderCluster>;

/** The units as the leader knows them, the way to them, and the store of what they tell. */
export function createLeaderCluster(
  options: LeaderRoleOptions,
  { live, change, broker, sharedConfig, models, defaultPort }: LeaderCore,
  onDocument: (unit: string) => void,
) {
  const { leader, version, clock, wire, log, database, tasks, dataFolder, newId } = options;
  const probe = options.probe ? { probe: options.probe } : {};
  const fleet = new HttpFleet({
    wire,
    holds: clock,
    log,
    newId,
    addressOf: (unit) => units.registry.addressOf(unit),
    bring: (unit, limitMs) => units.desired.bring(unit, limitMs),
  });
  const series = createSeriesStore({ database, path: join(dataFolder, leaderDatabaseFile), clock, wire, log });
  const machineOf = (unit: string) => units.registry.enrolmentOf(unit)?.machine_id;
  const diskSpace = new DiskSpaceMonitor({ leader, dataFolder, clock, wire, log, live, change });
  const { changes } = series;
  const clockCorrections = new ClockCorrections({ database, changes, change, clock, wire, log, ...probe });
  const eras = new BootEraStore({ database, changes, onCorrection: () => clockCorrections.wake() });
  const feed = new FeedIngest({ database, series, eras, clock, log, live, diskSpace, machineOf });
  const alarmFacts = new AlarmFacts(clock);
  const calibrationCopies = new CalibrationCopies({ database, fleet, wire, clock, log });
  const units: Units = createUnits({
    ...{ leader, leaderId: options.leaderId, version, clock, wire, log, database, change, live, mqtt: broker },
    ...{
      models,
      sharedConfig,
      hasUnitRole: options.hasUnitRole,
      newId,
      ownUrl: () => (options.isReachable() ? options.ownUrl() : undefined),
      random: options.random,
      defaultPort,
      onDocument,
    },
    ingest: alarmFacts.over(calibrationCopies.over(feed)),
    onAnswer: (unit, answer) => alarmFacts.heard(unit, answer),
    ...(options.hostSynced && { hostSynced: options.hostSynced }),
    ...probe,
  });
  const context: LeaderContext = {
    ...{ leader, clock, wire, log, database, change, tasks, fleet, dataFolder, newId },
    units: units.registry,
    desired: units.desired,
  };
  const stored = new ExperimentData({ database, ids: series.ids, settled: () => feed.settled(), ...probe });
  return { fleet, series, clockCorrections, diskSpace, alarmFacts, calibrationCopies, units, context, stored };
}
