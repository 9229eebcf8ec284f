import { defaultGrowthRateParameters, growthRateJob, growthRateSettings, readSetting } from '@lcs/domain';
import type { Job, JobContext, JobDefinition } from '@lcs/node';
import { onDilution } from '../shared/dose-subscriber.ts';
import type { UnitDevices } from '../unit-devices.ts';
import { GrowthRateEstimator, type GrowthRateSetup } from './growth-rate.ts';
import { GrowthRateMemory } from './growth-rate-memory.ts';
import { gatherOds } from './od-gathering.ts';

const clearCache = 'clear_cache';

/** @throws ConfigValueError */
function setupOf({ config, model }: JobContext, { fusionOf }: UnitDevices): GrowthRateSetup {
  const outlierDeviations = readSetting(config, growthRateSettings.outlierDeviations);
  const warmUpReadings = readSetting(config, growthRateSettings.warmUpReadings);
  const isFused = (model?.name.endsWith('_XR') ?? false) && fusionOf() !== undefined;
  return {
    parameters: { ...defaultGrowthRateParameters, outlierDeviations, warmUpReadings },
    input: isFused ? 'od_fused' : 'od',
  };
}

function start(context: JobContext, devices: UnitDevices): Job {
  const memory = new GrowthRateMemory(devices.memory, context.experimentUid ?? context.experiment);
  if (context.args[0] === clearCache) {
    memory.forget();
    context.log('INFO', 'The stored filter state was deleted: normalised OD starts at 1 again.');
    return { done: Promise.resolve() };
  }
  const setup = setupOf(context, devices);
  const estimator = new GrowthRateEstimator(context, setup, memory);
  estimator.begin();
  gatherOds(context, setup.input, (ods) => estimator.add(ods));
  onDilution(context, (dose) => estimator.dose(dose));
  const setPaused = (isPaused: boolean) => {
    estimator.isPaused = isPaused;
  };
  return { sleep: () => setPaused(true), wake: () => setPaused(false), stop: () => estimator.store() };
}

/** The job `growth_rate_calculating`. */
export const growthRateCalculating = (devices: UnitDevices): JobDefinition => ({
  name: growthRateJob.name,
  settings: growthRateJob.settings,
  options: growthRateJob.options,
  usesJobs: growthRateJob.usesJobs ?? [],
  isActuating: false,
  stopGroup: 'rest',
  commands: [{ word: clearCache, help: 'Deletes the stored state of the filter: normalised OD starts at 1 again.' }],
  argsFault: ([first, ...others]) =>
    first === clearCache && others.length === 0 ? undefined : `Allowed arguments: none, or ${clearCache}.`,
  start: (context) => start(context, devices),
});
