import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { printJson } from '../output.ts';
import { CommandFailure, type ProgramIo } from '../program-io.ts';
import { addBoardOptions, type BoardOptions, linuxChoice } from './board-options.ts';
import { folderName } from './node-options.ts';

interface OutputsOffOptions extends BoardOptions {
  readonly dataDir: string;
  readonly json?: boolean;
}

async function outputsOff(io: ProgramIo, options: OutputsOffOptions): Promise<void> {
  const { detectBoard, switchOutputsOff } = await import('@lcs/cluster');
  const { nodeUsing } = await import('@lcs/node');
  const { silentLog } = await import('@lcs/platform');
  const isReal = options.board === 'linux' || (options.board === 'auto' && (await detectBoard()) !== undefined);
  const left = isReal
    ? await switchOutputsOff(linuxChoice(options), { dataFolder: resolve(options.dataDir), log: silentLog() })
    : [];
  if (left.length > 0) {
    throw new CommandFailure({
      error: `${left.length} outputs could not be switched off.`,
      cause: left.map(({ output, reason }) => `${output}: ${reason}`).join(' '),
      remediation: 'Disconnect the power of pumps and heater by hand, then repair the named outputs.',
    });
  }
  const node = await nodeUsing(options.dataDir);
  if (node !== undefined) {
    throw new CommandFailure({
      error: `A node is running with this data folder (process ${node}): its jobs switch outputs on again.`,
      cause: isReal
        ? 'All outputs of the board were switched off, but the jobs and the guard of the node have not been informed.'
        : 'This command has no effect on a simulated board.',
      remediation: 'Stop the jobs with lcs stop, or end the node; then run this command again.',
    });
  }
  if (options.json) return printJson(io, { ok: true, board: isReal });
  io.stdout.write(
    isReal ? 'All outputs of the board are off.\n' : 'This computer has no board: there is nothing to switch off.\n',
  );
}

/** The service of the Debian package has its data beside those of a leader. */
function unitFolder({ defaultDataFolder }: ProgramIo): string {
  const ofService = `${defaultDataFolder}-unit`;
  return existsSync(ofService) ? ofService : defaultDataFolder;
}

/** `lcs outputs-off`: switches outputs off when no node and no guard runs. It fails while a node is running. */
export function addOutputsOffCommand(program: Command, io: ProgramIo): void {
  const command = program
    .command('outputs-off')
    .description('switch off heater, pumps, stirrer and LEDs of the board of this computer, without a unit')
    .option(
      '--data-dir <folder>',
      'the data folder of the unit; its configuration may define the wiring of the board',
      folderName,
      unitFolder(io),
    )
    .option('--json', 'print one JSON line');
  addBoardOptions(command).action((options: OutputsOffOptions) => outputsOff(io, options));
}
