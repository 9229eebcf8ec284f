import type { Alarm, AlarmNotice } from '@lcs/contract';

/** What a channel is told: the body of webhooks, and what letters are written from. */
export interface Notice {
  readonly notice: AlarmNotice;
  /** The leader's unit name. */
  readonly leader: string;
  /** When it was decided, ISO-8601. */
  readonly timestamp: string;
  /** Null: a test of the channel. */
  readonly alarm: Alarm | null;
}

const first: { readonly [Each in AlarmNotice]: string } = {
  raised: 'An alarm was raised.',
  returned: 'The condition of an alarm is over.',
  reminder: 'Nobody has acknowledged this alarm yet.',
  drill: 'This is a drill: somebody tries whether alarms reach you. Nothing is wrong.',
  test: 'This is a test of this channel. Nothing is wrong.',
};

/** Without line ends: it becomes the subject of a letter. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** A notice as a letter. */
export function letterOf({ notice, leader, timestamp, alarm }: Notice): {
  readonly subject: string;
  readonly text: string;
} {
  if (alarm === null) return { subject: `[${leader}] test of alarms`, text: `${first[notice]}\n\n${timestamp}\n` };
  const word = notice === 'raised' ? alarm.severity : notice === 'returned' ? 'over' : notice;
  const where = [alarm.reactor_unit, alarm.experiment].filter((each) => each !== null).join(', ');
  const subject = oneLine(`[${leader}] ${word}: ${alarm.title}${where === '' ? '' : ` (${where})`}`);
  const lines = [
    ...[first[notice], '', alarm.message, ''],
    ...[`Severity: ${alarm.severity}`, `State: ${alarm.state}`, `Since: ${alarm.since}`],
    ...(alarm.reactor_unit === null ? [] : [`Unit: ${alarm.reactor_unit}`]),
    ...(alarm.experiment === null ? [] : [`Experiment: ${alarm.experiment}`]),
    ...[`Leader: ${leader}`, `Told: ${timestamp}`, `Id: ${alarm.alarm_id}`],
  ];
  return { subject, text: `${lines.join('\n')}\n` };
}
