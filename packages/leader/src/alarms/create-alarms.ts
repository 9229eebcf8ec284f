import { type Alarm, type alarmRoutes, type Handlers, minuteMs } from '@lcs/contract';
import type { Service } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';
import { ExperimentNames } from '../live/experiment-names.ts';
import type { LiveHub } from '../live/live-hub.ts';
import type { ModelCatalog } from '../models/model-catalog.ts';
import { AlarmChannels } from './alarm-channels.ts';
import { AlarmEngine, type AlarmEngineOptions, type AlarmReports } from './alarm-engine.ts';
import { alarmHandlers } from './alarm-handlers.ts';
import { AlarmRegistry } from './alarm-registry.ts';
import { AlarmRetention } from './alarm-retention.ts';
import { toAlarm } from './alarm-store.ts';
import { ChannelSecrets } from './channels/channel-secrets.ts';
import { Dispatcher } from './channels/dispatcher.ts';
import { NoticeQueue } from './channels/notice-queue.ts';
import { Pings } from './channels/pings.ts';
import { Reminders } from './channels/reminders.ts';
import { Drills } from './drill.ts';
import { IntegrityCheck } from './integrity-check.ts';
import { RuleStore } from './rule-store.ts';

export interface AlarmsOptions extends Pick<AlarmEngineOptions, 'facts' | 'units' | 'jobs' | 'diskSpace'> {
  readonly models: ModelCatalog;
  readonly context: LeaderContext;
  readonly live: LiveHub;
  /** Reads the whole database; resolves to its faults. Absent: the database is not checked. */
  readonly checkDatabase?: () => Promise<readonly string[]>;
}

/** Alarms: rules, open alarms and their handling, notification channels. */
export interface Alarms {
  readonly handlers: Handlers<typeof alarmRoutes>;
  /** All alarms that are not cleared, for the snapshot of the live stream. */
  readonly open: () => readonly Alarm[];
  /** For components that detect a condition themselves. */
  readonly reports: AlarmReports;
  readonly parts: readonly Service[];
  /** Services that start after the followers of the units. */
  readonly partsAfterHttp: readonly Service[];
}

/** The leader has a fault when its last complete evaluation is older. This covers several intervals: one interrupted evaluation is harmless. */
const maxEvaluationAgeMs = 2 * minuteMs;

/** The fault of the leader for the ping of external monitors; undefined: none. A leader that cannot evaluate alarms is faulty. */
function leaderFault(level: 'enough' | 'low' | 'full', sinceLastEvaluationMs: number): string | undefined {
  if (level === 'full') return 'The disk is full.';
  const isOverdue = sinceLastEvaluationMs > maxEvaluationAgeMs;
  return isOverdue ? `Alarms were last evaluated ${Math.round(sinceLastEvaluationMs / 1_000)} s ago.` : undefined;
}

/** Creates the feature and registers the kinds of its tasks. */
export function createAlarms(options: AlarmsOptions): Alarms {
  const { context, live, facts, units, jobs, diskSpace, models, checkDatabase } = options;
  const { database, wire } = context;
  const listen: AlarmEngineOptions['listen'] = (listener) => live.listen(listener);
  const secrets = new ChannelSecrets(context);
  const dispatcher = new Dispatcher(context, secrets);
  const queue = new NoticeQueue(context, dispatcher.wake);
  const registry = new AlarmRegistry(context, (...notice) => queue.add(...notice));
  const rules = new RuleStore({ ...context, models, facts });
  const names = new ExperimentNames(database, wire);
  const engine = new AlarmEngine({ context, registry, rules, models, facts, names, units, jobs, diskSpace, listen });
  const fault = () => leaderFault(diskSpace.level, engine.sinceLastEvaluationMs);
  const pings = new Pings({ context, dispatcher, fault });
  const reminders = new Reminders({ context, registry, queue });
  const drills = new Drills({ context, registry, dispatcher, queue, listen, engine });
  context.tasks.register(drills.drill);
  context.tasks.register(drills.test);
  const integrity = checkDatabase && new IntegrityCheck({ context, check: checkDatabase, reports: engine });
  const channels = new AlarmChannels(context, secrets, () => pings.wake());
  return {
    handlers: alarmHandlers({ context, registry, rules, drills, channels }),
    open: () => registry.open().map(toAlarm),
    reports: engine,
    parts: [secrets, rules, registry, drills, dispatcher, reminders],
    partsAfterHttp: [engine, pings, new AlarmRetention(context), ...(integrity ? [integrity] : [])],
  };
}
