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
export function emailOf({ notice, leader, timestamp, alarm }: Notice): {
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

/** Whether several notices of this kind may be one letter. Somebody waits for what a drill or a test does. */
export const isGathered = (notice: string): boolean => notice !== 'drill' && notice !== 'test';

/** What one letter lists; whoever wants all of them looks at the page. */
const mostLines = 200;

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

/** Several notices as one letter. */
export function digestOf(notices: readonly Notice[]): { readonly subject: string; readonly text: string } {
  const [first, ...others] = notices;
  if (first !== undefined && others.length === 0) return emailOf(first);
  const sections = headings.flatMap(([word, heading]) => {
    const lines = notices.filter(({ notice }) => notice === word).flatMap(lineOf);
    if (lines.length === 0) return [];
    const left = lines.length - mostLines;
    const more = left > 0 ? [`and ${left} more: the page of alarms and lcs alarms have all of them.`] : [];
    return [{ heading: `${heading}: ${lines.length}`, lines: [...lines.slice(0, mostLines), ...more] }];
  });
  const counted = sections.map(({ heading }) => heading.toLowerCase()).join(', ');
  const text = sections.map(({ heading, lines }) => `${heading}\n\n${lines.join('\n')}\n`).join('\n');
  const leader = first?.leader ?? '';
  return {
    subject: oneLine(`[${leader}] ${notices.length} alarms (${counted})`),
    text: `${text}\nLeader: ${leader}\nTold: ${notices.at(-1)?.timestamp ?? ''}\n`,
  };
}
