import { join } from 'node:path';
import type { Stage } from '@lcs/platform';
import { Archive, archiveWorkFolder } from '../archive/archive.ts';
import { BootEraStore } from '../clock-corrections/boot-era-store.ts';
import { ClockCorrections } from '../clock-corrections/clock-corrections.ts';
import { DiskSpaceMonitor } from '../disk-space/disk-space-monitor.ts';
import { FeedIngest } from '../ingest/feed-ingest.ts';
import { publishLogEntry } from '../live/publish-log-entry.ts';
import { ExperimentData } from '../series/experiment-data.ts';
import { createSeriesStore } from '../series/series-store.ts';
import { leaderDatabaseFile } from '../store/migrations.ts';
import type { SessionsOutputs } from '../units/sessions-stage.ts';
import { enrolmentOf } from '../units/unit-session.ts';
import type { CoreOutputs } from './core-stage.ts';
import type { LeaderRoleOptions } from './leader-role-options.ts';

export interface StoreOutputs {
  readonly series: ReturnType<typeof createSeriesStore>;
  readonly diskSpace: DiskSpaceMonitor;
  /** Stores the feeds of the units. */
  readonly feed: FeedIngest;
  readonly stored: ExperimentData;
  /** Sealed months. */
  readonly archive: Archive;
  readonly clockCorrections: ClockCorrections;
}

/** The store of readings, and what comes into it from the units. */
export function storeStage(inputs: LeaderRoleOptions & CoreOutputs & SessionsOutputs): Stage<StoreOutputs> {
  const { leader, clock, wire, log, database, dataFolder, live, change, sessions, startReader } = inputs;
  const place = inputs.storePlace ?? { path: join(dataFolder, leaderDatabaseFile) };
  const probe = inputs.probe ? { probe: inputs.probe } : {};
  const series = createSeriesStore({ database, place, startReader, clock, wire, log });
  const { changes } = series;
  const diskSpace = new DiskSpaceMonitor({ leader, dataFolder, clock, wire, log, live, change });
  const clockCorrections = new ClockCorrections({ database, changes, change, clock, wire, log, ...probe });
  const eras = new BootEraStore({ database, changes, onCorrection: () => clockCorrections.wake() });
  const machineOf = (unit: string) => enrolmentOf(sessions.of(unit))?.machine_id;
  const onLogged = publishLogEntry(live);
  const feed = new FeedIngest({ database, series, eras, clock, log, onLogged, diskSpace, machineOf });
  const archive = new Archive({
    database,
    store: place,
    version: inputs.version,
    leaderId: inputs.leaderId,
    workFolder: archiveWorkFolder(dataFolder),
    now: () => clock.now(),
    wire,
    ...probe,
  });
  const stored = new ExperimentData({
    database,
    ids: series.ids,
    settled: () => feed.settled(),
    now: () => clock.now(),
    archive,
    ...probe,
  });
  return {
    outputs: { series, diskSpace, feed, stored, archive, clockCorrections },
    services: [diskSpace, series.readers, clockCorrections],
  };
}
