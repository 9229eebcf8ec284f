import { readFileSync, writeFileSync } from 'node:fs';

/**
 * Which processes of a unit the kernel ends first when memory is short: plugins, then the node, the guard of the outputs last. Each changes
 * its own `/proc/self/oom_score_adj` (proc_pid_oom_score_adj(5)) by this much from what it began with; a guard takes back what its node
 * added. What a service manager has set is the lowest that the kernel allows.
 */
const steps = { node: 100, guard: -100, plugin: 700 } as const;

const own = '/proc/self/oom_score_adj';
const lowest = -1000;
const highest = 1000;

/** Without effect where the kernel has no such file, or refuses. */
export function takeMemoryRank(rank: keyof typeof steps): void {
  try {
    const wanted = Number(readFileSync(own, 'utf8')) + steps[rank];
    writeFileSync(own, String(Math.min(Math.max(wanted, lowest), highest)));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}
