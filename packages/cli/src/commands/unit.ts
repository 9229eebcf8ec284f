import { hostname } from 'node:os';
import { type Command, InvalidArgumentError } from 'commander';
import type { ProgramIo } from '../program-io.ts';
import { addBoardOptions, addSimulationOptions } from './board-options.ts';
import { addHostOptions } from './host-options.ts';
import { folderName, portNumber } from './node-options.ts';
import type { UnitOptions } from './serve-unit.ts';

const leaderAddress = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new InvalidArgumentError('Enter the address of the leader, such as http://127.0.0.1:4999.');
  return url;
};

/** `lcs unit`: run until a signal to end. */
export function addUnitCommand(program: Command, io: ProgramIo): void {
  const command = program
    .command('unit')
    .description('run a unit, which joins a leader: with the board of this computer, or with a simulated one')
    .requiredOption('--leader <url>', 'address of the leader', leaderAddress)
    .option('--name <unit>', 'name of this unit', hostname())
    .option('--code <code>', 'one-time code of the leader, from `lcs units code`')
    .option('--release', 'leave the former leader first')
    .option('--replace', 'take over the name of a broken computer')
    .option('--data-dir <folder>', 'data folder', folderName, io.defaultDataFolder)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'HTTP port; 0: any free one', portNumber, 4999)
    .option('--mqtt <url>', 'broker, instead of the configured one')
    .option('--json', 'print one JSON line when ready, and the log as JSON')
    .option('--verbose', 'log more');
  addHostOptions(addBoardOptions(addSimulationOptions(command))).action(async (options: UnitOptions) => {
    // Only this role is loaded: a unit runs on a small computer.
    const { serveUnit } = await import('./serve-unit.ts');
    await serveUnit(io, options);
  });
}
