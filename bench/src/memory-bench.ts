import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, leaderApi, waitForTask } from '@lcs/contract';
import { startLeaderProcess, startUnitProcess, type UnitProcess } from '@lcs/testkit';
import type { Figure } from './figures.ts';
import { createMembers, pause, untilMembers } from './members.ts';
import { childrenOf, memoryOf } from './process-figures.ts';

const experiment = 'bench';
const units = ['u1', 'u2', 'u3'];
/** `monitor` runs on every unit by itself. */
const jobs: readonly { readonly job: string; readonly options?: Readonly<Record<string, string>> }[] = [
  { job: 'stirring' },
  { job: 'od_reading' },
  { job: 'growth_rate_calculating' },
  { job: 'temperature_automation', options: { automation_name: 'thermostat', target_temperature: '30' } },
];
const restMs = 60_000;

async function startJobs(url: string): Promise<void> {
  const client = createClient(leaderApi, { baseUrl: url });
  for (const reactor_unit of units) {
    for (const { job, options = {} } of jobs) {
      const accepted = await client.runWorkerJob({ params: { reactor_unit, job, experiment }, body: { options } });
      const task = JSON.stringify(await waitForTask(url, accepted, { sleep: pause }));
      if (!task.includes('"ok":true')) throw new Error(`${job} did not start: ${task}`);
    }
  }
}

const megabytes = (bytes: number) => bytes / 1e6;
const inMegabytes = (bytes: number) => `${megabytes(bytes).toFixed(0)} MB`;

function figuresOf(leaderPid: number, unitPid: number, afterS: number): Figure[] {
  const leader = memoryOf(leaderPid);
  const node = memoryOf(unitPid);
  const guardPid = childrenOf(unitPid).find(({ command }) => command.includes('guard-process'))?.pid;
  if (guardPid === undefined) throw new Error('the guard was not found among the processes of the unit');
  const guard = memoryOf(guardPid);
  const running = `${jobs.map(({ job }) => job).join(', ')} and monitor`;
  // The program file's pages, which the guard has from the same binary, are counted with the node.
  const together = node.resident + guard.anonymous;
  return [
    {
      name: 'memory of `lcs leader`, three units, resident',
      value: megabytes(leader.resident),
      unit: 'MB',
      aim: { atMost: 160 },
      limit: `${afterS} s after the start of its jobs; PSS ${inMegabytes(leader.proportional)}`,
    },
    {
      name: 'memory of `lcs unit` and its guard, PSS',
      value: megabytes(node.proportional + guard.proportional),
      unit: 'MB',
      aim: { atMost: 110 },
      limit: `node ${inMegabytes(node.proportional)}, guard ${inMegabytes(guard.proportional)}; ${running}; beside a leader and two more units, which share the pages of Node itself`,
    },
    {
      name: 'memory of `lcs unit` and its guard, as if alone on its machine',
      value: megabytes(together),
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
    await startJobs(leader.url);
    await sleep(restSeconds * 1_000);
    return figuresOf(leader.pid, processes[1]?.pid ?? 0, restSeconds);
  } finally {
    for (const each of processes.reverse()) await each.kill('SIGTERM');
    await rm(root, { recursive: true, force: true });
  }
}
