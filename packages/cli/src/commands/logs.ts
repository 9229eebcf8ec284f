import { type LogEntry, type LogLevel, logLevels } from '@lcs/contract';
import { realClock } from '@lcs/platform';
import { type Command, InvalidArgumentError } from 'commander';
import { type Connected, type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { expectKnownNames } from '../current-experiment.ts';
import { LogFollower } from '../log-follower.ts';
import { printable, printJson } from '../output.ts';
import type { ProgramIo } from '../program-io.ts';

interface LogsOptions extends ConnectionOptions {
  readonly follow?: true;
  readonly experiment?: string;
  readonly unit?: string;
  readonly level: LogLevel;
  readonly search?: string;
  readonly lines: number;
}

function level(text: string): LogLevel {
  const found = logLevels.find((one) => one === text.toUpperCase());
  if (found === undefined) throw new InvalidArgumentError(`Enter one of ${logLevels.join(', ')}.`);
  return found;
}

function lineCount(text: string): number {
  const lines = Number(text);
  if (!Number.isInteger(lines) || lines < 0 || lines > 1000)
    throw new InvalidArgumentError('Enter a number from 0 to 1000.');
  return lines;
}

function show(io: ProgramIo, entry: LogEntry, isJson: boolean): void {
  if (isJson) {
    printJson(io, entry);
    return;
  }
  const { timestamp, level: entryLevel, reactor_unit, experiment, task, message } = entry;
  io.stdout.write(
    `${printable(`${timestamp} ${entryLevel.padEnd(8)} ${reactor_unit} [${experiment}] ${task}: ${message}`)}\n`,
  );
}

/** The newest entries, oldest first. */
async function newest(leader: Connected, options: LogsOptions, most: number): Promise<LogEntry[]> {
  if (most === 0) return [];
  const { unit, experiment } = options;
  const query = {
    min_level: options.level,
    limit: most,
    ...(options.search === undefined ? {} : { search: options.search }),
  };
  const entries =
    unit !== undefined && experiment !== undefined
      ? await leader.listWorkerLogs({ params: { reactor_unit: unit, experiment }, query })
      : unit !== undefined
        ? await leader.listUnitLogs({ params: { reactor_unit: unit }, query })
        : experiment !== undefined
          ? await leader.listExperimentLogs({ params: { experiment }, query })
          : await leader.listLogs({ query });
  return entries.reverse();
}

function isMatch(entry: LogEntry, { experiment, unit, level: least, search }: LogsOptions): boolean {
  if (logLevels.indexOf(entry.level) < logLevels.indexOf(least)) return false;
  if (experiment !== undefined && entry.experiment !== experiment) return false;
  if (unit !== undefined && entry.reactor_unit !== unit) return false;
  return search === undefined || `${entry.task} ${entry.message}`.toLowerCase().includes(search.toLowerCase());
}

/** Shows new entries until the process receives a signal to end. */
async function follow(io: ProgramIo, leader: Connected, options: LogsOptions): Promise<void> {
  await expectKnownNames(leader, options);
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGPIPE'] as const) io.onSignal(signal, () => ending.abort());
  const follower = new LogFollower({
    leader,
    clock: realClock(),
    newest: (most) => newest(leader, options, most),
    isMatch: (entry) => isMatch(entry, options),
    lines: options.lines,
    show: (entry) => show(io, entry, options.json === true),
    remark: (text) => io.stderr.write(`lcs: ${printable(text)}\n`),
  });
  await follower.follow(ending.signal);
}

async function list(io: ProgramIo, leader: Connected, options: LogsOptions): Promise<void> {
  const entries = await newest(leader, options, options.lines);
  for (const entry of entries) show(io, entry, options.json === true);
  if (entries.length > 0 || options.lines === 0) return;
  await expectKnownNames(leader, options);
  if (!options.json) io.stdout.write('No entries. Lower levels are shown with --level DEBUG.\n');
}

/** `lcs logs`: the event log, newest last; `-f` follows new entries. */
export function addLogsCommand(program: Command, io: ProgramIo): void {
  withConnection(program.command('logs').description('the event log'), io)
    .option('-f, --follow', 'follow new entries')
    .option('--experiment <name>', 'only of this experiment')
    .option('--unit <unit>', 'only of this unit')
    .option('--level <level>', 'this level and above', level, 'INFO')
    .option('--search <text>', 'only entries with this text')
    .option('-n, --lines <n>', 'number of past entries', lineCount, 50)
    .action(async (options: LogsOptions) => {
      const leader = connect(options);
      await (options.follow ? follow(io, leader, options) : list(io, leader, options));
    });
}
