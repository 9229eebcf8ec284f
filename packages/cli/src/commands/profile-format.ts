import { writeFile } from 'node:fs/promises';
import { reasonOf } from '@lcs/platform';
import type { Command } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { printable, printJson } from '../output.ts';
import { CommandFailure, type ProgramIo } from '../program-io.ts';
import { readText } from './profile-files.ts';

interface FormatOptions extends ConnectionOptions {
  readonly check?: true;
  readonly write?: true;
}

/** @throws CommandFailure */
async function replaceText(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    throw new CommandFailure({
      error: `${file} cannot be written.`,
      cause: reasonOf(error),
      remediation: 'Check the file and its folder, then format it again.',
    });
  }
}

/** `lcs profiles format`: the canonical form of a file on this computer. */
export function addFormat(parent: Command, io: ProgramIo): void {
  withConnection(parent.command('format').description('print the canonical form of a file; comments are kept'), io)
    .argument('<file>', 'a YAML file on this computer')
    .option('--check', 'print nothing; exit code 1 if the file is not formatted')
    .option('--write', 'replace the file')
    .action(async (file: string, options: FormatOptions) => {
      const formatted = await connect(options).formatExperimentProfile({ body: { body: await readText(file) } });
      const { body, changed } = formatted;
      if (options.write && changed) await replaceText(file, body);
      if (options.json) printJson(io, formatted);
      else if (options.write) io.stdout.write(`${printable(file)} ${changed ? 'was' : 'is already'} formatted.\n`);
      else if (!options.check) io.stdout.write(body);
      if (!options.check || options.write || !changed) return;
      throw new CommandFailure({
        error: `${file} is not formatted.`,
        cause: 'Its text differs from the canonical form.',
        remediation: `Format it: lcs profiles format ${file} --write`,
      });
    });
}
