import { createHash } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import {
  ExportResult,
  type FinishedTask,
  isErrorBody,
  ProblemError,
  taskResult,
  type UnfinishedTask,
} from '@lcs/contract';
import { realClock, reasonOf } from '@lcs/platform';
import { type Command, InvalidArgumentError } from 'commander';
import { type Connected, type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { expectKnownNames } from '../current-experiment.ts';
import { printable, printJson } from '../output.ts';
import { CommandFailure, type ProgramIo } from '../program-io.ts';

type Format = 'csv' | 'parquet';

interface ExportOptions extends ConnectionOptions {
  readonly datasets?: readonly string[];
  readonly format: Format;
  readonly out?: string;
  readonly from?: string;
  readonly to?: string;
  readonly byUnit?: true;
}

const pollMs = 300;

const formatOf = (text: string): Format => {
  if (text === 'csv' || text === 'parquet') return text;
  throw new InvalidArgumentError('Enter csv or parquet.');
};

const namesOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** A progress line that is overwritten while the task runs; nothing without a terminal. */
function progressLine(io: ProgramIo, isSilent: boolean) {
  const isShown = io.stderr.isTTY === true && !isSilent;
  let length = 0;
  const show = (text: string) => {
    if (!isShown) return;
    io.stderr.write(`\r${text.padEnd(length)}`);
    length = text.length;
  };
  return {
    show: ({ progress, message, status }: UnfinishedTask) => {
      const share = progress === null ? '' : ` ${String(Math.floor(progress * 100)).padStart(3)} %`;
      show(printable(`${status === 'pending' ? 'waiting' : 'exporting'}${share}  ${message ?? ''}`));
    },
    clear: () => {
      show('');
      if (isShown) io.stderr.write('\r');
    },
  };
}

async function ended(leader: Connected, taskId: string, show: (task: UnfinishedTask) => void): Promise<FinishedTask> {
  const clock = realClock();
  for (;;) {
    const task = await leader.getTaskResult({ params: { task_id: taskId } });
    if (task.status === 'succeeded' || task.status === 'failed') return task;
    show(task);
    await clock.sleep(pollMs);
  }
}

/** Writes a temporary file, verifies its hash, then renames it. */
async function download(leader: Connected, { filename, sha256 }: { filename: string; sha256: string }, out: string) {
  const part = `${out}.part`;
  const response = await leader.fetch(`/exports/${encodeURIComponent(filename)}`);
  if (!response.ok || response.body === null) {
    const body: unknown = await response.json();
    if (isErrorBody(body)) throw new ProblemError('answer', body);
    throw new Error(`The leader returned ${response.status} without a reason.`);
  }
  const hash = createHash('sha256');
  const file = await open(part, 'w').catch((error: unknown) => {
    throw new CommandFailure({
      error: `${out} cannot be written.`,
      cause: reasonOf(error),
      remediation: `Choose another path with --out. The leader keeps the export as ${filename}.`,
    });
  });
  try {
    for await (const piece of response.body) {
      hash.update(piece);
      await file.write(piece);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  if (hash.digest('hex') === sha256) return rename(part, out);
  await rm(part, { force: true });
  throw new CommandFailure({
    error: 'The file was damaged during the download.',
    cause: 'Its SHA-256 hash differs from that of the leader.',
    remediation: 'Export it again.',
  });
}

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
      const task = await ended(leader, task_id, line.show);
      line.clear();
      const { filename, sha256, bytes, row_count, skipped } = taskResult(task, ExportResult);
      const path = options.out ?? filename;
      await download(leader, { filename, sha256 }, path);
      if (options.json) return printJson(io, { path, filename, bytes, sha256, row_count, skipped });
      const megabytes = (bytes / 1e6).toFixed(1);
      io.stdout.write(printable(`${path}: ${row_count} rows, ${megabytes} MB.`).concat('\n'));
      for (const name of skipped) io.stdout.write(`There is no dataset ${printable(name)}.\n`);
    });
}
