import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take long, in seconds on two cores. They begin first, so that no core is idle at the end while one file runs. Those
 * that wait most of their time and those that compute take turns.
 */
const slowSeconds: Readonly<Record<string, number>> = {
  'stops/stops-with-locked-database': 90,
  'stops/stops-on-full-disk': 80,
  'generated/generated-requests-1': 65,
  'generated/generated-requests-2': 65,
  'demo/demo': 55,
  'broker/mosquitto-websocket.process': 45,
  'browser/dead-leader': 43,
  'browser/calibrations': 41,
  'browser/experiments': 40,
  'browser/running-experiment': 38,
  'stops/killed-after-setting': 32,
  'stops/profile-without-disk': 30,
  'guard/guard.process': 30,
  'browser/dilution': 26,
  'browser/jobs-and-marks': 23,
  'routes/datasets': 22,
  'browser/configuration': 21,
  'kill-units/killed-units': 19,
  'units/wrong-clock': 19,
  'stops/locked-store': 18,
  'unit/silent-board': 18,
  'routes/exports': 18,
  'kill-units/frozen-readers': 17,
  'unit/pumps-in-real-time': 17,
  'units/commands-after-changes': 15,
  'linux/linux-guard.process': 13,
  'broker/mosquitto-tcp.process': 13,
  'kill/killed-leader': 12,
  'virtual/ten-days': 12,
};

const secondsOf = ({ moduleId }: TestSpecification): number => {
  const [, place = ''] = /([^/]+\/[^/]+)\.test\.ts$/.exec(moduleId) ?? [];
  return slowSeconds[place] ?? 0;
};

/** A worker keeps the modules of its project: projects follow each other, the one whose files all take long first. */
const placeOf = ({ project }: TestSpecification): number => ['browser', 'service', 'whole'].indexOf(project.name);

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => placeOf(a) - placeOf(b) || secondsOf(b) - secondsOf(a));
  }
}
