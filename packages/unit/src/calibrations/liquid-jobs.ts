import { builtInJobs, isLiquidJob } from '@lcs/domain';
import { effectiveStopGroup, type JobDefinition } from '@lcs/node';

const builtInNames: ReadonlySet<string> = new Set(builtInJobs.map(({ name }) => name));

export const isPluginPumpJob = (definition: JobDefinition): boolean =>
  !builtInNames.has(definition.name) && effectiveStopGroup(definition) === 'pumps';

/** Whether a job may move liquid while the tubes of a pump that is calibrated are out of their places. */
export const mayMoveLiquid = (definition: JobDefinition): boolean =>
  isLiquidJob(definition.name) || isPluginPumpJob(definition);
