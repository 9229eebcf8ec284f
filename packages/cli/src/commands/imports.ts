import { resolve } from 'node:path';
import { EndedImport, type ImportReport, taskResult } from '@lcs/contract';
import { type Command, Option } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { printable, printJson, printTable } from '../output.ts';
import { CommandFailure, type ProgramIo } from '../program-io.ts';
import { endedTask, progressLine } from './export-download.ts';

interface ImportOptions extends ConnectionOptions {
  readonly dryRun?: true;
  readonly experiment?: readonly string[];
  readonly onConflict: 'rename' | 'skip';
}

const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');

const isComplete = ({ is_verified, source_changed }: Pick<ImportReport, 'is_verified' | 'source_changed'>): boolean =>
  is_verified !== false && !source_changed;

function addPioreactor(parent: Command, io: ProgramIo): void {
  withConnection(
    parent
      .command('pioreactor')
      .description('experiments, readings, profiles and calibrations of a Pioreactor leader; the source is only read'),
    io,
  )
    .argument('<folder>', "its folder on the leader's machine, such as /home/pioreactor/.pioreactor")
    .option('--dry-run', 'only report what would come')
    .option('--experiment <name...>', 'only these experiments; default: all')
    .addOption(
      new Option('--on-conflict <what>', 'for an experiment whose name exists here')
        .choices(['rename', 'skip'])
        .default('rename'),
    )
    .action(async (folder: string, options: ImportOptions) => {
      const leader = connect(options);
      const { dryRun = false, experiment, onConflict } = options;
      const chosen = experiment === undefined ? {} : { experiments: [...experiment] };
      const body = { folder: resolve(folder), dry_run: dryRun, on_conflict: onConflict, ...chosen };
      const { task_id } = await leader.importPioreactor({ body });
      const line = progressLine(io, options.json === true, dryRun ? 'reading' : 'importing');
      const task = await endedTask(leader, task_id, line.show);
      line.clear();
      const params = { import_id: taskResult(task, EndedImport).import_id };
      const report = await leader.getImport({ params });
      if (options.json) printJson(io, report);
      else io.stdout.write(printableLines(await leader.getImportText({ params })));
      if (!isComplete(report))
        throw new CommandFailure({
          error: 'The import is not complete.',
          cause:
            'Something wrote the source meanwhile, or the report names experiments that did not come, or tables that were damaged or differ from the store.',
          remediation: `Read it again with: lcs import report ${params.import_id}. A repeated import continues.`,
        });
    });
}

function addReport(parent: Command, io: ProgramIo): void {
  withConnection(
    parent.command('report').description('the report of an earlier import; without an ID: all of them'),
    io,
  )
    .argument('[import]', 'its ID')
    .action(async (importId: string | undefined, options: ConnectionOptions) => {
      const leader = connect(options);
      if (importId === undefined) {
        const imports = await leader.listImports({});
        if (options.json) return printJson(io, imports);
        return printTable(
          io,
          ['IMPORT', 'ENDED', 'OUTCOME', 'SOURCE'],
          imports.map(({ import_id, ended_at, is_dry_run, is_verified, source }) => [
            ...[import_id, ended_at],
            is_dry_run ? 'dry run' : is_verified ? 'complete' : 'NOT COMPLETE',
            source,
          ]),
        );
      }
      const params = { import_id: importId };
      if (options.json) return printJson(io, await leader.getImport({ params }));
      io.stdout.write(printableLines(await leader.getImportText({ params })));
    });
}

/** `lcs import pioreactor FOLDER` and `lcs import report`. */
export function addImportCommands(program: Command, io: ProgramIo): void {
  const imports = program.command('import').description('data of another system: bring them into this leader');
  addPioreactor(imports, io);
  addReport(imports, io);
}
