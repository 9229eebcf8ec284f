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
  AlarmShelf,
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
    summary: 'Say that somebody has seen an alarm and looks after it',
    description: 'An alarm whose condition is over is cleared by it. One that was acknowledged stays as it is.',
    body: AlarmAcknowledgement,
    responses: ok(Alarm),
    errors: ['alarm_not_found', 'alarm_cleared'],
  },
  shelveAlarm: {
    ...act,
    path: `${one}/shelve`,
    summary: 'Put an alarm aside for a while, 24 hours at most',
    description:
      'It tells nobody anything until the shelf ends, however often its condition comes and goes. Then it is told again if the condition holds.',
    body: AlarmShelf,
    responses: ok(Alarm),
    errors: ['alarm_not_found', 'alarm_cleared', 'alarm_shelf_invalid'],
  },
  unshelveAlarm: {
    ...act,
    path: `${one}/unshelve`,
    summary: 'Take an alarm from its shelf',
    body: AlarmUnshelving,
    responses: ok(Alarm),
    errors: ['alarm_not_found', 'alarm_not_shelved'],
  },
  listAlarmRules: {
    ...read,
    path: '/api/alarms/rules',
    summary: 'When to alarm: rules with their parameters',
    responses: ok(Type.Array(AlarmRule)),
    errors: [],
  },
  updateAlarmRule: {
    ...admin,
    method: 'PATCH',
    path: oneRule,
    summary: 'Change a rule for all, for an experiment or for a unit',
    description: 'With `based_on` (or `if-match`) the change is refused when the rule is not that version any more.',
    body: AlarmRuleChange,
    bodyAliases: unitAlias,
    responses: ok(AlarmRule),
    errors: [...ruleErrors, 'nothing_to_change'],
  },
  resetAlarmRule: {
    ...admin,
    method: 'POST',
    path: `${oneRule}/reset`,
    summary: 'Take back what was changed of a rule',
    description: 'Without unit and experiment all of it, also what was set for single units and experiments.',
    body: AlarmRuleReset,
    bodyAliases: unitAlias,
    responses: ok(AlarmRule),
    errors: [...ruleErrors],
  },
  listAlarmChannels: {
    ...admin,
    method: 'GET',
    path: '/api/alarms/channels',
    summary: 'Where alarms are told: e-mail, webhooks, pings',
    description: 'The addresses of webhooks are secrets themselves: only those see them who may change them.',
    responses: ok(Type.Array(AlarmChannel)),
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
    summary: 'Remove a channel, with what waits for it',
    responses: acknowledged,
    errors: ['alarm_channel_not_found'],
  },
  testAlarmChannel: {
    ...admin,
    method: 'POST',
    path: `${oneChannel}/test`,
    summary: 'Send a test to a channel',
    description: 'The result of the task says whether it was delivered, and why not.',
    responses: accepted,
    errors: ['alarm_channel_not_found'],
  },
  listAlarmDeliveries: {
    ...admin,
    method: 'GET',
    path: '/api/alarms/deliveries',
    summary: 'What was sent to channels, newest first',
    query: AlarmDeliveryQuery,
    responses: ok(Type.Array(AlarmDelivery)),
    errors: [],
  },
  drillAlarms: {
    ...act,
    path: '/api/alarms/drill',
    summary: 'Try whether alarms reach people',
    description:
      'A task raises an alarm, reads it back, waits for its live event, sends it to each channel that is enabled and clears it. The result says how each step went.',
    body: AlarmDrill,
    responses: accepted,
    errors: [],
  },
});
