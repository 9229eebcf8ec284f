import { reasonOf } from '@lcs/platform';
import type { Change } from './change.ts';
import { changeLimitMs, type MachinePorts, notInstalled } from './machine-ports.ts';

/** A change that the machine has refused; those before it are done. */
export class ChangeFailed extends Error {
  readonly change: Change;
  /** The end of a sentence. */
  readonly reason: string;

  constructor(change: Change, reason: string) {
    super(`${describeChange(change)}: ${reason}`);
    this.name = 'ChangeFailed';
    this.change = change;
    this.reason = reason;
  }
}

/** What is done, in a few words. */
export const describeChange = (change: Change): string =>
  change.kind === 'run' ? `run ${[change.program, ...change.args].join(' ')}` : `${change.kind} ${change.path}`;

/** The first text of a file that belongs to somebody else. */
const originalPath = (path: string): string => `${path}.before-lcs`;

/** Does the changes one after the other. Each is whole or not done, so that setup can be run again. @throws ChangeFailed */
export async function applyChanges(
  changes: readonly Change[],
  ports: Pick<MachinePorts, 'files' | 'run'>,
  onDone: (change: Change) => void,
): Promise<void> {
  for (const change of changes) {
    await applyChange(change, ports);
    onDone(change);
  }
}

function applyChange(change: Change, ports: Pick<MachinePorts, 'files' | 'run'>): Promise<void> {
  switch (change.kind) {
    case 'write':
      return applyWrite(change, ports);
    case 'remove':
      return applyRemove(change, ports);
    case 'run':
      return applyRun(change, ports);
  }
}

async function applyRemove(
  change: Extract<Change, { kind: 'remove' }>,
  { files }: Pick<MachinePorts, 'files'>,
): Promise<void> {
  try {
    await files.remove(change.path);
  } catch (error) {
    throw new ChangeFailed(change, reasonOf(error));
  }
}

async function applyWrite(
  change: Extract<Change, { kind: 'write' }>,
  { files }: Pick<MachinePorts, 'files'>,
): Promise<void> {
  const { path, text, mode, encoding, keepsOriginal } = change;
  try {
    const before = keepsOriginal ? await files.read(path, encoding) : undefined;
    const hasOriginal = (await files.read(originalPath(path), encoding)) !== undefined;
    if (before !== undefined && !hasOriginal) await files.write(originalPath(path), before, mode, encoding);
    await files.write(path, text, mode, encoding);
  } catch (error) {
    throw new ChangeFailed(change, reasonOf(error));
  }
}

async function applyRun(change: Extract<Change, { kind: 'run' }>, { run }: Pick<MachinePorts, 'run'>): Promise<void> {
  const { exitCode, stdout, stderr } = await run(change.program, change.args, changeLimitMs);
  if (exitCode === 0) return;
  const said = `${stderr}\n${stdout}`.split('\n').find((line) => line.trim() !== '');
  throw new ChangeFailed(
    change,
    exitCode === notInstalled && said === undefined
      ? 'it is not installed'
      : (said?.trim().replace(/\.$/, '') ?? `exit code ${exitCode}`),
  );
}
