import type { Alarm, AlarmNotice } from '@lcs/contract';

/** A notification: the body of webhooks, and the data of e-mails. */
export interface Notice {
  readonly notice: AlarmNotice;
  /** The leader's unit name. */
  readonly leader: string;
  /** The time of the decision, ISO-8601. */
  readonly timestamp: string;
  /** Null: a test of the channel. */
  readonly alarm: Alarm | null;
}

const firstLines: { readonly [Each in AlarmNotice]: string } = {
  raised: 'An alarm was raised.',
  returned: 'The condition of an alarm is over.',
  reminder: 'This alarm is not acknowledged yet.',
  drill: 'This is a drill: a test whether alarms reach you. No action is needed.',
  test: 'This is a test of this channel. No action is needed.',
};

/** Without line ends: it becomes the subject of an e-mail. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** A notice as an e-mail. */
export function emailOf({ notice, leader, timestamp, alarm }: Notice): {
  readonly subject: string;
  readonly text: string;
} {
  if (alarm === null) return { subject: `[${leader}] test of alarms`, text: `${firstLines[notice]}\n\n${timestamp}\n` };
  const label = notice === 'raised' ? alarm.severity : notice === 'returned' ? 'over' : notice;
  const where = [alarm.reactor_unit, alarm.experiment].filter((each) => each !== null).join(', ');
  const subject = oneLine(`[${leader}] ${label}: ${alarm.title}${where === '' ? '' : ` (${where})`}`);
  const lines = [
    ...[firstLines[notice], '', alarm.message, ''],
    ...[`Severity: ${alarm.severity}`, `State: ${alarm.state}`, `Since: ${alarm.since}`],
    ...(alarm.reactor_unit === null ? [] : [`Unit: ${alarm.reactor_unit}`]),
    ...(alarm.experiment === null ? [] : [`Experiment: ${alarm.experiment}`]),
    ...[`Leader: ${leader}`, `Sent: ${timestamp}`, `Id: ${alarm.alarm_id}`],
  ];
  return { subject, text: `${lines.join('\n')}\n` };
}

/** Whether several notices of this kind may be one e-mail. A person waits for the result of a drill or a test. */
export const isGathered = (notice: string): boolean => notice !== 'drill' && notice !== 'test';

/** The most alarms that one e-mail lists under a heading. */
const maxLines = 200;

const headings = [
  ['raised', 'Raised'],
  ['reminder', 'Not acknowledged yet'],
  ['returned', 'Over'],
] as const;

const lineOf = ({ alarm }: Notice): readonly string[] => {
  if (alarm === null) return [];
  const where = [alarm.reactor_unit, alarm.experiment].filter((each) => each !== null).join(', ');
  const title = `${alarm.severity}: ${alarm.title}${where === '' ? '' : ` (${where})`}`;
  return [oneLine(`- ${title}: ${alarm.message} Since ${alarm.since}.`)];
};

/** Several notices as one e-mail. */
export function digestOf(notices: readonly Notice[]): { readonly subject: string; readonly text: string } {
  const [first, ...others] = notices;
  if (first !== undefined && others.length === 0) return emailOf(first);
  const sections = headings.flatMap(([kind, heading]) => {
    const lines = notices.filter(({ notice }) => notice === kind).flatMap(lineOf);
    if (lines.length === 0) return [];
    const omitted = lines.length - maxLines;
    const more = omitted > 0 ? [`and ${omitted} more: see the alarms in the web UI, or run lcs alarms.`] : [];
    return [{ heading: `${heading}: ${lines.length}`, lines: [...lines.slice(0, maxLines), ...more] }];
  });
  const counted = sections.map(({ heading }) => heading.toLowerCase()).join(', ');
  const text = sections.map(({ heading, lines }) => `${heading}\n\n${lines.join('\n')}\n`).join('\n');
  const leader = first?.leader ?? '';
  return {
    subject: oneLine(`[${leader}] ${notices.length} alarms (${counted})`),
    text: `${text}\nLeader: ${leader}\nSent: ${notices.at(-1)?.timestamp ?? ''}\n`,
  };
}
