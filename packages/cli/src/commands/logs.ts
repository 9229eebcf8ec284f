import { callPath, LogEntry, leaderApi } from '@lcs/contract';
import { type Clock, realClock } from '@lcs/platform';
import { type Command, InvalidArgumentError } from 'commander';
import { Value } from 'typebox/value';
import { type Connected, type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { readEvents } from '../live-events.ts';
import { printable, printJson } from '../output.ts';
import type { ProgramIo } from '../program-io.ts';

interface LogsOptions extends ConnectionOptions {
  readonly follow?: true;
  readonly experiment?: string;
  readonly unit?: string;
  readonly level: string;
  readonly search?: string;
  readonly lines: number;
}

const levels = ['DEBUG', 'INFO', 'NOTICE', 'WARNING', 'ERROR', 'CRITICAL'];

function level(text: string): string {
  const known = text.toUpperCase();
  if (!levels.includes(known)) throw new InvalidArgumentError(`one of ${levels.join(', ')}.`);
  return known;
}

function lineCount(text: string): number {
  const lines = Number(text);
  if (!Number.isInteger(lines) || lines < 0 || lines > 1000) throw new InvalidArgumentError('a number from 0 to 1000.');
  return lines;
}

const isEntry = (value: unknown): value is LogEntry => Value.Check(LogEntry, value);

function show(io: ProgramIo, entry: LogEntry, isJson: boolean): void {
  if (isJson) {
    printJson(io, entry);
    return;
  }
  const { timestamp, level: said, reactor_unit, experiment, task, message } = entry;
  io.stdout.write(
    `${printable(`${timestamp} ${said.padEnd(8)} ${reactor_unit} [${experiment}] ${task}: ${message}`)}\n`,
  );
}

/** The newest entries, oldest first, as they are read on a terminal. */
async function newest(leader: Connected, options: LogsOptions): Promise<LogEntry[]> {
  if (options.lines === 0) return [];
  const { unit, experiment } = options;
  const query = {
    min_level: options.level,
    limit: options.lines,
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

function isWanted(entry: LogEntry, { experiment, unit, level: least, search }: LogsOptions): boolean {
  if (levels.indexOf(entry.level) < levels.indexOf(least)) return false;
  if (experiment !== undefined && entry.experiment !== experiment) return false;
  if (unit !== undefined && entry.reactor_unit !== unit) return false;
  return search === undefined || `${entry.task} ${entry.message}`.toLowerCase().includes(search.toLowerCase());
}

const reconnectMs = 2_000;

/** Shows new entries as they come, until the program is asked to end; a leader that is away is waited for. */
async function follow(io: ProgramIo, leader: Connected, options: LogsOptions, signal: AbortSignal): Promise<void> {
  const url = `${leader.baseUrl}${callPath(leaderApi.followLive)}`;
  const clock = realClock();
  let lastId: string | undefined;
  while (!signal.aborted) {
    try {
      const headers = lastId === undefined ? {} : { 'last-event-id': lastId };
      const response = await fetch(url, { headers, signal });
      if (!response.ok || response.body === null) throw new Error(`The leader answered ${response.status}.`);
      for await (const { id, event, data } of readEvents(response.body)) {
        lastId = id ?? lastId;
        if (event !== 'log') continue;
        const entry: unknown = JSON.parse(data);
        if (isEntry(entry) && isWanted(entry, options)) show(io, entry, options.json === true);
      }
    } catch (error) {
      if (signal.aborted) return;
      const reason = error instanceof Error ? error.message : String(error);
      io.stderr.write(`lcs: the leader is away (${printable(reason)}); waiting for it\n`);
    }
    await pause(clock, signal);
  }
}

async function pause(clock: Clock, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(reconnectMs, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** `lcs logs`: the event log, newest last; `-f` goes on. */
export function addLogsCommand(program: Command, io: ProgramIo): void {
  withConnection(program.command('logs').description('the event log'), io)
    .option('-f, --follow', 'go on with what comes')
    .option('--experiment <name>', 'only of this experiment')
    .option('--unit <unit>', 'only of this unit')
    .option('--level <level>', 'this level and above', level, 'INFO')
    .option('--search <text>', 'only entries with this text')
    .option('-n, --lines <n>', 'how many of the past', lineCount, 50)
    .action(async (options: LogsOptions) => {
      const leader = connect(options);
      for (const entry of await newest(leader, options)) show(io, entry, options.json === true);
      if (!options.follow) return;
      const ending = new AbortController();
      io.onSignal('SIGINT', () => ending.abort());
      io.onSignal('SIGTERM', () => ending.abort());
      await follow(io, leader, options, ending.signal);
    });
}
