import { resolve } from 'node:path';
import { createLeaderNode, type LeaderNode } from '@lcs/cluster';
import { type CrashAt, createLog, prettyDestination, standardError } from '@lcs/platform';
import { type Command, InvalidArgumentError } from 'commander';
import { printJson } from '../output.ts';
import { CommandFailure, type ProgramIo } from '../program-io.ts';

interface ServeOptions {
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
  readonly mqttPort: number;
  readonly name: string;
  readonly json?: true;
  readonly verbose?: true;
}

const portNumber = (text: string): number => {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError('a port is a number from 0 to 65535.');
  return port;
};

/** Nothing would mean the current folder; whoever gives nothing usually has a variable that is not set. */
const folderName = (text: string): string => {
  if (text.trim() === '') throw new InvalidArgumentError('a folder needs a name; the current one is "."');
  return text;
};

const addServeOptions = (command: Command, io: ProgramIo, defaultMqttPort: number): Command =>
  command
    .option('--data-dir <folder>', 'where everything is kept', folderName, io.defaultDataFolder)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'HTTP port; 0: any free one', portNumber, 4999)
    .option('--mqtt-port <port>', 'MQTT port; 0: any free one', portNumber, defaultMqttPort)
    .option('--name <unit>', 'unit name of this leader', 'leader')
    .option('--json', 'print one JSON line when ready, and the log as JSON')
    .option('--verbose', 'log more');

function announce(io: ProgramIo, options: ServeOptions, node: LeaderNode): void {
  const mqtt = `mqtt://${new URL(node.url).hostname}:${node.mqttPort}`;
  if (options.json) {
    printJson(io, { ready: true, url: node.url, mqtt, units: [] });
    return;
  }
  io.stdout.write(`Leader ready: ${node.url}   (broker ${mqtt}, data in ${resolve(options.dataDir)})\n`);
  io.stdout.write('Stop with Ctrl-C.\n');
}

/**
 * Crash tests name a point and how often it is passed before the process ends itself: `write.before_commit:12`; with `:exit`
 * behind it only the thread of the writer ends.
 */
function readCrashPoint(io: ProgramIo): CrashAt | undefined {
  const [point, hits = '1', how] = (io.environment.LCS_CRASH_AT ?? '').split(':');
  return point ? { point, afterHits: Number(hits), how: how === 'exit' ? 'exit' : 'kill' } : undefined;
}

async function serve(io: ProgramIo, options: ServeOptions): Promise<void> {
  const forPeople = !options.json && io.stderr.isTTY === true;
  const log = createLog({
    level: options.verbose ? 'debug' : forPeople ? 'warn' : 'info',
    destination: forPeople ? prettyDestination(io.stderr, { colour: true }) : standardError(),
  });
  const crashAt = readCrashPoint(io);
  const node = createLeaderNode({
    name: options.name,
    dataFolder: resolve(options.dataDir),
    host: options.host,
    port: options.port,
    mqttPort: options.mqttPort,
    log,
    ...(crashAt ? { crashAt } : {}),
  });
  const starting = new AbortController();
  const ended = new Promise<void>((end) => {
    const askedToEnd = () => {
      starting.abort();
      end();
    };
    io.onSignal('SIGINT', askedToEnd);
    io.onSignal('SIGTERM', askedToEnd);
  });
  try {
    await node.start(starting.signal);
  } catch (error) {
    // Asked to end while starting: what was up has been stopped, and that is no failure.
    if (starting.signal.aborted && error === starting.signal.reason) return;
    throw error;
  }
  announce(io, options, node);
  const reason = await Promise.race([ended.then(() => 'asked' as const), node.failed.then(() => 'failed' as const)]);
  await node.stop();
  if (reason === 'failed') {
    throw new CommandFailure({
      error: 'The leader had to stop.',
      cause: 'The thread that writes its database is gone; nothing that was answered is lost.',
      remediation: 'See the log above for the reason, then start it again.',
    });
  }
}

/** `lcs leader` and `lcs demo`: run until asked to end. */
export function addServeCommands(program: Command, io: ProgramIo): void {
  addServeOptions(
    program.command('leader').description('run a leader: HTTP API, page, broker and store'),
    io,
    1883,
  ).action((options: ServeOptions) => serve(io, options));
  addServeOptions(
    program.command('demo').description('run a leader to try things out, with a broker on any free port'),
    io,
    0,
  ).action((options: ServeOptions) => serve(io, options));
}
