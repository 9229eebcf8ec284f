import { monitorJob } from '@lcs/domain';
import type { JobDefinition } from '../jobs/job-definition.ts';
import { HostMonitor, monitorEveryMs, RepeatedWarnings } from './host-monitor.ts';
import type { HostStatistics } from './host-statistics.ts';

/** The common part of every job `monitor`, with and without a board. */
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
    context.clock.after(0, () => monitor.check());
    context.repeat(monitorEveryMs, () => monitor.check());
    return {
      apply: ({ versions }) => {
        // After the requested publication.
        if (versions !== undefined) context.clock.after(0, () => monitor.addVersions(versions));
      },
    };
  },
});
