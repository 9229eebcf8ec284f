import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { errnoOf } from '@lcs/platform';

/** Clock ticks a second in `/proc`: the same on every Linux that Node runs on. */
const ticksPerSecond = 100;

/** Seconds of processor time a process has used so far, all its threads together. */
export const processorSeconds = (pid: number): number => ticksOf(pid, [11, 12]) / ticksPerSecond;

/** The same with the processes that it has started and that have ended. */
export const processorSecondsWithChildren = (pid: number): number => ticksOf(pid, [11, 12, 13, 14]) / ticksPerSecond;

/** The same of these processes and of all that run below them. Those that have ended are counted with their parents. */
export const secondsOfFamilies = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => sum + secondsOfFamily(pid), 0);

function secondsOfFamily(pid: number): number {
  try {
    return processorSecondsWithChildren(pid) + secondsOfFamilies(runningChildrenOf(pid));
  } catch (error) {
    // It has ended meanwhile.
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ESRCH') return 0;
    throw error;
  }
}

/** Of all its threads. */
function runningChildrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
}

/** Those with a group of processes of their own, such as a server that ends when it is not needed any more, are left. */
export function killRunningChildren(pid = process.pid): void {
  const own = groupOf(process.pid);
  for (const child of runningChildrenOf(pid)) {
    try {
      if (groupOf(child) !== own) continue;
      killRunningChildren(child);
      process.kill(child, 'SIGKILL');
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT' && errnoOf(error) !== 'ESRCH') throw error;
    }
  }
}

const groupOf = (pid: number): number => numbersOf(pid, [2])[0] ?? 0;

/** Processor time that all processes of the machine have used so far, in seconds. */
export const machineSeconds = (): number =>
  cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0) / 1_000;

const ticksOf = (pid: number, columns: readonly number[]): number =>
  numbersOf(pid, columns).reduce((sum, each) => sum + each, 0);

function numbersOf(pid: number, columns: readonly number[]): number[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program, in brackets, may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return columns.map((column) => Number(fields[column]));
}

export interface MemoryUse {
  /** All pages it has, those it shares with others included; bytes. */
  readonly resident: number;
  /** Pages shared with others count in part; bytes. */
  readonly proportional: number;
  /** Pages that belong to no file: what it has made itself; bytes. */
  readonly anonymous: number;
}

export function memoryOf(pid: number): MemoryUse {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const bytes = (name: string) => Number(new RegExp(`^${name}: +(\\d+) kB`, 'm').exec(text)?.[1]) * 1_024;
  return { resident: bytes('Rss'), proportional: bytes('Pss'), anonymous: bytes('Anonymous') };
}

export interface ChildProcessOnHost {
  readonly pid: number;
  /** Its command line, words joined by blanks. */
  readonly command: string;
}

/** The processes that a process has started. */
export function childrenOf(pid: number): ChildProcessOnHost[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  if (children === '') return [];
  return children.split(' ').map((child) => ({
    pid: Number(child),
    command: readFileSync(`/proc/${child}/cmdline`, 'utf8').replaceAll('\0', ' '),
  }));
}

/** The guard of a unit, a process of its own. @throws Error when there is none */
export function guardOf(unitPid: number): number {
  const guard = childrenOf(unitPid).find(({ command }) => command.includes('guard-process'));
  if (guard === undefined) throw new Error('the guard was not found among the processes of the unit');
  return guard.pid;
}

/** What a node and its guard take where no other Node runs: the program file, which both have, is in memory once. */
export const bytesTogether = (node: MemoryUse, guard: MemoryUse): number => node.resident + guard.anonymous;

export const inMegabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
