import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { realClock, reasonOf, writeFileDurably } from '@lcs/platform';
import { type Command, Option } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { printJson } from '../output.ts';
import { CommandFailure, type ProgramIo } from '../program-io.ts';
import { failOnProblems, printFindings, thisMachine } from './machine.ts';
import { folderName } from './node-options.ts';

interface DoctorOptions {
  readonly report?: string;
  readonly json?: true;
}

async function doctor(io: ProgramIo, { report, json }: DoctorOptions): Promise<void> {
  const { checks, readFacts, readReportTexts, reportText, roleOf } = await import('@lcs/cluster');
  const machine = await thisMachine(io);
  const facts = await readFacts(machine, { searchesLeaders: true });
  const role = roleOf(facts);
  const findings = checks(facts, role);
  if (report !== undefined) {
    const path = resolve(report);
    const former = await readFile(path, 'utf8').catch(() => '');
    const texts = await readReportTexts(machine);
    await store(path, reportText(facts, role, findings, texts, realClock().now(), former));
  }
  if (json) printJson(io, { role: role ?? null, findings });
  else printFindings(io, findings);
  if (report !== undefined && !json) io.stdout.write(`The report is in ${report}. Read it, then send it.\n`);
  failOnProblems(findings);
}

interface DoctorBrokerOptions extends ConnectionOptions {
  readonly beforeRestart?: true;
  readonly afterRestart?: true;
}

/** The leader checks: it has the accounts, and its way to the broker is the one that counts. */
async function doctorBroker(io: ProgramIo, options: DoctorBrokerOptions): Promise<void> {
  const { beforeRestart, afterRestart, json } = options;
  const body = beforeRestart ? { restart: 'before' as const } : afterRestart ? { restart: 'after' as const } : {};
  const { findings } = await connect(options).checkBroker({ body });
  if (json) printJson(io, { findings });
  else printFindings(io, findings);
  failOnProblems(findings, 'lcs doctor broker');
}

/** A person may take the file without being root. */
const readableMode = 0o644;

async function store(path: string, text: string): Promise<void> {
  try {
    await writeFileDurably(path, text, { mode: readableMode });
  } catch (error) {
    throw new CommandFailure({
      error: 'The report was not written.',
      cause: `${path} cannot be used: ${reasonOf(error)}.`,
      remediation: 'Choose another file.',
    });
  }
}

/** `lcs doctor`: what is in order on this machine, and what is not. */
export function addDoctorCommand(program: Command, io: ProgramIo): void {
  const doctorCommand = program
    .command('doctor')
    .description('check this machine: board, services, network, storage; exit code 1 if there is a problem')
    .option('--report <file>', 'write everything into one file, to send in; secrets are hidden', folderName)
    .option('--json', 'print JSON for programs')
    .action((options: DoctorOptions) => doctor(io, options));
  withConnection(
    doctorCommand
      .command('broker')
      .description('check the external MQTT broker of a leader; exit code 1 if there is a problem'),
    io,
  )
    .addOption(
      new Option('--before-restart', 'leave a session and a message at the broker, then restart it').conflicts(
        'afterRestart',
      ),
    )
    .option('--after-restart', 'look whether both survived the restart')
    // `--json` after `broker` is also an option of `doctor`, which takes it.
    .action((_: unknown, command: Command) => doctorBroker(io, command.optsWithGlobals<DoctorBrokerOptions>()));
}
