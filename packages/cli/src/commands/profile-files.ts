import { readFile } from 'node:fs/promises';
import type { ProfileDiagnostic } from '@lcs/contract';
import { reasonOf } from '@lcs/platform';
import { CommandFailure } from '../program-io.ts';

/** The text of a file on this computer. @throws CommandFailure */
export async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new CommandFailure({
      error: `${file} cannot be read.`,
      cause: reasonOf(error),
      remediation: 'Name a file on this computer.',
    });
  }
}

export const diagnosticText = ({ severity, line, column, code, message, hint }: ProfileDiagnostic): string =>
  `${line}:${column}: ${severity}: ${message} (${code})${hint === undefined ? '' : ` ${hint}`}`;
