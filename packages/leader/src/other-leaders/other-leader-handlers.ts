import {
  type Alarm,
  alarmSeverities,
  type Handlers,
  type LiveJob,
  type otherLeaderRoutes,
  type UnitStatus,
} from '@lcs/contract';
import type { OtherLeaders } from './other-leaders.ts';

export interface SummaryFacts {
  readonly leader: string;
  readonly version: string;
  readonly units: () => readonly UnitStatus[];
  readonly jobs: () => readonly LiveJob[];
  /** Those that are not cleared. */
  readonly alarms: () => readonly Alarm[];
}

/** Not those that nodes run for themselves, nor those that were lost with their unit. */
const isOfExperiment = ({ experiment, state }: LiveJob): boolean => experiment !== '$experiment' && state !== 'lost';

/** Other leaders, and the summary of this one for them. */
export const otherLeaderHandlers = (
  others: Pick<OtherLeaders, 'all'>,
  { leader, version, units, jobs, alarms }: SummaryFacts,
): Handlers<typeof otherLeaderRoutes> => ({
  listOtherLeaders: () => ({ status: 200, body: { leaders: [...others.all()] } }),
  getLeaderSummary: () => {
    const severities = new Set(alarms().map(({ severity }) => severity));
    const body = {
      leader,
      version,
      units: units().length,
      units_online: units().filter(({ liveness }) => liveness === 'online').length,
      jobs_running: jobs().filter(isOfExperiment).length,
      alarms_open: alarms().length,
      worst_alarm: alarmSeverities.findLast((severity) => severities.has(severity)) ?? null,
    };
    return { status: 200, body };
  },
});
