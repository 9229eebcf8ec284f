import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take long, in seconds on two cores. They begin first, whatever their project, so that no core is idle at the end
 * while one file runs. Others follow project by project, because a worker keeps the modules of its project.
 */
const slowSeconds: Readonly<Record<string, number>> = {
  'stops/stops-with-locked-database': 90,
  'stops/stops-on-full-disk': 80,
  'generated/generated-requests-1': 65,
  'generated/generated-requests-2': 65,
  'browser/experiments': 60,
  'browser/running-experiment': 56,
  'demo/demo': 55,
  'browser/dead-leader': 43,
  'browser/calibrations': 41,
  'browser/dilution': 26,
  'browser/jobs-and-marks': 23,
  'routes/datasets': 22,
  'browser/configuration': 21,
  'stops/killed-after-setting': 32,
  'stops/profile-without-disk': 30,
  'units/commands-after-changes': 20,
  'stops/locked-store': 18,
  'kill-units/killed-units': 19,
  'unit/silent-board': 18,
  'kill-units/frozen-readers': 17,
  'kill/killed-leader': 15,
  'virtual/ten-days': 12,
  'units/wrong-clock': 19,
  'routes/exports': 18,
  'unit/pumps-in-real-time': 17,
};

const secondsOf = ({ moduleId }: TestSpecification): number => {
  const [, place = ''] = /([^/]+\/[^/]+)\.test\.ts$/.exec(moduleId) ?? [];
  return slowSeconds[place] ?? 0;
};

const groupOf = ({ project }: TestSpecification): number => project.config.sequence.groupOrder;

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => groupOf(a) - groupOf(b) || secondsOf(b) - secondsOf(a));
  }
}
