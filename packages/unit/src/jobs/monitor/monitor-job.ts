import { monitorJob } from '@lcs/domain';
import type { Job, JobContext, JobDefinition } from '@lcs/platform';
import { JobConfig } from '../shared/job-config.ts';
import type { UnitDevices } from '../unit-devices.ts';
import { Monitor } from './monitor.ts';

const lookEveryMs = 60_000;
const hourMs = 3_600_000;

function start(context: JobContext, devices: UnitDevices): Job {
  const hours = new JobConfig(context.config, 'monitor.config').number('self_check_interval_hours', 12, { min: 0 });
  const sayAgainMs = hours > 0 ? hours * hourMs : Number.POSITIVE_INFINITY;
  const monitor = new Monitor(context, devices, { lookEveryMs, sayAgainMs });
  monitor.begin();
  return {
    apply: ({ versions }) => {
      if (versions === undefined) return;
      const merged = monitor.versionsWith(versions);
      // After what was asked for has been published.
      context.clock.after(0, () => context.publish('versions', merged));
    },
  };
}

/** The job `monitor`, which runs always. */
export const monitor = (devices: UnitDevices): JobDefinition => ({
  name: monitorJob.name,
  settings: monitorJob.settings,
  options: monitorJob.options,
  isLongRunning: true,
  isActuating: false,
  stopGroup: 'rest',
  start: (context) => start(context, devices),
});
