import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take long, in the order in which they begin: before all others, so that no core is idle at the end while one file runs.
 * Those that wait most of their time and those that compute take turns.
 */
const longFiles: readonly string[] = [
  'stops/stops-with-locked-database',
  'browser/experiments',
  'stops/stops-on-full-disk',
  'browser/running-experiment',
  'demo/demo',
  'browser/jobs-and-marks',
  'broker/mosquitto-websocket.process',
  'browser/configuration',
  'routes/broker-check',
  'network/namespaces',
  'commands/setup.process',
  'browser/protocols',
  'guard/guard.process',
  'browser/poor-connections',
  'browser/page-rules',
  'browser/many-units',
  'routes/both-engines',
  'stops/profile-without-disk',
  'browser/now',
  'kill-units/killed-units',
  'kill-fleet/killed-fleet',
  'browser/dead-leader',
  'stops/killed-after-setting',
  'browser/calibrations',
  'unit/silent-board',
  'browser/dilution',
  'topics/topics',
  'browser/inventory',
  'stops/locked-store',
  'browser/system',
  'routes/exports',
  'units/wrong-clock',
  'browser/tablet',
  'unit/pumps-in-real-time',
  'browser/access',
  'units/missed-stops',
  'browser/samples-and-export',
  'browser/profile-walk',
  'broker/mosquitto-tcp.process',
  'routes/cameras',
  'browser/alarms',
  'routes/cluster-system',
  'guard/guard-child.process',
  'browser/profile-runs',
  'routes/profile-rehearsal',
  'browser/rehearsal',
  'routes/plugins',
  'cluster/tracing',
  'browser/experiment-access',
  'backups/backups',
  'profiles/killed-leader',
  'browser/ended-experiment',
  'routes/leader-jobs',
  'cluster/confirm-dilution',
  'browser/stored-scripts',
  'ui-contract/inventory-and-leader',
  'browser/oidc',
  'units/desired',
  'unit/unit-command',
  'generated/generated-requests-1',
  'cluster/command-line-units',
  'network/route-access',
  'rehearsal/rehearse.process',
  'linux/linux-guard.process',
  'routes/datasets',
  'dosing-automation/dosing-simulated',
  'routes/calibration-jobs',
  'routes/example-plugin',
  'cluster/capsule',
  'routes/imports',
  'unit/killed-together',
  'growth-rate/growth-rate-job',
  'faults/dry-pumps',
  'growth-rate/growth-rate',
  'ui-contract/broker',
  'cluster/command-line',
  'outbox/outbox-kill.process',
  'faults/doses-without-effect',
  'broadcast/silent-units',
  'routes/growth-curves',
  'both-roles/leader-with-board',
  'units/commands-after-changes',
  'routes/leader-plugins',
  'virtual/week-long-control',
  'kill-units/frozen-readers',
  'growth-curves/growth-curves',
  'rehearsal/draw-run',
  'plugins/faulty-plugins',
  'profiles/profile-conditions',
  'profiles/profile-runs',
  'routes/every-route',
  'temperature/temperature-job',
];

const places = new Map(longFiles.map((file, place) => [file, place]));

const placeOf = ({ moduleId }: TestSpecification): number => {
  const [, file = ''] = /([^/]+\/[^/]+)\.test\.ts$/.exec(moduleId) ?? [];
  return places.get(file) ?? longFiles.length;
};

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => placeOf(a) - placeOf(b));
  }
}
