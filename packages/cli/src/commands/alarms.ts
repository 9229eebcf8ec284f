import {
  type AcceptedTask,
  type Alarm,
  AlarmDrillResult,
  type AlarmQuery,
  type AlarmSeverity,
  alarmSeverities,
  waitForTask,
} from '@lcs/contract';
import { realClock } from '@lcs/platform';
import { type Command, InvalidArgumentError } from 'commander';
import { Value } from 'typebox/value';
import { type Connected, type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { printable, printJson, printTable } from '../output.ts';
import { CommandFailure, type ProgramIo } from '../program-io.ts';

interface ListOptions extends ConnectionOptions {
  readonly all?: true;
  readonly unit?: string;
  readonly experiment?: string;
  readonly severity?: AlarmSeverity;
  readonly lines: number;
}

interface ActOptions extends ConnectionOptions {
  readonly by?: string;
  readonly comment?: string;
}

interface ShelveOptions extends ActOptions {
  readonly minutes: number;
}

function severity(text: string): AlarmSeverity {
  const known = alarmSeverities.find((one) => one === text.toLowerCase());
  if (known === undefined) throw new InvalidArgumentError(`one of ${alarmSeverities.join(', ')}.`);
  return known;
}

const whole = (least: number, most: number) => (text: string) => {
  const number = Number(text);
  if (!Number.isInteger(number) || number < least || number > most)
    throw new InvalidArgumentError(`a number from ${least} to ${most}.`);
  return number;
};

/** So many characters of an id tell alarms apart for a person. */
const shortIdLength = 8;

const rowOf = ({ alarm_id, severity: how, state, since, reactor_unit, experiment, message }: Alarm) => [
  ...[alarm_id.slice(0, shortIdLength), how, state, since.slice(0, 19), reactor_unit ?? '', experiment ?? '', message],
];

async function list(io: ProgramIo, options: ListOptions): Promise<void> {
  const { all, unit, experiment, severity: how, lines } = options;
  const query: AlarmQuery = {
    ...{ state: all ? 'all' : 'open', limit: lines },
    ...(unit !== undefined && { unit }),
    ...(experiment !== undefined && { experiment }),
    ...(how !== undefined && { severity: how }),
  };
  const alarms = await connect(options).listAlarms({ query });
  if (options.json) printJson(io, alarms);
  else if (alarms.length === 0) io.stdout.write(all ? 'There were no alarms.\n' : 'No alarms. Earlier ones: --all\n');
  else printTable(io, ['ALARM', 'SEVERITY', 'STATE', 'SINCE', 'UNIT', 'EXPERIMENT', ''], alarms.map(rowOf));
}

/** The open alarm whose id begins like this. @throws CommandFailure */
async function alarmBeginning(leader: Connected, beginning: string): Promise<string> {
  const alarms = await leader.listAlarms({ query: { limit: 1000 } });
  const found = alarms.filter(({ alarm_id }) => alarm_id.startsWith(beginning.toLowerCase()));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only.alarm_id;
  throw new CommandFailure({
    error: `${found.length === 0 ? 'No' : 'More than one'} open alarm has an id that begins with ${beginning}.`,
    cause: 'Alarms are named by the beginning of their id.',
    remediation: 'See which there are: lcs alarms',
  });
}

const actorOf = ({ by, comment }: ActOptions) => ({
  ...(by !== undefined && { author: by }),
  ...(comment !== undefined && { comment }),
});

function tell(io: ProgramIo, options: ConnectionOptions, alarm: Alarm, done: string): void {
  if (options.json) printJson(io, alarm);
  else io.stdout.write(`${printable(`${done}: ${alarm.message}`)}\n`);
}

async function resultOf(leader: Connected, accepted: AcceptedTask): Promise<unknown> {
  const clock = realClock();
  const ended = await waitForTask(leader.baseUrl, accepted, { sleep: (ms) => clock.sleep(ms) });
  if (ended.status === 'succeeded') return ended.result;
  const { error, cause, remediation } = ended;
  throw new CommandFailure({ error, cause, remediation });
}

/** What was shown step by step; a channel that failed makes the command fail. */
async function drill(io: ProgramIo, options: ActOptions): Promise<void> {
  const leader = connect(options);
  const result = await resultOf(leader, await leader.drillAlarms({ body: actorOf(options) }));
  if (!Value.Check(AlarmDrillResult, result)) throw new Error('The leader answered a drill with something else.');
  const { recorded, shown_live, channels } = result;
  if (options.json) printJson(io, result);
  else {
    const word = (isGood: boolean) => (isGood ? 'yes' : 'NO');
    io.stdout.write(`recorded on disk: ${word(recorded)}\nshown live: ${word(shown_live)}\n`);
    for (const { channel, kind, delivered, error } of channels)
      io.stdout.write(
        `${printable(`${kind} ${channel}: ${delivered ? 'delivered' : `NOT delivered. ${error ?? ''}`}`)}\n`,
      );
    if (channels.length === 0) io.stdout.write('There is no channel: nobody outside of the page hears of alarms.\n');
  }
  const failed = channels.filter(({ delivered }) => !delivered).map(({ channel }) => channel);
  if (failed.length === 0 && recorded && shown_live) return;
  throw new CommandFailure({
    error: 'The drill has failed.',
    cause: failed.length > 0 ? `These channels reached nobody: ${failed.join(', ')}.` : 'The alarm was not shown.',
    remediation: 'Set the channels right on the page of alarms and hold the drill again.',
  });
}

const acting = (command: Command, io: ProgramIo): Command =>
  withConnection(command, io).option('--by <name>', 'who does it').option('--comment <text>', 'why');

/** `lcs alarms`: list, ack, shelve, unshelve, drill. */
export function addAlarmCommands(program: Command, io: ProgramIo): void {
  const group = program.command('alarms').description('what needs somebody now');
  withConnection(group.command('list', { isDefault: true }).description('alarms, newest first'), io)
    .option('--all', 'those that are over too')
    .option('--unit <unit>', 'only of this unit')
    .option('--experiment <name>', 'only of this experiment')
    .option('--severity <severity>', 'only of this severity', severity)
    .option('-n, --lines <n>', 'how many', whole(1, 1000), 100)
    .action((options: ListOptions) => list(io, options));
  acting(group.command('ack').description('say that you have seen it and look after it'), io)
    .argument('<alarm>', 'beginning of its id')
    .action(async (alarm: string, options: ActOptions) => {
      const leader = connect(options);
      const params = { alarm_id: await alarmBeginning(leader, alarm) };
      tell(io, options, await leader.acknowledgeAlarm({ params, body: actorOf(options) }), 'Acknowledged');
    });
  acting(group.command('shelve').description('put it aside for a while'), io)
    .argument('<alarm>', 'beginning of its id')
    .option('--minutes <minutes>', 'for how long, a day at most', whole(1, 1440), 60)
    .action(async (alarm: string, options: ShelveOptions) => {
      const leader = connect(options);
      const params = { alarm_id: await alarmBeginning(leader, alarm) };
      const body = { minutes: options.minutes, ...actorOf(options) };
      const shelved = await leader.shelveAlarm({ params, body });
      tell(io, options, shelved, `Shelved until ${shelved.shelved_until}`);
    });
  acting(group.command('unshelve').description('take it from its shelf'), io)
    .argument('<alarm>', 'beginning of its id')
    .action(async (alarm: string, options: ActOptions) => {
      const leader = connect(options);
      const params = { alarm_id: await alarmBeginning(leader, alarm) };
      tell(io, options, await leader.unshelveAlarm({ params, body: actorOf(options) }), 'Taken from the shelf');
    });
  acting(group.command('drill').description('try whether alarms reach people'), io).action((options: ActOptions) =>
    drill(io, options),
  );
}
