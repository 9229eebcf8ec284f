import { type Static, Type } from 'typebox';
import { AlarmSeverity } from './alarm.ts';
import { closed, Nullable, Timestamp } from './common.ts';

/** A leader in a few numbers. */
export const LeaderSummary = closed(
  {
    leader: Type.String({ description: 'Its unit name' }),
    version: Type.String(),
    units: Type.Integer({ description: 'Units in its inventory' }),
    units_online: Type.Integer({ description: 'Those that answer' }),
    jobs_running: Type.Integer({ description: 'Running and paused jobs of all units' }),
    alarms_open: Type.Integer({ description: 'Alarms that are not cleared' }),
    worst_alarm: Nullable(AlarmSeverity),
  },
  { title: 'LeaderSummary' },
);
export type LeaderSummary = Static<typeof LeaderSummary>;

export const OtherLeader = closed(
  {
    name: Type.String({ description: 'Its key in section `[leaders]` of leader.ini' }),
    url: Type.String(),
    state: Type.Union([Type.Literal('waiting'), Type.Literal('reachable'), Type.Literal('unreachable')], {
      description: '`waiting`: not asked yet',
    }),
    since: Nullable(Timestamp, { description: 'Start of this state; null while waiting' }),
    summary: Nullable(LeaderSummary, {
      description: 'The newest; of an unreachable leader the last one, null if there was none',
    }),
    fault: Nullable(closed({ error: Type.String(), cause: Type.String(), remediation: Type.String() }), {
      description: 'Why it is unreachable',
    }),
  },
  { title: 'OtherLeader' },
);
export type OtherLeader = Static<typeof OtherLeader>;

export const OtherLeaders = closed({ leaders: Type.Array(OtherLeader) }, { title: 'OtherLeaders' });
export type OtherLeaders = Static<typeof OtherLeaders>;
