import { ApiError, type alarmRoutes, authorOf, type Caller, type Handlers } from '@lcs/contract';
import { shelvingEnd } from '@lcs/domain';
import type { LeaderContext } from '../core/leader-context.ts';
import { acceptedTask } from '../core/tasks.ts';
import { parseTimestamp } from '../core/timestamps.ts';
import type { AlarmChannels } from './alarm-channels.ts';
import type { AlarmRegistry } from './alarm-registry.ts';
import { alarmById, historyOf, listedAlarms, toAlarm } from './alarm-store.ts';
import { listedDeliveries } from './channels/channel-store.ts';
import type { Drills } from './drill.ts';
import type { RuleStore } from './rule-store.ts';

export interface AlarmParts {
  readonly context: LeaderContext;
  readonly registry: AlarmRegistry;
  readonly rules: RuleStore;
  readonly drills: Drills;
  readonly channels: AlarmChannels;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The version on which a change is based; the body takes precedence over the header. */
function versionWanted(basedOn: number | undefined, headers: Headers): number | undefined {
  if (basedOn !== undefined) return basedOn;
  const match = [headers['if-match'] ?? []].flat().join(',').replace(/^W\//, '').replaceAll('"', '').trim();
  if (match === '' || match === '*') return undefined;
  // A tag that is not a version cannot match this rule.
  return /^\d{1,9}$/.test(match) ? Number(match) : -1;
}

const etag = ({ version }: { readonly version: number }) => ({ etag: `"${version}"` });

function actions({ context, registry }: AlarmParts) {
  return {
    shelve: async (
      alarmId: string,
      shelf: { minutes?: number; until?: string },
      actor: Parameters<AlarmRegistry['shelve']>[2],
    ) => {
      const untilMs = shelf.until === undefined ? undefined : (parseTimestamp(shelf.until) ?? Number.NaN);
      const end = shelvingEnd({ minutes: shelf.minutes, untilMs }, context.clock.now());
      if (typeof end !== 'number') throw new ApiError('alarm_shelf_invalid', end);
      return toAlarm(await registry.shelve(alarmId, end, actor));
    },
    one: async (alarmId: string) => {
      const { read } = context.database;
      const stored = await alarmById(read, alarmId);
      if (stored === undefined) throw new ApiError('alarm_not_found', { alarm: alarmId });
      return { ...toAlarm(stored), history: await historyOf(read, stored.id) };
    },
  };
}

/** The body with the caller as its author; while nobody has an account, with the author that it names. */
const signed = <Body extends { readonly author?: string | null }>(body: Body, caller: Caller): Body => ({
  ...body,
  author: authorOf(caller, body.author),
});

/** `/api/alarms`. */
export function alarmHandlers(parts: AlarmParts): Handlers<typeof alarmRoutes> {
  const { context, registry, rules, drills, channels } = parts;
  const { database, leader, tasks } = context;
  const { shelve, one } = actions(parts);
  return {
    listAlarms: async ({ query }) => ({ status: 200, body: (await listedAlarms(database.read, query)).map(toAlarm) }),
    getAlarm: async ({ params }) => ({ status: 200, body: await one(params.alarm_id) }),
    acknowledgeAlarm: async ({ params, body, caller }) => ({
      status: 200,
      body: toAlarm(await registry.acknowledge(params.alarm_id, signed(body, caller))),
    }),
    shelveAlarm: async ({ params, body, caller }) => ({
      status: 200,
      body: await shelve(params.alarm_id, body, signed(body, caller)),
    }),
    unshelveAlarm: async ({ params, body, caller }) => ({
      status: 200,
      body: toAlarm(await registry.unshelve(params.alarm_id, signed(body, caller))),
    }),
    listAlarmRules: async () => ({ status: 200, body: rules.list() }),
    updateAlarmRule: async ({ params, body, headers, caller }) => {
      const rule = await rules.update(params.rule, signed(body, caller), versionWanted(body.based_on, headers));
      return { status: 200, body: rule, headers: etag(rule) };
    },
    resetAlarmRule: async ({ params, body, headers, caller }) => {
      const rule = await rules.reset(params.rule, signed(body, caller), versionWanted(body.based_on, headers));
      return { status: 200, body: rule, headers: etag(rule) };
    },
    listAlarmChannels: async () => ({ status: 200, body: await channels.list() }),
    createAlarmChannel: async ({ body }) => ({ status: 201, body: await channels.create(body) }),
    updateAlarmChannel: async ({ params, body }) => ({
      status: 200,
      body: await channels.update(params.channel_id, body),
    }),
    deleteAlarmChannel: async ({ params }) => {
      await channels.remove(params.channel_id);
      return { status: 200, body: { status: 'success' } };
    },
    testAlarmChannel: async ({ params }) => {
      await channels.mustExist(params.channel_id);
      const { taskId } = await tasks.submit(drills.test, { channel_id: params.channel_id });
      return { status: 202, body: acceptedTask(leader, taskId) };
    },
    listAlarmDeliveries: async ({ query }) => ({ status: 200, body: await listedDeliveries(database.read, query) }),
    drillAlarms: async ({ body, caller }) => {
      const input = { author: authorOf(caller, body.author), comment: body.comment?.trim() || null };
      const { taskId } = await tasks.submit(drills.drill, input);
      return { status: 202, body: acceptedTask(leader, taskId) };
    },
  };
}
