import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLeaderProcess, startUnitProcess, type UnitProcess } from '@lcs/testkit';
import type { Figure } from './figures.ts';
import { namesOfLastingJobs, startLastingJobs } from './lasting-jobs.ts';
import { createMembers, untilMembers } from './members.ts';
import { bytesTogether, guardOf, inMegabytes, memoryOf } from './process-figures.ts';

const experiment = 'bench';
const units = ['u1', 'u2', 'u3'];
const restMs = 60_000;

function figuresOf(leaderPid: number, unitPid: number, afterS: number): Figure[] {
  const leader = memoryOf(leaderPid);
  const node = memoryOf(unitPid);
  const guard = memoryOf(guardOf(unitPid));
  return [
    {
      name: 'memory of `lcs leader`, three units, resident',
      value: leader.resident / 1e6,
      unit: 'MB',
      aim: { atMost: 160 },
      limit: `${afterS} s after the start of its jobs; PSS ${inMegabytes(leader.proportional)}`,
    },
    {
      name: 'memory of `lcs unit` and its guard, PSS',
      value: (node.proportional + guard.proportional) / 1e6,
      unit: 'MB',
      aim: { atMost: 110 },
      limit: `node ${inMegabytes(node.proportional)}, guard ${inMegabytes(guard.proportional)}; ${namesOfLastingJobs.join(', ')}; beside a leader and two more units, which share the pages of Node itself`,
    },
    {
      name: 'memory of `lcs unit` and its guard, as if alone on its machine',
      value: bytesTogether(node, guard) / 1e6,
      unit: 'MB',
      limit: `node ${inMegabytes(node.resident)} resident, of it ${inMegabytes(node.resident - node.anonymous)} pages of program files; guard ${inMegabytes(guard.resident)} resident, of it ${inMegabytes(guard.anonymous)} its own`,
    },
  ];
}

/** Memory of a leader and of a unit after a minute at work; each is started as an operator would. */
export async function memoryBench(restSeconds = restMs / 1_000): Promise<Figure[]> {
  const root = await mkdtemp(join(tmpdir(), 'lcs-bench-'));
  const processes: UnitProcess[] = [];
  try {
    const leader = await startLeaderProcess({ dataFolder: join(root, 'leader') });
    processes.push(leader);
    await createMembers(leader.url, experiment, units);
    for (const name of units) {
      const words = { leaderUrl: leader.url, witnessPath: '/dev/null' };
      processes.push(await startUnitProcess({ name, dataFolder: join(root, name), ...words }));
    }
    await untilMembers(leader.url, units);
    for (const name of units) await startLastingJobs(leader.url, name, experiment);
    await sleep(restSeconds * 1_000);
    return figuresOf(leader.pid, processes[1]?.pid ?? 0, restSeconds);
  } finally {
    for (const each of processes.reverse()) await each.kill('SIGTERM');
    await rm(root, { recursive: true, force: true });
  }
}
