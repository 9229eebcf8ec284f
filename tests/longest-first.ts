import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take long, in the order in which they begin: before all others, so that no core is idle at the end while one file runs.
 * Those that wait most of their time and those that compute take turns.
 */
const longFiles: readonly string[] = [
  'browser/dead-leader',
  'browser/calibrations',
  'browser/experiments',
  'browser/running-experiment',
  'browser/dilution',
  'browser/jobs-and-marks',
  'browser/configuration',
  'stops/stops-with-locked-database',
  'generated/generated-requests-1',
  'stops/stops-on-full-disk',
  'broker/mosquitto-websocket.process',
  'demo/demo',
  'stops/killed-after-setting',
  'virtual/ten-days',
  'stops/profile-without-disk',
  'routes/plugins',
  'guard/guard.process',
  'routes/exports',
  'kill-units/killed-units',
  'routes/leader-plugins',
  'units/wrong-clock',
  'routes/datasets',
  'stops/locked-store',
  'units/commands-after-changes',
  'unit/silent-board',
  'routes/cluster-system',
  'kill/killed-leader',
  'data-folder/data-folder',
  'kill-units/frozen-readers',
  'routes/config-units',
  'unit/pumps-in-real-time',
  'dosing-automation/dosing-simulated',
  'linux/linux-guard.process',
  'routes/every-route',
  'store/crash.process',
  'broker/mosquitto-tcp.process',
];

const places = new Map(longFiles.map((file, place) => [file, place]));

const placeOf = ({ moduleId }: TestSpecification): number => {
  const [, file = ''] = /([^/]+\/[^/]+)\.test\.ts$/.exec(moduleId) ?? [];
  return places.get(file) ?? longFiles.length;
};

/** A worker keeps the modules of its project: projects follow each other, the one whose files all take long first. */
const projectOf = ({ project }: TestSpecification): number => ['browser', 'service', 'whole'].indexOf(project.name);

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => projectOf(a) - projectOf(b) || placeOf(a) - placeOf(b));
  }
}
