import { errnoOf, reasonOf } from '@lcs/platform';
import { type Finding, problem } from './finding.ts';
import type { MachineFacts, UnreadFact } from './machine-facts.ts';
import { ended, type MachineFiles, type MachinePorts } from './machine-ports.ts';

/**
 * The ports of a machine of which one part fails: what cannot be read counts as absent, and is noted. A program that did not end is not
 * started again: each start would take its whole time limit.
 */
export function notingFaults(ports: MachinePorts): {
  readonly ports: MachinePorts;
  readonly unread: readonly UnreadFact[];
  readonly noted: <T>(name: string, work: Promise<T>, absent: T) => Promise<T>;
} {
  const unread: UnreadFact[] = [];
  const noted = async <T>(path: string, work: Promise<T>, absent: T): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      if (!unread.some(({ name }) => name === path)) unread.push({ kind: 'file', name: path, reason: reasonOf(error) });
      return absent;
    }
  };
  const { files } = ports;
  const noting: MachineFiles = {
    ...files,
    read: (path, encoding) => noted(path, files.read(path, encoding), undefined),
    list: (folder) => noted(folder, files.list(folder), []),
    changedMs: (path) => noted(path, files.changedMs(path), undefined),
    rights: (path) => noted(path, files.rights(path), undefined),
  };
  const run: MachinePorts['run'] = async (program, args, limitMs) => {
    const silent = unread.find(({ kind, name }) => kind === 'program' && name === program);
    if (silent !== undefined) return { exitCode: ended, stdout: '', stderr: silent.reason };
    const result = await ports.run(program, args, limitMs);
    if (result.exitCode === ended)
      unread.push({ kind: 'program', name: program, reason: result.stderr.split('\n')[0] ?? '' });
    return result;
  };
  return { ports: { ...ports, files: noting, run }, unread, noted };
}

/** One sentence for each part of the machine that could not be read. */
export const unreadFindings = ({ unread }: Pick<MachineFacts, 'unread'>): readonly Finding[] =>
  unread.map(({ kind, name, reason }) =>
    kind === 'file'
      ? problem(
          'file_unread',
          `${name} cannot be read: ${reason}.`,
          'If the disk is faulty, save /var/lib/lcs and /var/lib/lcs-unit, then replace the card.',
        )
      : problem(
          'program_silent',
          `${name} does not answer (${reason}): what it would show was not checked.`,
          'Run lcs doctor again. If it stays so, start the computer again: systemctl reboot --force.',
        ),
  );
