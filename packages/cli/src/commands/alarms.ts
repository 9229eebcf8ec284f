import { type Alarm, AlarmDrillResult, type AlarmQuery, type AlarmSeverity, alarmSeverities } from '@lcs/contract';
import { type Command, InvalidArgumentError } from 'commander';
import { type Connected, type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { resultOf } from '../outcomes.ts';
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
  const found = alarmSeverities.find((one) => one === text.toLowerCase());
  if (found === undefined) throw new InvalidArgumentError(`Enter one of ${alarmSeverities.join(', ')}.`);
  return found;
}

const whole = (least: number, most: number) => (text: string) => {
  const number = Number(text);
  if (!Number.isInteger(number) || number < least || number > most)
    throw new InvalidArgumentError(`Enter a number from ${least} to ${most}.`);
  return number;
};

/** Characters of an ID that are enough to identify an alarm. */
const shortIdLength = 8;

const rowOf = ({ alarm_id, severity: how, state, since, reactor_unit, experiment, message }: Alarm) => [
  ...[alarm_id.slice(0, shortIdLength), how, state, since.slice(0, 19), reactor_unit ?? '', experiment ?? '', message],
];

async function list(io: ProgramIo, options: ListOptions): Promise<void> {
  const { all, unit, experiment, severity: how, lines } = options;
  const query: AlarmQuery = {
    state: all ? 'all' : 'open',
    limit: lines,
    ...(unit !== undefined && { unit }),
    ...(experiment !== undefined && { experiment }),
    ...(how !== undefined && { severity: how }),
  };
  const alarms = await connect(options).listAlarms({ query });
  if (options.json) return printJson(io, alarms);
  const none = all ? 'There were no alarms.' : 'No alarms. Earlier ones: --all';
  printTable(io, ['ALARM', 'SEVERITY', 'STATE', 'SINCE', 'UNIT', 'EXPERIMENT', ''], alarms.map(rowOf), none);
}

/** The open alarm whose id begins like this. @throws CommandFailure */
async function alarmBeginning(leader: Connected, beginning: string): Promise<string> {
  const alarms = await leader.listAlarms({ query: { limit: 1000 } });
  const found = alarms.filter(({ alarm_id }) => alarm_id.startsWith(beginning.toLowerCase()));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only.alarm_id;
  throw new CommandFailure({
    error: `${found.length === 0 ? 'No' : 'More than one'} open alarm has an id that begins with ${beginning}.`,
    cause: 'An alarm is selected by the first characters of its ID.',
    remediation: 'List the alarms: lcs alarms',
  });
}

const actorOf = ({ by, comment }: ActOptions) => ({
  ...(by !== undefined && { author: by }),
  ...(comment !== undefined && { comment }),
});

function printResult(io: ProgramIo, options: ConnectionOptions, alarm: Alarm, done: string): void {
  if (options.json) printJson(io, alarm);
  else io.stdout.write(`${printable(`${done}: ${alarm.message}`)}\n`);
}

/** Prints the outcome of each step; a failed channel makes the command fail. */
async function drill(io: ProgramIo, options: ActOptions): Promise<void> {
  const leader = connect(options);
  const result = await resultOf(leader, await leader.drillAlarms({ body: actorOf(options) }), AlarmDrillResult);
  const { recorded, shown_live, channels } = result;
  if (options.json) printJson(io, result);
  else {
    const yesOrNo = (isGood: boolean) => (isGood ? 'yes' : 'NO');
    io.stdout.write(`recorded on disk: ${yesOrNo(recorded)}\nshown live: ${yesOrNo(shown_live)}\n`);
    for (const { channel, kind, delivered, error } of channels)
      io.stdout.write(
        `${printable(`${kind} ${channel}: ${delivered ? 'delivered' : `NOT delivered. ${error ?? ''}`}`)}\n`,
      );
    if (channels.length === 0) io.stdout.write('No channel is configured: alarms are shown in the web UI only.\n');
  }
  const failed = channels.filter(({ delivered }) => !delivered).map(({ channel }) => channel);
  if (failed.length === 0 && recorded && shown_live) return;
  throw new CommandFailure({
    error: 'The drill has failed.',
    cause:
      failed.length > 0
        ? `These channels delivered nothing: ${failed.join(', ')}.`
        : 'The live stream did not contain the alarm.',
    remediation: 'Correct the channels on the alarms page of the web UI, then repeat the drill.',
  });
}

const acting = (command: Command, io: ProgramIo): Command =>
  withConnection(command, io).option('--by <name>', 'your name').option('--comment <text>', 'why');

/** `lcs alarms`: list, ack, shelve, unshelve, drill. */
export function addAlarmCommands(program: Command, io: ProgramIo): void {
  const group = program.command('alarms').description('open alarms');
  withConnection(group.command('list', { isDefault: true }).description('alarms, newest first'), io)
    .option('--all', 'include closed alarms')
    .option('--unit <unit>', 'only of this unit')
    .option('--experiment <name>', 'only of this experiment')
    .option('--severity <severity>', 'only of this severity', severity)
    .option('-n, --lines <n>', 'how many', whole(1, 1000), 100)
    .action((options: ListOptions) => list(io, options));
  acting(group.command('ack').description('acknowledge an alarm: you have seen it and take care of it'), io)
    .argument('<alarm>', 'beginning of its id')
    .action(async (alarm: string, options: ActOptions) => {
      const leader = connect(options);
      const params = { alarm_id: await alarmBeginning(leader, alarm) };
      printResult(io, options, await leader.acknowledgeAlarm({ params, body: actorOf(options) }), 'Acknowledged');
    });
  acting(group.command('shelve').description('shelve an alarm for a limited time'), io)
    .argument('<alarm>', 'beginning of its id')
    .option('--minutes <minutes>', 'for how long, a day at most', whole(1, 1440), 60)
    .action(async (alarm: string, options: ShelveOptions) => {
      const leader = connect(options);
      const params = { alarm_id: await alarmBeginning(leader, alarm) };
      const body = { minutes: options.minutes, ...actorOf(options) };
      const shelved = await leader.shelveAlarm({ params, body });
      printResult(io, options, shelved, `Shelved until ${shelved.shelved_until}`);
    });
  acting(group.command('unshelve').description('unshelve an alarm'), io)
    .argument('<alarm>', 'beginning of its id')
    .action(async (alarm: string, options: ActOptions) => {
      const leader = connect(options);
      const params = { alarm_id: await alarmBeginning(leader, alarm) };
      printResult(io, options, await leader.unshelveAlarm({ params, body: actorOf(options) }), 'Unshelved');
    });
  acting(group.command('drill').description('raise a test alarm and check that each channel delivers it'), io).action(
    (options: ActOptions) => drill(io, options),
  );
}
