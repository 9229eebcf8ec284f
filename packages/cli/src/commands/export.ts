import { ExportResult, taskResult } from '@lcs/contract';
import { type Command, InvalidArgumentError } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { expectKnownNames } from '../current-experiment.ts';
import { printable, printJson } from '../output.ts';
import type { ProgramIo } from '../program-io.ts';
import { downloadExport, endedTask, progressLine } from './export-download.ts';

type Format = 'csv' | 'parquet';

interface ExportOptions extends ConnectionOptions {
  readonly datasets?: readonly string[];
  readonly format: Format;
  readonly out?: string;
  readonly from?: string;
  readonly to?: string;
  readonly byUnit?: true;
}

const formatOf = (text: string): Format => {
  if (text === 'csv' || text === 'parquet') return text;
  throw new InvalidArgumentError('Enter csv or parquet.');
};

const namesOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** `lcs export`: datasets of an experiment as a zip file in this folder. */
export function addExportCommand(program: Command, io: ProgramIo): void {
  withConnection(program.command('export').description('data of an experiment as a zip file'), io)
    .argument('<experiment>', 'its name; $experiment for the log of the system')
    .option('--datasets <names>', 'separated by commas; default: all', namesOf)
    .option('--format <format>', 'csv or parquet', formatOf, 'csv')
    .option('--from <moment>', 'oldest moment, like 2026-05-02T09:00:00+02:00')
    .option('--to <moment>', 'newest moment')
    .option('--by-unit', 'a file for each unit')
    .option('--out <file>', 'where to write; default: the name from the leader, in the current folder')
    .action(async (experiment: string, options: ExportOptions) => {
      const leader = connect(options);
      await expectKnownNames(leader, { experiment });
      const datasets = options.datasets ?? (await leader.listExportableDatasets()).map((one) => one.dataset_name);
      const { task_id } = await leader.exportDatasets({
        body: {
          datasets: [...datasets],
          experiment,
          format: options.format,
          partition_by_experiment: true,
          partition_by_unit: options.byUnit ?? false,
          start_time: options.from ?? null,
          end_time: options.to ?? null,
        },
      });
      const line = progressLine(io, options.json === true);
      const task = await endedTask(leader, task_id, line.show);
      line.clear();
      const { filename, sha256, bytes, row_count, skipped } = taskResult(task, ExportResult);
      const path = options.out ?? filename;
      await downloadExport(leader, { filename, sha256 }, path);
      if (options.json) return printJson(io, { path, filename, bytes, sha256, row_count, skipped });
      const megabytes = (bytes / 1e6).toFixed(1);
      io.stdout.write(printable(`${path}: ${row_count} rows, ${megabytes} MB.`).concat('\n'));
      for (const name of skipped) io.stdout.write(`There is no dataset ${printable(name)}.\n`);
    });
}
