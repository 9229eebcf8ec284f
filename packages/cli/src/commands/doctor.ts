import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { realClock, reasonOf, writeFileDurably } from '@lcs/platform';
import type { Command } from 'commander';
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
  program
    .command('doctor')
    .description('check this machine: board, services, network, storage; exit code 1 if there is a problem')
    .option('--report <file>', 'write everything into one file, to send in; secrets are hidden', folderName)
    .option('--json', 'print JSON for programs')
    .action((options: DoctorOptions) => doctor(io, options));
}
