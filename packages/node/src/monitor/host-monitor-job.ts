import { monitorJob } from '@lcs/domain';
import type { JobDefinition } from '../jobs/job-definition.ts';
import { HostMonitor, monitorEveryMs, RepeatedWarnings } from './host-monitor.ts';
import type { HostStatistics } from './host-statistics.ts';

/** What every job `monitor` is, with a board or without. */
export const monitorDefinition = {
  name: monitorJob.name,
  settings: monitorJob.settings,
  options: monitorJob.options,
  isLongRunning: true,
  isActuating: false,
  stopGroup: 'rest',
} as const satisfies Omit<JobDefinition, 'start'>;

/** The job `monitor` of a node without a board. */
export const hostMonitorJob = (host: HostStatistics): JobDefinition => ({
  ...monitorDefinition,
  start: (context) => {
    const monitor = new HostMonitor(context, new RepeatedWarnings(context), { host });
    context.clock.after(0, () => monitor.look());
    context.repeat(monitorEveryMs, () => monitor.look());
    return {
      apply: ({ versions }) => {
        // After what was asked for has been published.
        if (versions !== undefined) context.clock.after(0, () => monitor.takeVersions(versions));
      },
    };
  },
});
