import { growthRateJob, usualGrowthRate } from '@lcs/domain';
import type { Job, JobContext, JobDefinition } from '@lcs/platform';
import { onDilution } from '../shared/dose-subscriber.ts';
import { JobConfig, JobConfigError } from '../shared/job-config.ts';
import type { UnitDevices } from '../unit-devices.ts';
import { GrowthRateEstimator, type GrowthRateSetup } from './growth-rate.ts';
import { GrowthRateMemory } from './growth-rate-memory.ts';
import { gatherOds } from './od-gathering.ts';

const clearCache = 'clear_cache';

/** @throws JobConfigError */
function setupOf({ config, model }: JobContext, { fusionOf }: UnitDevices): GrowthRateSetup {
  const section = new JobConfig(config, 'growth_rate_calculating.config');
  const outlierDeviations = section.number('ekf_outlier_std_threshold', usualGrowthRate.outlierDeviations);
  if (outlierDeviations <= 2) {
    const given = String(outlierDeviations);
    throw new JobConfigError('growth_rate_calculating.config', 'ekf_outlier_std_threshold', given, 'more than 2');
  }
  const range = { min: 1, max: 1000 };
  const warmUpReadings = Math.round(section.number('samples_for_od_statistics', usualGrowthRate.warmUpReadings, range));
  const isFused = (model?.name.endsWith('_XR') ?? false) && fusionOf() !== undefined;
  return {
    parameters: { ...usualGrowthRate, outlierDeviations, warmUpReadings },
    input: isFused ? 'od_fused' : 'od',
  };
}

function start(context: JobContext, devices: UnitDevices): Job {
  const memory = new GrowthRateMemory(devices.memory, context.experimentUid ?? context.experiment);
  if (context.args[0] === clearCache) {
    memory.forget();
    context.log('INFO', 'The start of the normalised OD is forgotten.');
    return { done: Promise.resolve() };
  }
  const setup = setupOf(context, devices);
  const estimator = new GrowthRateEstimator(context, setup, memory);
  estimator.begin();
  gatherOds(context, setup.input, (gathered) => estimator.take(gathered));
  onDilution(context, (dose) => estimator.dose(dose));
  const rests = (isAsleep: boolean) => {
    estimator.isAsleep = isAsleep;
  };
  return { sleep: () => rests(true), wake: () => rests(false), stop: () => estimator.keep() };
}

/** The job `growth_rate_calculating`. */
export const growthRateCalculating = (devices: UnitDevices): JobDefinition => ({
  name: growthRateJob.name,
  settings: growthRateJob.settings,
  options: growthRateJob.options,
  isActuating: false,
  stopGroup: 'rest',
  refuseArgs: ([first, ...others]) =>
    first === clearCache && others.length === 0 ? undefined : `It takes nothing, or ${clearCache}.`,
  start: (context) => start(context, devices),
});
