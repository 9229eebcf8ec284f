import { join } from 'node:path';
import { initialBioreactorValues } from '@lcs/domain';
import { NodeDescriptors, type Plugins } from '@lcs/platform';
import { createAlarms } from '../alarms/create-alarms.ts';
import { createBackups } from '../backups/create-backups.ts';
import { createCameras } from '../cameras/create-cameras.ts';
import { allCharts } from '../charts/chart-handlers.ts';
import { createConfig } from '../config/create-config.ts';
import { ExperimentDeletion } from '../experiments/experiment-deletion.ts';
import { createExports } from '../exports/create-exports.ts';
import { fleetTasks } from '../jobs/fleet-tasks.ts';
import { UnitJobs } from '../live/unit-jobs.ts';
import { createNotes } from '../notes/create-notes.ts';
import { createProfiles } from '../profiles/create-profiles.ts';
import { leaderDatabaseFile } from '../store/migrations.ts';
import type { LeaderCluster } from './leader-cluster.ts';
import type { LeaderCore } from './leader-core.ts';
import type { LeaderRoleOptions } from './leader-role-options.ts';

export type LeaderFeatures = ReturnType<typeof createLeaderFeatures>;

/** What the leader does besides following its units; several of these have parts that live. */
export function createLeaderFeatures(
  options: LeaderRoleOptions,
  { live, broker, sharedConfig, config, models }: LeaderCore,
  { context, units, stored, diskSpace, alarmFacts }: LeaderCluster,
) {
  const { version, log, dataFolder } = options;
  const leaderJobs = new UnitJobs();
  const cameras = createCameras(context);
  const notes = createNotes(context);
  notes.volumes.onChange(({ unit }) => units.desired.refresh([unit]));
  const descriptors = new NodeDescriptors({
    ...{ dataFolder, log },
    initialValues: () => initialBioreactorValues(config().bioreactor),
  });
  const alarms = createAlarms({
    ...{ context, live, diskSpace, facts: alarmFacts, units: units.registry, jobs: units.jobs, models },
    ...(options.checkDatabase && { checkDatabase: options.checkDatabase }),
  });
  return {
    cameras,
    /** The jobs of this node that serve the cluster. */
    leaderJobs,
    notes,
    descriptors,
    alarms,
    deletion: new ExperimentDeletion(context, stored, cameras.onDeleted, broker.clearRetained),
    unitTasks: fleetTasks(context),
    profiles: createProfiles({
      ...{ context, live, broker, jobs: leaderJobs, runtime: options.jobs },
      plugins: () => workingPlugins(options.plugins()),
    }),
    configuration: createConfig(context, sharedConfig),
    exports: createExports({
      ...{ context, version, config, usb: options.machine.usb },
      databasePath: join(dataFolder, leaderDatabaseFile),
    }),
    backups: createBackups({
      ...{ context, version, config, place: options.backupPlace },
      report: (problem) => alarms.reports.report('backup_failed', problem && `No backup was made: ${problem}`),
    }),
    charts: allCharts(sharedConfig, descriptors),
  };
}

/** Those that were loaded, with their versions. */
const workingPlugins = (plugins: Plugins) =>
  plugins
    .all()
    .flatMap(({ identity: { name, version }, error }) =>
      error === undefined && version !== null ? [{ name, version }] : [],
    );
