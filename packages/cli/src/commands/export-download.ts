import { createHash } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { type FinishedTask, isErrorBody, ProblemError, type UnfinishedTask } from '@lcs/contract';
import { realClock, reasonOf } from '@lcs/platform';
import type { Connected } from '../connect.ts';
import { printable } from '../output.ts';
import { CommandFailure, type ProgramIo } from '../program-io.ts';

const pollMs = 300;

/** A progress line that is overwritten while the task runs; nothing without a terminal. */
export function progressLine(io: ProgramIo, isSilent: boolean, doing = 'exporting') {
  const isShown = io.stderr.isTTY === true && !isSilent;
  let length = 0;
  const show = (text: string) => {
    if (!isShown) return;
    io.stderr.write(`\r${text.padEnd(length)}`);
    length = text.length;
  };
  return {
    show: ({ progress, message, status }: UnfinishedTask) => {
      const share = progress === null ? '' : ` ${String(Math.floor(progress * 100)).padStart(3)} %`;
      show(printable(`${status === 'pending' ? 'waiting' : doing}${share}  ${message ?? ''}`));
    },
    clear: () => {
      show('');
      if (isShown) io.stderr.write('\r');
    },
  };
}

/** Waits for the end of a task. */
export async function endedTask(
  leader: Connected,
  taskId: string,
  show: (task: UnfinishedTask) => void,
): Promise<FinishedTask> {
  const clock = realClock();
  for (;;) {
    const task = await leader.getTaskResult({ params: { task_id: taskId } });
    if (task.status === 'succeeded' || task.status === 'failed') return task;
    show(task);
    await clock.sleep(pollMs);
  }
}

/** Writes a temporary file, verifies its hash, then renames it. */
export async function downloadExport(
  leader: Connected,
  { filename, sha256 }: { filename: string; sha256: string },
  out: string,
) {
  const part = `${out}.part`;
  const response = await leader.fetch(`/exports/${encodeURIComponent(filename)}`);
  if (!response.ok || response.body === null) {
    const body: unknown = await response.json();
    if (isErrorBody(body)) throw new ProblemError('answer', body);
    throw new Error(`The leader returned ${response.status} without a reason.`);
  }
  const hash = createHash('sha256');
  const file = await open(part, 'w').catch((error: unknown) => {
    throw new CommandFailure({
      error: `${out} cannot be written.`,
      cause: reasonOf(error),
      remediation: `Choose another path with --out. The leader keeps the export as ${filename}.`,
    });
  });
  try {
    for await (const piece of response.body) {
      hash.update(piece);
      await file.write(piece);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  if (hash.digest('hex') === sha256) return rename(part, out);
  await rm(part, { force: true });
  throw new CommandFailure({
    error: 'The file was damaged during the download.',
    cause: 'Its SHA-256 hash differs from that of the leader.',
    remediation: 'Export it again.',
  });
}
