import { type Command, Option } from 'commander';
import type { ProgramIo } from '../program-io.ts';
import { addBoardPlace, addSimulationOptions, leaderBoards } from './board-options.ts';
import { addHostOptions } from './host-options.ts';
import {
  databaseUrl,
  folderName,
  hoursNumber,
  listed,
  portNumber,
  seedNumber,
  speedNumber,
  unitCount,
} from './node-options.ts';
import type { ApiOptions } from './serve-api.ts';
import type { DemoServeOptions } from './serve-demo.ts';
import type { IngestOptions } from './serve-ingest.ts';
import type { ControlOptions, LeaderOptions } from './serve-leader.ts';

const addServeOptions = (command: Command, io: ProgramIo, defaultMqttPort: number | undefined): Command =>
  command
    .option('--data-dir <folder>', 'data folder', folderName, io.defaultDataFolder)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'HTTP port; 0: any free one', portNumber, 4999)
    .option('--mqtt-port <port>', 'port of the broker; 0: any free one; usually 1883', portNumber, defaultMqttPort)
    .option('--broker-url <url>', 'an external broker instead of the own one, such as mqtt://192.168.1.5')
    .option('--name <unit>', 'unit name of this leader', 'leader')
    .option('--json', 'print one JSON line when ready, and the log as JSON')
    .option('--verbose', 'log more');

const addNetworkOptions = (command: Command, aboutDatabase: string): Command =>
  command
    .option('--mqtt-tls-port <port>', 'port of the broker on a network; 0: any free one; usually 8883', portNumber)
    .option('--tls-certificate <file>', 'certificate for browsers, with those of its issuers (PEM)', folderName)
    .option('--tls-key <file>', 'private key of this certificate (PEM)', folderName)
    .option('--database <url>', aboutDatabase);

async function serve(io: ProgramIo, options: LeaderOptions): Promise<void> {
  // Other commands start without loading a whole leader.
  const { serveLeader } = await import('./serve-leader.ts');
  await serveLeader(io, options);
}

/** `lcs leader`, `lcs control`, `lcs api`, `lcs ingest` and `lcs demo`: run until a signal to end. */
export function addServeCommands(program: Command, io: ProgramIo): void {
  const leader = program.command('leader').description('run a leader: HTTP API, web UI, broker and store');
  leader.addOption(
    new Option('--board <kind>', 'a board of its own: this leader is a unit too').choices(leaderBoards).default('none'),
  );
  addNetworkOptions(leader, 'store in PostgreSQL (postgres://…) instead of files in the data folder; try-out');
  addHostOptions(addSimulationOptions(addBoardPlace(addServeOptions(leader, io, undefined)))).action(
    (options: LeaderOptions) => serve(io, options),
  );
  const control = program
    .command('control')
    .description('run a leader on PostgreSQL that waits as a standby while another process is active; try-out');
  addNetworkOptions(control, 'store in PostgreSQL: postgres://…');
  addHostOptions(addServeOptions(control, io, undefined)).action(async (options: ControlOptions) => {
    const { serveControl } = await import('./serve-leader.ts');
    await serveControl(io, options);
  });
  program
    .command('api')
    .description('answer HTTP requests for the active process of a database, any number beside each other; try-out')
    .requiredOption('--database <url>', 'PostgreSQL of the control processes: postgres://…', databaseUrl)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'HTTP port; 0: any free one', portNumber, 4999)
    .option('--names <names>', 'further host names of this process, with commas', listed, [])
    .option('--trusted-proxies <addresses>', 'load balancers whose X-Forwarded-For counts, with commas', listed, [])
    .option('--tls-certificate <file>', 'certificate for browsers, with those of its issuers (PEM)', folderName)
    .option('--tls-key <file>', 'private key of this certificate (PEM)', folderName)
    .option('--json', 'print one JSON line when ready, and the log as JSON')
    .option('--verbose', 'log more')
    .action(async (options: ApiOptions) => {
      const { serveApi } = await import('./serve-api.ts');
      await serveApi(io, options);
    });
  program
    .command('ingest')
    .description('read and store the feeds of units for the active process, any number beside each other; try-out')
    .requiredOption('--database <url>', 'PostgreSQL of the control processes: postgres://…', databaseUrl)
    .option('--data-dir <folder>', 'data folder of the control processes', folderName, io.defaultDataFolder)
    .option('--json', 'print one JSON line when ready, and the log as JSON')
    .option('--verbose', 'log more')
    .action(async (options: IngestOptions) => {
      const { serveIngest } = await import('./serve-ingest.ts');
      await serveIngest(io, options);
    });
  addServeOptions(
    program.command('demo').description('run a leader with simulated units and a day of their past, to try things out'),
    io,
    0,
  )
    .option('--units <n>', 'simulated units, 0 to 200', unitCount, 3)
    .option('--past-hours <hours>', 'past that the units begin with', hoursNumber, 24)
    .option('--speed <factor>', 'the simulated cultures grow this many times faster', speedNumber, 1)
    .option('--seed <number>', 'the simulated vials are the same for the same seed', seedNumber, 1)
    .action(async (options: DemoServeOptions) => {
      const { serveDemo } = await import('./serve-demo.ts');
      await serveDemo(io, options);
    });
}
