import type { PreflightReport } from '@lcs/contract';
import type { Command } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { printable, printJson } from '../output.ts';
import { CommandFailure, type ProgramIo } from '../program-io.ts';
import { readText } from './profile-files.ts';

/** Of the check and of the start of a run. */
export const unitsOption = ['--units <names>', 'only on these units of the experiment, separated by commas'] as const;

/** A line for each finding, with what to do. */
export function showFindings(io: ProgramIo, { findings }: PreflightReport): void {
  for (const { severity, message, remediation, code } of findings)
    io.stdout.write(`${printable(`${severity}: ${message} ${remediation} (${code})`)}\n`);
}

const isBlocked = ({ findings }: PreflightReport): boolean => findings.some(({ severity }) => severity === 'blocks');

/** `lcs profiles check`: what a run of a file would need, without starting it. */
export function addCheck(parent: Command, io: ProgramIo): void {
  withConnection(parent.command('check').description('check what a run of a file needs, without starting it'), io)
    .argument('<file>', 'a YAML file on this computer')
    .requiredOption('--experiment <name>', 'in which experiment')
    .option(...unitsOption)
    .action(async (file: string, options: ConnectionOptions & { experiment: string; units?: string }) => {
      const params = { experiment: options.experiment };
      const body = { body: await readText(file), ...(options.units !== undefined && { units: options.units }) };
      const report = await connect(options).preflightExperimentProfile({ params, body });
      if (options.json) printJson(io, report);
      else showFindings(io, report);
      if (!isBlocked(report)) {
        if (!options.json) io.stdout.write(`${printable(file)} can be started in ${printable(options.experiment)}.\n`);
        return;
      }
      throw new CommandFailure({
        error: `${file} cannot be started in ${options.experiment}.`,
        cause: 'The findings that block are above.',
        remediation: 'Correct them, then check again.',
      });
    });
}
