import { resolve } from 'node:path';
import { type CapsuleReport, openCapsule, verifyCapsule } from '@lcs/cluster';
import { MadeCapsule, taskResult } from '@lcs/contract';
import { ZipFault } from '@lcs/node';
import { errnoOf, realClock, reasonOf } from '@lcs/platform';
import type { Command } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { currentExperiment } from '../current-experiment.ts';
import { printable, printJson, printTable } from '../output.ts';
import { CommandFailure, type ProgramIo } from '../program-io.ts';
import { downloadExport, endedTask, progressLine } from './export-download.ts';
import { portNumber } from './node-options.ts';
import { type NodeOutput, nodeLog, runNode } from './run-node.ts';

interface MakeOptions extends ConnectionOptions {
  readonly out?: string;
  readonly license?: string;
}

/** Reads a capsule; a file that is not a sound one is reported with its reason. */
async function reading<Result>(path: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ZipFault)
      throw new CommandFailure({
        error: `${path} is not a sound run capsule.`,
        cause: error.message,
        remediation: 'Copy the file again, or make it again: lcs capsule make EXPERIMENT',
      });
    if (errnoOf(error) === undefined) throw error;
    throw new CommandFailure({
      error: `${path} cannot be read.`,
      cause: reasonOf(error),
      remediation: 'Check the path and the free space of the temporary folder.',
    });
  }
}

function addMake(parent: Command, io: ProgramIo): void {
  withConnection(parent.command('make').description('all data of an experiment in one file'), io)
    .argument('[experiment]', 'which experiment; default: the newest with units')
    .option('--out <file>', 'where to write; default: EXPERIMENT.capsule.zip in the current folder')
    .option('--license <license>', 'under which the data may be used: a URL or a text')
    .action(async (named: string | undefined, options: MakeOptions) => {
      const leader = connect(options);
      const experiment = await currentExperiment(leader, named);
      const { license } = options;
      const body = license === undefined ? {} : { license };
      const { task_id } = await leader.makeCapsule({ params: { experiment }, body });
      const line = progressLine(io, options.json === true, 'making');
      const task = await endedTask(leader, task_id, line.show);
      line.clear();
      const { filename, bytes, sha256, files } = taskResult(task, MadeCapsule);
      const path = options.out ?? `${experiment.replaceAll(/[^\p{L}\p{N}_.-]+/gu, '_')}.capsule.zip`;
      await downloadExport(leader, { filename, sha256 }, path);
      if (options.json) return printJson(io, { path, bytes, sha256, files });
      io.stdout.write(printable(`${path}: ${files} files, ${(bytes / 1e6).toFixed(1)} MB.`).concat('\n'));
    });
}

/** Decimal digits to which growth rates agree. */
const agreement = (rates: CapsuleReport['growth_rates'][number]): string => {
  const { is_compared, computed, identical, largest_difference } = rates;
  if (!is_compared) return 'not compared: another filter or version';
  if (largest_difference === null) return 'nothing to compare';
  if (computed === identical) return 'all digits';
  const digits = Math.max(0, Math.floor(-Math.log10(2 * largest_difference)));
  return `${digits} decimals (largest difference ${largest_difference.toPrecision(2)} 1/h)`;
};

function showReport(io: ProgramIo, report: CapsuleReport): void {
  const { experiment, software_version, files, readings, growth_rates, growth_curves } = report;
  io.stdout.write(
    `${printable(experiment)}: ${files} files are complete and unchanged, ${readings} readings. Made by version ${printable(software_version)}.\n`,
  );
  if (growth_rates.length > 0) {
    io.stdout.write('\nGrowth rates, computed again from optical densities and doses:\n');
    printTable(
      io,
      ['UNIT', 'ORIGIN', 'FILTER', 'RATES', 'COMPUTED', 'IDENTICAL', 'AGREEMENT'],
      growth_rates.map((one) => [
        ...[one.reactor_unit, one.origin, one.filter, String(one.rates), String(one.computed), String(one.identical)],
        agreement(one),
      ]),
    );
  }
  io.stdout.write(
    growth_curves === null
      ? '\nOther methods computed the growth curves: they were not compared.\n'
      : `\nGrowth curves computed again: ${growth_curves.identical} of ${growth_curves.units} units are identical in all digits.\n`,
  );
}

/** Differences for which a capsule is not confirmed: everything that the same methods computed from the same readings must be the same. */
const differs = ({ growth_rates, growth_curves }: CapsuleReport): boolean =>
  growth_rates.some(
    ({ origin, is_compared, rates, identical }) => origin === 'recomputed' && is_compared && rates !== identical,
  ) ||
  (growth_curves !== null && growth_curves.identical !== growth_curves.units);

function addVerify(parent: Command, io: ProgramIo): void {
  parent
    .command('verify')
    .description('check hashes and structure of a capsule, and compute its growth rates again')
    .argument('<file>', 'the capsule')
    .option('--json', 'print JSON for programs')
    .action(async (file: string, options: NodeOutput) => {
      const tools = { wire: realClock(), log: nodeLog(io, options) };
      const report = await reading(file, () => verifyCapsule(resolve(file), tools));
      if (options.json) printJson(io, report);
      else showReport(io, report);
      if (differs(report))
        throw new CommandFailure({
          error: 'Growth rates differ from those of the capsule.',
          cause: 'The same methods gave other digits from the same readings.',
          remediation: `Verify with version ${report.software_version}, which made the capsule.`,
        });
    });
}

function addOpen(parent: Command, io: ProgramIo): void {
  parent
    .command('open')
    .description('show the charts of a capsule in a browser on this machine; nothing can be changed')
    .argument('<file>', 'the capsule')
    .option('--port <port>', 'HTTP port; 0: any free one', portNumber, 0)
    .option('--json', 'print JSON for programs')
    .option('--verbose', 'log more')
    .action(async (file: string, options: NodeOutput & { readonly port: number }) => {
      const log = nodeLog(io, options);
      const capsule = await reading(file, () => openCapsule({ path: resolve(file), port: options.port, log }));
      await runNode(io, capsule, 'capsule', () => {
        if (options.json) return printJson(io, { ready: true, url: capsule.url, experiment: capsule.experiment });
        io.stdout.write(`${printable(capsule.experiment)}: ${capsule.url}\nStop with Ctrl-C.\n`);
      });
    });
}

/** `lcs capsule`: all data of an experiment in one file. */
export function addCapsuleCommands(program: Command, io: ProgramIo): void {
  const capsule = program.command('capsule').description('all data of an experiment in one file: make, open, verify');
  addMake(capsule, io);
  addOpen(capsule, io);
  addVerify(capsule, io);
}
