import { Type } from 'typebox';
import {
  Alarm,
  AlarmAcknowledgement,
  AlarmChannel,
  AlarmChannelChange,
  AlarmChannelCreation,
  AlarmDelivery,
  AlarmDeliveryQuery,
  AlarmDrill,
  AlarmQuery,
  AlarmRule,
  AlarmRuleChange,
  AlarmRuleReset,
  AlarmShelving,
  AlarmUnshelving,
  AlarmWithHistory,
} from '../resources/alarm.ts';
import { type RouteDeclaration, routes } from '../route.ts';
import { accepted, acknowledged, ok, unitAlias } from './answers.ts';

const shared = { tag: 'Alarms', origin: 'extension' } as const satisfies Partial<RouteDeclaration>;
const read = { ...shared, method: 'GET', permission: 'alarms.read', cache: 'no-cache' } as const;
const act = { ...shared, method: 'POST', permission: 'alarms.act', cache: 'no-store' } as const;
const admin = { ...shared, permission: 'alarms.admin', cache: 'no-store' } as const;

const one = '/api/alarms/{alarm_id}';
const oneRule = '/api/alarms/rules/{rule}';
const oneChannel = '/api/alarms/channels/{channel_id}';

const ruleErrors = [
  ...(['alarm_rule_not_found', 'alarm_rule_invalid', 'alarm_rule_changed'] as const),
  ...(['experiment_not_found', 'unit_unknown'] as const),
] as const;

export const alarmRoutes = routes({
  listAlarms: {
    ...read,
    path: '/api/alarms',
    summary: 'Alarms, newest first',
    query: AlarmQuery,
    responses: ok(Type.Array(Alarm)),
    errors: [],
  },
  getAlarm: {
    ...read,
    path: one,
    summary: 'One alarm with its history',
    responses: ok(AlarmWithHistory),
    errors: ['alarm_not_found'],
  },
  acknowledgeAlarm: {
    ...act,
    path: `${one}/acknowledge`,
    summary: 'Acknowledge an alarm: someone has seen it and takes care of it',
    description: 'Clears an alarm whose condition is over. An acknowledged alarm does not change.',
    body: AlarmAcknowledgement,
    responses: ok(Alarm),
    errors: ['alarm_not_found', 'alarm_cleared'],
  },
  shelveAlarm: {
    ...act,
    path: `${one}/shelve`,
    summary: 'Shelve an alarm for a time, 24 hours at most',
    description:
      'No notification is sent until the shelving ends, also when its condition returns. Then it is sent again if the condition holds.',
    body: AlarmShelving,
    responses: ok(Alarm),
    errors: ['alarm_not_found', 'alarm_cleared', 'alarm_shelf_invalid'],
  },
  unshelveAlarm: {
    ...act,
    path: `${one}/unshelve`,
    summary: 'Unshelve an alarm',
    body: AlarmUnshelving,
    responses: ok(Alarm),
    errors: ['alarm_not_found', 'alarm_not_shelved'],
  },
  listAlarmRules: {
    ...read,
    path: '/api/alarms/rules',
    summary: 'Alarm rules with their parameters',
    responses: ok(Type.Array(AlarmRule)),
    errors: [],
  },
  updateAlarmRule: {
    ...admin,
    method: 'PATCH',
    path: oneRule,
    summary: 'Change a rule for all, for an experiment or for a unit',
    description: 'With `based_on` (or `if-match`) the change is refused when the rule has another version now.',
    body: AlarmRuleChange,
    bodyAliases: unitAlias,
    responses: ok(AlarmRule),
    errors: [...ruleErrors, 'nothing_to_change'],
  },
  resetAlarmRule: {
    ...admin,
    method: 'POST',
    path: `${oneRule}/reset`,
    summary: 'Reset a rule to its defaults',
    description: 'Without unit and experiment all values, also those of single units and experiments.',
    body: AlarmRuleReset,
    bodyAliases: unitAlias,
    responses: ok(AlarmRule),
    errors: [...ruleErrors],
  },
  listAlarmChannels: {
    ...admin,
    method: 'GET',
    path: '/api/alarms/channels',
    summary: 'Notification channels: e-mail, webhooks, pings',
    description: 'The addresses of webhooks are secrets: only callers who may change channels receive them.',
    responses: ok(Type.Array(AlarmChannel)),
    showsSecret: true,
    errors: [],
  },
  createAlarmChannel: {
    ...admin,
    method: 'POST',
    path: '/api/alarms/channels',
    summary: 'Add a channel',
    body: AlarmChannelCreation,
    responses: { 201: { description: 'Created', schema: AlarmChannel } },
    errors: ['alarm_channel_invalid', 'alarm_channel_name_taken'],
  },
  updateAlarmChannel: {
    ...admin,
    method: 'PATCH',
    path: oneChannel,
    summary: 'Change a channel',
    body: AlarmChannelChange,
    responses: ok(AlarmChannel),
    errors: ['alarm_channel_not_found', 'alarm_channel_invalid', 'alarm_channel_name_taken', 'nothing_to_change'],
  },
  deleteAlarmChannel: {
    ...admin,
    method: 'DELETE',
    path: oneChannel,
    summary: 'Remove a channel with its pending notifications',
    responses: acknowledged,
    errors: ['alarm_channel_not_found'],
  },
  testAlarmChannel: {
    ...admin,
    method: 'POST',
    path: `${oneChannel}/test`,
    summary: 'Send a test to a channel',
    description: 'The result of the task contains whether it was delivered, and why not.',
    responses: accepted,
    errors: ['alarm_channel_not_found'],
  },
  listAlarmDeliveries: {
    ...admin,
    method: 'GET',
    path: '/api/alarms/deliveries',
    summary: 'Notifications to channels, newest first',
    query: AlarmDeliveryQuery,
    responses: ok(Type.Array(AlarmDelivery)),
    errors: [],
  },
  drillAlarms: {
    ...act,
    path: '/api/alarms/drill',
    summary: 'Test the delivery of alarms',
    description:
      'A task raises an alarm, reads it back, waits for its live event, sends it to each channel that is enabled and clears it. The result contains the outcome of each step.',
    body: AlarmDrill,
    responses: accepted,
    errors: [],
  },
});
