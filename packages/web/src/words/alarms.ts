import type { ReactNode } from 'react';
import { rich } from './rich.ts';

export const alarmsWords = {
  // Channel form
  email: 'E-mail',
  webhook: 'Webhook',
  heartbeatToExternalMonitor: 'Heartbeat to an external monitor',
  andWorse: (value: string) => `${value} and worse`,
  address: 'Address',
  minimumSeverity: 'Minimum severity',
  repeatEveryH: 'Repeat every (h)',
  zeroMeansNever: '0: never',
  alsoWhenItClears: 'Also when it clears',
  mailServerHelp: 'Mail server: section [smtp] of leader.ini',
  secretIsSet: 'A secret is set; it stays unless you enter another',
  secretHelp: 'Optional; signs each notification',
  secret: 'Secret',
  method: 'Method',
  everyMin: 'Every (min)',
  enabled: 'Enabled',
  addNotification: 'Add a notification',
  changeNamed: (channelName: string) => `Change ${channelName}`,

  // Drill panel
  testAlarm: 'Test alarm',
  sendTestAlarm: 'Send test alarm',
  drillHelp: 'Raises a test alarm, sends it to all enabled notifications, and clears it. The event log records it.',
  resultOfTestAlarm: 'Result of the test alarm',
  recordedOnDisk: 'Recorded on disk.',
  notRecorded: 'Not recorded.',
  shownLive: 'Shown live.',
  notShownLive: 'Not shown live.',
  notDeliveredInline: (error: string) => `not delivered. ${error}`,
  delivered: 'delivered.',
  nobodyWasNotified: 'Nobody was notified: there is no enabled notification.',

  // Alarm channels
  kindLabels: { email: 'E-mail', webhook: 'Webhook', ping: 'Heartbeat' },
  everyMinNamed: (everyMinutes: number | null) => `every ${everyMinutes} min`,
  repeatsEveryH: (remindHours: number) => `repeats every ${remindHours} h`,
  testWasDeliveredInMs: (tookMs: number) => `The test was delivered in ${tookMs} ms.`,
  notDelivered: (error: string) => `Not delivered. ${error}`,
  countWaiting: (waiting: number) => `${waiting} waiting`,
  deliveredAt: (moment: ReactNode) => rich`delivered ${moment}`,
  failedAt: (moment: ReactNode, lastError: ReactNode) => rich`failed ${moment}: ${lastError}`,
  sendTest: 'Send a test',
  sendTestTo: (name: string) => `Send a test to ${name}`,
  loadingNotifications: 'Loading the notifications',
  nobodyNotifiedYet:
    'Nobody is notified yet. Add e-mail, a webhook (chat, text message), or a heartbeat to an external monitor that alerts you when the leader itself is down.',

  // Alarm action dialog
  minutes15: '15 minutes',
  hours1: '1 hour',
  hours4: '4 hours',
  hours12: '12 hours',
  hours24: '24 hours',
  for: 'For',
  yourName: 'Your name',
  comment: 'Comment',
  whatYouFoundOrDid: 'What you found or did',
  acknowledge: 'Acknowledge',
  mute: 'Mute',

  // Alarm card
  history: 'History',
  acknowledgeNamed: (about: string) => `Acknowledge ${about}`,
  unmute: 'Unmute',
  muteDialog: 'Mute…',
  muteNamed: (about: string) => `Mute ${about}`,
  occurrences: (occurrences: number) => `${occurrences} times`,
  mutedUntil: (moment: ReactNode) => rich`until ${moment}`,
  until: (moment: ReactNode) => rich`until ${moment}`,
  sinceAgo: (elapsed: ReactNode) => rich`(${elapsed} ago)`,

  // Alarm history
  last24Hours: 'Last 24 hours',
  last7Days: 'Last 7 days',
  last30Days: 'Last 30 days',
  anyTime: 'Any time',
  searchHint: 'Message, unit, experiment or comment',
  time: 'Time',
  loadingHistoryOfAlarms: 'Loading the history of alarms',
  noAlarmMatches: 'No alarm matches',
  noEarlierAlarms: 'No earlier alarms',
  changeTextOrTime: 'Change the text or the time.',
  historyHelp: 'An alarm moves here when its condition is over and somebody has acknowledged it.',
  earlierAlarms: 'Earlier alarms',

  // Rule form
  noLimitInline: 'no limit',
  experimentNamed: (experiment: string | null) => `Experiment ${experiment}`,
  severity: 'Severity',
  resetToDefault: 'Reset to the default',
  resetRemovesOverrides: 'This also removes the values for single units and experiments.',

  ruleIsOff: 'This rule is off: it raises no alarm, whatever its values are. Switch on “Enabled” to use it.',

  // Alarm rules
  changed: 'changed',
  on: 'on',
  off: 'off',
  rules: 'Rules',
  loadingRules: 'Loading the rules',

  // Open alarms
  selectAll: 'Select all',
  acknowledgeSelected: (count: number) => `Acknowledge ${count} selected`,
  acknowledgeAll: (count: number) => `Acknowledge all ${count}`,
  latestEvent: (text: string, moment: ReactNode) => rich`Latest: ${text}, ${moment}`,
  noAlarms: 'No alarms',
  noAlarmsHelp:
    'An alarm appears here when a unit is offline, a value leaves its range or a job fails. It stays here until acknowledged.',
  setUpNotifications: 'Set up notifications',
  loadingAlarms: 'Loading the alarms',

  // Alarms page
  tabs: { now: 'Now', history: 'History', rules: 'Rules', notifications: 'Notifications' },
  thereIsNoSuchPage: 'There is no such page',
  alarmsNow: 'Alarms now',
} as const;
