import type { Finding, MachinePorts } from '@lcs/cluster';
import { printable } from '../output.ts';
import { CommandFailure, type ProgramIo } from '../program-io.ts';

/** For tests: the files of the machine are below this folder, and its programs in `PATH`. */
const rootOf = ({
  environment: { LCS_ROOT, PATH },
}: ProgramIo): { readonly root?: string; readonly toolPath?: string } =>
  LCS_ROOT === undefined ? {} : { root: LCS_ROOT, ...(PATH !== undefined && { toolPath: PATH }) };

/** A path of the machine, as this process reaches it. */
export const pathOnMachine = (io: ProgramIo, path: string): string => `${rootOf(io).root ?? ''}${path}`;

/** Whether the program may change the machine. */
export const mayChange = (io: ProgramIo): boolean => io.isRoot === true || rootOf(io).root !== undefined;

/** The machine that the program runs on. */
export async function thisMachine(io: ProgramIo): Promise<MachinePorts> {
  const { linuxMachine } = await import('@lcs/cluster');
  return linuxMachine({ ...rootOf(io), isRoot: mayChange(io) });
}

/** One sentence for each finding, and what to do. */
export function printFindings(io: ProgramIo, findings: readonly Finding[]): void {
  for (const { level, message, remediation } of findings) {
    io.stdout.write(`${level.padEnd(8)} ${printable(message)}\n`);
    if (remediation !== undefined) io.stdout.write(`         ${printable(remediation)}\n`);
  }
}

/** @throws CommandFailure when one of them is a problem */
export function failOnProblems(findings: readonly Pick<Finding, 'level'>[], command = 'lcs doctor'): void {
  const count = findings.filter(({ level }) => level === 'problem').length;
  if (count === 0) return;
  throw new CommandFailure({
    error: count === 1 ? 'The self-check found one problem.' : `The self-check found ${count} problems.`,
    cause: 'The lines above name them.',
    remediation: `Follow the line below each problem, then run ${command}.`,
  });
}
