import { readFile } from 'node:fs/promises';
import { errnoOf } from '@lcs/platform';
import { Type } from 'typebox';

/** Identifies one process permanently: process IDs are reused, for example after a restart of the machine. */
export interface ProcessStamp {
  readonly pid: number;
  /** The start of the process in clock ticks since the boot; '' if unknown. */
  readonly started: string;
  /** The boot ID of the machine; '' if unknown. */
  readonly bootId: string;
}

export const ProcessStamp = Type.Object({
  pid: Type.Integer({ minimum: 1 }),
  started: Type.String(),
  bootId: Type.String(),
});

/** The processes of a machine. */
export interface Processes {
  self(): Promise<ProcessStamp>;
  /** Whether exactly that process still runs. */
  isAlive(stamp: ProcessStamp): Promise<boolean>;
}

/** The processes of this machine, by `/proc`; without it (not on Linux) by process ID alone. */
export function hostProcesses(): Processes {
  return {
    async self() {
      const running = await statusOf(process.pid);
      return { pid: process.pid, started: running?.started ?? '', bootId: await readBootId() };
    },
    async isAlive(stamp) {
      if (stamp.bootId !== (await readBootId())) return false;
      if (stamp.started === '') return answersSignals(stamp.pid);
      const running = await statusOf(stamp.pid);
      return running !== undefined && running.started === stamp.started && !isDead(running.state);
    },
  };
}

/** A zombie has ended and released all its resources. */
const isDead = (state: string) => state === 'Z' || state === 'X' || state === 'x';

/** Fields 3 (state) and 22 (start time) of `/proc/<pid>/stat`, see proc(5). Field 2, the name, may contain anything. */
export function parseProcessStatus(text: string): { state: string; started: string } | undefined {
  const fields = text
    .slice(text.lastIndexOf(')') + 1)
    .trim()
    .split(/\s+/);
  const [state, started] = [fields[0], fields[22 - 3]];
  return state === undefined || started === undefined ? undefined : { state, started };
}

async function statusOf(pid: number) {
  const text = await readIfThere(`/proc/${pid}/stat`);
  return text === undefined ? undefined : parseProcessStatus(text);
}

async function readBootId(): Promise<string> {
  return (await readIfThere('/proc/sys/kernel/random/boot_id'))?.trim() ?? '';
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = errnoOf(error);
    // ESRCH: the process ended between opening and reading.
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
}

function answersSignals(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if (errnoOf(error) === 'ESRCH') return false;
    if (errnoOf(error) === 'EPERM') return true;
    throw error;
  }
}
