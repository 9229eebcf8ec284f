import { MovedMonth, VerifiedMonth } from '@lcs/contract';
import type { Command } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { resultOf } from '../outcomes.ts';
import { printable, printJson, printTable } from '../output.ts';
import { CommandFailure, type ProgramIo } from '../program-io.ts';

interface MonthOptions extends ConnectionOptions {
  readonly month: string;
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

function addList(parent: Command, io: ProgramIo): void {
  withConnection(parent.command('list').description('the files of sealed months'), io).action(
    async (options: ConnectionOptions) => {
      const found = await connect(options).listArchive({});
      if (options.json) return printJson(io, found);
      const rows = found.files.map(({ month, experiment, rows: readings, bytes, is_complete, place, file }) => [
        ...[month, experiment, readings.toLocaleString('en'), megabytes(bytes)],
        ...[is_complete ? 'sealed' : 'seal it again', `${place}/${file}`],
      ]);
      const columns = ['MONTH', 'EXPERIMENT', 'READINGS', 'SIZE', 'STATE', 'FILE'];
      printTable(io, columns, rows, 'No month is sealed. Seal one: lcs archive seal --month 2026-08');
    },
  );
}

const monthCommand = (parent: Command, io: ProgramIo, name: string, description: string): Command =>
  withConnection(parent.command(name).description(description), io).requiredOption(
    '--month <month>',
    'such as 2026-08 (UTC)',
  );

function printMoved(io: ProgramIo, isJson: boolean, moved: MovedMonth, sentence: string): void {
  if (isJson) {
    printJson(io, moved);
    return;
  }
  const { month, files, rows, bytes } = moved;
  const count = `${rows.toLocaleString('en')} readings, ${files} ${files === 1 ? 'file' : 'files'}, ${megabytes(bytes)}`;
  io.stdout.write(`${printable(`${month} ${sentence}: ${count}.`)}\n`);
}

function addSeal(parent: Command, io: ProgramIo): void {
  monthCommand(parent, io, 'seal', 'move the readings of a closed month into Parquet files')
    .option('--to <place>', 'folder of the leader, or s3://bucket/prefix; default: archive/sealed in its data folder')
    .action(async ({ month, to, ...options }: MonthOptions & { readonly to?: string }) => {
      const leader = connect(options);
      const accepted = await leader.sealMonth({ params: { month }, body: to === undefined ? {} : { to } });
      printMoved(io, options.json === true, await resultOf(leader, accepted, MovedMonth), 'is sealed');
    });
}

function addVerify(parent: Command, io: ProgramIo): void {
  monthCommand(parent, io, 'verify', 'compare the files of a sealed month with what was sealed').action(
    async ({ month, ...options }: MonthOptions) => {
      const leader = connect(options);
      const verified = await resultOf(leader, await leader.verifyMonth({ params: { month } }), VerifiedMonth);
      if (options.json) printJson(io, verified);
      const [first] = verified.faulty;
      if (first !== undefined)
        throw new CommandFailure({
          error: `${verified.faulty.length} of ${verified.files} files of ${month} are damaged.`,
          cause: verified.faulty.map(({ place, file, fault }) => `${place}/${file}: ${fault}`).join(' '),
          remediation: 'Put a copy of these files there, then verify again.',
        });
      if (!options.json) io.stdout.write(`${printable(`${month}: ${verified.files} files are sound.`)}\n`);
    },
  );
}

function addUnseal(parent: Command, io: ProgramIo): void {
  monthCommand(parent, io, 'unseal', 'bring the readings of a sealed month back into the store').action(
    async ({ month, ...options }: MonthOptions) => {
      const leader = connect(options);
      const moved = await resultOf(leader, await leader.unsealMonth({ params: { month } }), MovedMonth);
      printMoved(io, options.json === true, moved, 'is in the store again');
    },
  );
}

/** `lcs archive list|seal|verify|unseal`. */
export function addArchiveCommands(program: Command, io: ProgramIo): void {
  const archive = program.command('archive').description('closed months of readings as Parquet files');
  addList(archive, io);
  addSeal(archive, io);
  addVerify(archive, io);
  addUnseal(archive, io);
}
