import { availableParallelism } from 'node:os';
import { type Job, type JobContext, type JobDefinition, monitorDefinition } from '@lcs/platform';
import { JobConfig } from '../shared/job-config.ts';
import type { UnitDevices } from '../unit-devices.ts';
import { ButtonWatch } from './board-button.ts';
import { Monitor } from './monitor.ts';

/** Unless somebody has said it, a computer with one core has other things to do. */
function isButtonWanted({ config }: JobContext): boolean {
  const section = new JobConfig(config, 'monitor.config');
  return section.text('enable_button') === 'auto' || section.text('enable_button') === undefined
    ? availableParallelism() > 1
    : section.boolean('enable_button', true);
}

function start(context: JobContext, devices: UnitDevices): Job {
  const monitor = new Monitor(context, devices);
  monitor.begin();
  const button =
    isButtonWanted(context) && devices.button !== undefined ? new ButtonWatch(context, devices.button) : undefined;
  button?.begin();
  return {
    stop: () => button?.stop(),
    apply: ({ versions }) => {
      // After what was asked for has been published.
      if (versions !== undefined) context.clock.after(0, () => monitor.takeVersions(versions));
    },
  };
}

/** The job `monitor`, which runs always. */
export const monitor = (devices: UnitDevices): JobDefinition => ({
  ...monitorDefinition,
  start: (context) => start(context, devices),
});
