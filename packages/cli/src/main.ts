import { AddressError, ProblemError } from '@lcs/contract';
import { programVersion, StartupError } from '@lcs/platform';
import { Command, CommanderError } from 'commander';
import { addAccessCommands } from './commands/access.ts';
import { addAlarmCommands } from './commands/alarms.ts';
import { addArchiveCommands } from './commands/archive.ts';
import { addAuditCommand } from './commands/audit.ts';
import { addBackupCommands } from './commands/backups.ts';
import { addBrokerCommand } from './commands/broker.ts';
import { addCalibrationCommands } from './commands/calibrations.ts';
import { addCapsuleCommands } from './commands/capsule.ts';
import { addCertificateCommand } from './commands/certificate.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addExperimentCommands } from './commands/experiments.ts';
import { addExportCommand } from './commands/export.ts';
import { addGrowthCommands } from './commands/growth.ts';
import { addImportCommands } from './commands/imports.ts';
import { addJobCommands } from './commands/jobs.ts';
import { addLogsCommand } from './commands/logs.ts';
import { addMigrateCommand } from './commands/migrate.ts';
import { addOutputsOffCommand } from './commands/outputs-off.ts';
import { addPluginCommands } from './commands/plugins.ts';
import { addProfileCommands } from './commands/profiles.ts';
import { addSeriesCommand } from './commands/series.ts';
import { addServeCommands } from './commands/serve.ts';
import { addSetupCommand } from './commands/setup.ts';
import { addStatusCommand } from './commands/status.ts';
import { addUnitCommand } from './commands/unit.ts';
import { addUnitsCommand } from './commands/units.ts';
import { addWhyCommand } from './commands/why.ts';
import { printable } from './output.ts';
import { processIo } from './process-io.ts';
import { CommandFailure, type ProgramIo } from './program-io.ts';

/** The commands, none of them run yet. */
export function createProgram(io: ProgramIo): Command {
  const program = new Command('lcs')
    .description('Leader Control Service: one instrument out of many small bioreactors')
    .version(programVersion, '--version', 'print the version')
    .showHelpAfterError('Run "lcs --help" for the commands.')
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => isJson(io) || io.stderr.write(text),
    })
    .exitOverride();
  addServeCommands(program, io);
  addUnitCommand(program, io);
  addSetupCommand(program, io);
  addDoctorCommand(program, io);
  addOutputsOffCommand(program, io);
  addStatusCommand(program, io);
  addExperimentCommands(program, io);
  addExportCommand(program, io);
  addCapsuleCommands(program, io);
  addUnitsCommand(program, io);
  addJobCommands(program, io);
  addCalibrationCommands(program, io);
  addPluginCommands(program, io);
  addProfileCommands(program, io);
  addBackupCommands(program, io);
  addArchiveCommands(program, io);
  addImportCommands(program, io);
  addMigrateCommand(program, io);
  addSeriesCommand(program, io);
  addGrowthCommands(program, io);
  addLogsCommand(program, io);
  addWhyCommand(program, io);
  addAlarmCommands(program, io);
  addAccessCommands(program, io);
  addAuditCommand(program, io);
  addBrokerCommand(program, io);
  addCertificateCommand(program, io);
  return program;
}

const isJson = ({ arguments: given }: ProgramIo): boolean => given.includes('--json');

/** The option parser's message for programs; for people the parser has printed it already. */
function invalidCommandLine({ code, message }: CommanderError): CommandFailure['report'] {
  const cause = code === 'commander.help' ? 'no command was given' : message.replace(/^error: /, '');
  return {
    error: 'The command line is not valid.',
    cause,
    remediation: 'Run "lcs --help" for the commands.',
  };
}

/** Prints a failure as sentences, or as one object with `--json`. */
function report(io: ProgramIo, problem: CommandFailure['report']): void {
  if (isJson(io)) {
    io.stderr.write(`${JSON.stringify(problem)}\n`);
    return;
  }
  const isSentence = /[.!?:]$/.test(problem.error);
  const cause = problem.cause === problem.error ? '' : `${isSentence ? '' : '.'} ${problem.cause}`;
  io.stderr.write(`lcs: ${printable(`${problem.error}${cause}`)}\n     ${printable(problem.remediation)}\n`);
}

/** The whole command line program. Resolves to the exit code: 0 done, 1 failed, 2 misused. */
export async function main(io: ProgramIo): Promise<number> {
  try {
    await createProgram(io).parseAsync([...io.arguments], { from: 'user' });
    return 0;
  } catch (failure) {
    if (failure instanceof CommanderError) {
      if (failure.exitCode === 0) return 0;
      if (isJson(io)) report(io, invalidCommandLine(failure));
      return 2;
    }
    if (failure instanceof StartupError) {
      if (isJson(io)) io.stderr.write(`${JSON.stringify({ error: failure.message })}\n`);
      else io.stderr.write(`lcs: ${failure.message}\n`);
      return 1;
    }
    if (failure instanceof CommandFailure) {
      report(io, failure.report);
      if (failure.endsProcess) io.exit(1);
      return 1;
    }
    if (failure instanceof ProblemError) {
      const { body } = failure;
      report(io, body.code === 'not_signed_in' ? { ...body, remediation: 'Sign in: lcs login NAME' } : body);
      return 1;
    }
    if (failure instanceof AddressError) {
      const remediation = 'Check the names on the command line: a variable of the shell may be empty.';
      report(io, { error: failure.message, cause: failure.message, remediation });
      return 2;
    }
    throw failure;
  }
}

/** Runs the program in this process, with its arguments, input and output. Resolves to the exit code. */
export const runProcess = (defaultDataFolder: string): Promise<number> => main(processIo(defaultDataFolder));
