import { readFileSync } from 'node:fs';

/** The child of a process that runs this program. */
export function childOf(pid: number, program: string): number | undefined {
  const pids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  return pids.map(Number).find((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes(program));
}
