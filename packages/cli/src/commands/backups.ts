import { resolve } from 'node:path';
import { ApiError, MadeBackup } from '@lcs/contract';
import { type Command, InvalidArgumentError } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { InputLines } from '../input-lines.ts';
import { resultOf } from '../outcomes.ts';
import { printable, printJson, printTable } from '../output.ts';
import { CommandFailure, type ProgramIo } from '../program-io.ts';
import { folderName } from './node-options.ts';

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

function addMake(parent: Command, io: ProgramIo): void {
  withConnection(parent.command('make').description('make a backup of the leader now'), io).action(
    async (options: ConnectionOptions) => {
      const leader = connect(options);
      const made = await resultOf(leader, await leader.createBackup({}), MadeBackup);
      if (options.json) return printJson(io, made);
      io.stdout.write(printable(`${made.place}/${made.backup_name}: ${megabytes(made.bytes)}.`).concat('\n'));
      if (made.removed.length > 0) io.stdout.write(`${made.removed.length} older ones were removed.\n`);
    },
  );
}

function addList(parent: Command, io: ProgramIo): void {
  withConnection(parent.command('list').description('the backups of the leader, newest first'), io).action(
    async (options: ConnectionOptions) => {
      const found = await connect(options).listBackups({});
      if (options.json) return printJson(io, found);
      const { place, is_second_place, next_at, problem, backups } = found;
      io.stdout.write(`${printable(`In ${place}${is_second_place ? '' : ', on the disk of the leader itself'}.`)}\n`);
      if (problem !== null) io.stdout.write(`${printable(problem)}\n`);
      const rows = backups.map(({ backup_name, created_at, app_version, bytes }) => [
        ...[backup_name, created_at, app_version],
        megabytes(bytes),
      ]);
      printTable(io, ['BACKUP', 'MADE', 'VERSION', 'SIZE'], rows, 'No backups yet. Make one: lcs backups make');
      io.stdout.write(`Next: ${next_at ?? 'none scheduled'}.\n`);
    },
  );
}

interface RestoreOptions {
  readonly dataDir: string;
  readonly replace?: true;
  readonly passphraseStdin?: true;
  readonly json?: true;
}

const interrupted = new CommandFailure({
  error: 'Nothing was restored.',
  cause: 'The restore was interrupted.',
  remediation: 'Start it again.',
});

/** What a person must do when the keys are not restored. */
const withoutKeys = {
  none: 'The backup contains no keys: enter the passwords of leader.ini and the webhooks again, and enrol the units again.',
  locked:
    'The keys of the backup were not restored. To restore them, start again with --replace --passphrase-stdin. Without them, enter the passwords of leader.ini and the webhooks again, and enrol the units again.',
} as const;

async function firstLine(io: ProgramIo): Promise<string> {
  const lines = new InputLines(io.input?.() ?? (async function* none() {})());
  const line = await lines.take();
  await lines.close();
  return line ?? '';
}

const notEmpty = (text: string): string => {
  if (text === '') throw new InvalidArgumentError('Enter the folder of a backup.');
  return text;
};

/** `lcs restore`: works on folders of this machine, with the leader stopped. */
function addRestore(program: Command, io: ProgramIo): void {
  program
    .command('restore')
    .description('restore a data folder from a backup; the leader must be stopped')
    .argument('<backup>', 'the folder of the backup', notEmpty)
    .option('--data-dir <folder>', 'where the leader will find its data', folderName, io.defaultDataFolder)
    .option('--replace', 'move the existing data folder aside')
    .option('--passphrase-stdin', 'read the passphrase of its keys from the standard input')
    .option('--json', 'print JSON for programs')
    .action(async (backup: string, options: RestoreOptions) => {
      const { restoreBackup } = await import('@lcs/node');
      const { programVersion, realClock } = await import('@lcs/platform');
      const dataFolder = resolve(options.dataDir);
      const ended = new AbortController();
      for (const signal of ['SIGINT', 'SIGTERM'] as const) {
        io.onSignal(signal, () => ended.abort(interrupted));
      }
      try {
        const order = {
          backup: resolve(backup),
          dataFolder,
          version: programVersion,
          replace: options.replace === true,
          passphrase: options.passphraseStdin ? await firstLine(io) : undefined,
          nowMs: realClock().now(),
        };
        const { manifest, setAside, keys, kept } = await restoreBackup({ ...order, signal: ended.signal });
        const { name, version, created_at } = manifest;
        const made = new Date(created_at).toISOString();
        if (options.json) {
          return printJson(io, {
            data_folder: dataFolder,
            name,
            version,
            created_at: made,
            set_aside: setAside ?? null,
            keys,
            kept,
          });
        }
        io.stdout.write(printable(`${dataFolder} is as ${name} was at ${made} (version ${version}).`).concat('\n'));
        if (setAside !== undefined) io.stdout.write(printable(`The previous folder is ${setAside}.`).concat('\n'));
        if (kept.length > 0) io.stdout.write(`Of it, these stay in the data folder: ${kept.join(', ')}.\n`);
        if (keys === 'none' || keys === 'locked') io.stdout.write(`${withoutKeys[keys]}\n`);
        io.stdout.write(printable(`Start it: lcs leader --name ${name} --data-dir ${dataFolder}`).concat('\n'));
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const { cause, remediation } = error.body;
        throw new CommandFailure({ error: `Nothing was restored. ${error.message}`, cause, remediation });
      }
    });
}

/** `lcs backups make|list` and `lcs restore`. */
export function addBackupCommands(program: Command, io: ProgramIo): void {
  const backups = program.command('backups').description('backups of the leader');
  addMake(backups, io);
  addList(backups, io);
  addRestore(program, io);
}
