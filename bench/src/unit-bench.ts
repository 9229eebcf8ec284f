import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient, leaderApi, unitApi, waitForTask } from '@lcs/contract';
import { startLeaderProcess, startUnitProcess, type UnitProcess } from '@lcs/testkit';
import type { Figure } from './figures.ts';
import { namesOfLastingJobs, startLastingJobs } from './lasting-jobs.ts';
import { createMembers, pause, until, untilMembers } from './members.ts';
import { bytesTogether, guardOf, inMegabytes, type MemoryUse, memoryOf, processorSeconds } from './process-figures.ts';

const experiment = 'bench';
const reactor_unit = 'u1';
/** Starts are over, and what they have left. */
const settleMs = 60_000;
const lookEveryMs = 5_000;

/** What shows that a job is at work: a setting that it publishes, and whether it says it again and again. */
const signsOfWork: readonly { readonly job_name: string; readonly setting: string; readonly isOften: boolean }[] = [
  { job_name: 'stirring', setting: 'measured_rpm', isOften: true },
  { job_name: 'od_reading', setting: 'ods', isOften: true },
  { job_name: 'growth_rate_calculating', setting: 'growth_rate', isOften: true },
  { job_name: 'temperature_automation', setting: 'temperature', isOften: false },
  { job_name: 'dosing_automation', setting: 'latest_event', isOften: false },
  { job_name: 'led_automation', setting: 'latest_event', isOften: false },
  { job_name: 'monitor', setting: 'computer_statistics', isOften: false },
];

type Unit = Client<typeof unitApi>;

/** A still is a job of some seconds; the schedule of the unit takes more of them. */
async function takeStill(unitUrl: string, unit: Unit): Promise<void> {
  const accepted = await unit.takeUnitStill({ params: { experiment } });
  const task = await waitForTask(unitUrl, accepted, { sleep: pause });
  if (task.status !== 'succeeded') throw new Error(`no still was taken: ${JSON.stringify(task)}`);
}

/** What each job has said last; undefined: nothing yet. @throws Error unless all of them run */
async function saidBy(unit: Unit): Promise<ReadonlyMap<string, string | undefined>> {
  const running = new Set((await unit.listRunningJobs()).map(({ job_name }) => job_name));
  const missing = namesOfLastingJobs.filter((name) => !running.has(name));
  if (missing.length > 0) throw new Error(`these jobs do not run: ${missing.join(', ')}`);
  const said = signsOfWork.map(async ({ job_name, setting }) => {
    const { settings } = await unit.getJobSettings({ params: { job_name }, query: {} });
    const value = settings[setting];
    return [job_name, value === undefined || value === null ? undefined : String(value)] as const;
  });
  return new Map(await Promise.all(said));
}

/** @throws Error when a job has said nothing new meanwhile that should have */
function checkWork(before: ReadonlyMap<string, string | undefined>, after: ReadonlyMap<string, string | undefined>) {
  for (const { job_name, setting, isOften } of signsOfWork) {
    const now = after.get(job_name);
    if (now === undefined || (isOften && now === before.get(job_name)))
      throw new Error(`${job_name} does not work: its ${setting} is still ${now}`);
  }
}

interface Use {
  readonly seconds: number;
  /** Of a core, 0 to 100. */
  readonly percent: { readonly node: number; readonly guard: number };
  readonly node: MemoryUse;
  readonly guard: MemoryUse;
  readonly highestBytes: number;
}

async function measure(nodePid: number, seconds: number): Promise<Use> {
  const guardPid = guardOf(nodePid);
  const usedBefore = [processorSeconds(nodePid), processorSeconds(guardPid)] as const;
  const beganMs = performance.now();
  const passedS = () => (performance.now() - beganMs) / 1_000;
  let highestBytes = 0;
  while (passedS() < seconds) {
    await sleep(lookEveryMs);
    highestBytes = Math.max(highestBytes, bytesTogether(memoryOf(nodePid), memoryOf(guardPid)));
  }
  const percentSince = (pid: number, before: number) => ((processorSeconds(pid) - before) / passedS()) * 100;
  return {
    seconds: passedS(),
    percent: { node: percentSince(nodePid, usedBefore[0]), guard: percentSince(guardPid, usedBefore[1]) },
    node: memoryOf(nodePid),
    guard: memoryOf(guardPid),
    highestBytes,
  };
}

function figuresOf({ seconds, percent, node, guard, highestBytes }: Use, stills: number): Figure[] {
  const programFiles = inMegabytes(guard.resident - guard.anonymous);
  const sum = inMegabytes(node.resident + guard.resident);
  const shares = inMegabytes(node.proportional + guard.proportional);
  return [
    {
      name: 'all jobs: memory of `lcs unit` and its guard, resident, as if alone on its machine',
      value: bytesTogether(node, guard) / 1e6,
      unit: 'MB',
      aim: { atMost: 130 },
      limit: `highest ${inMegabytes(highestBytes)}; node ${inMegabytes(node.resident)}, guard ${inMegabytes(guard.anonymous)} of its own and ${programFiles} of program files, which are in memory once for both. Counted for each ${sum}; proportional shares beside a leader ${shares}`,
    },
    {
      name: 'all jobs: processor time of `lcs unit` and its guard, of one core',
      value: percent.node + percent.guard,
      unit: '%',
      aim: { atMost: 5 },
      limit: `node ${percent.node.toFixed(1)} %, guard ${percent.guard.toFixed(1)} %, over ${seconds.toFixed(0)} s; ${namesOfLastingJobs.join(', ')}, ${stills} stills`,
    },
  ];
}

/** A unit with all its jobs at their usual rates, started as an operator would; the simulated board is a process apart. */
export async function unitBench(seconds = 600): Promise<Figure[]> {
  const root = await mkdtemp(join(tmpdir(), 'lcs-bench-'));
  const processes: UnitProcess[] = [];
  try {
    const leader = await startLeaderProcess({ dataFolder: join(root, 'leader') });
    processes.push(leader);
    const client = createClient(leaderApi, { baseUrl: leader.url });
    await client.saveSharedConfig({ body: { code: `${await client.getSharedConfig()}\n[camera]\nenabled=1\n` } });
    await createMembers(leader.url, experiment, [reactor_unit]);
    const words = { leaderUrl: leader.url, dataFolder: join(root, reactor_unit), witnessPath: '/dev/null' };
    const started = await startUnitProcess({ name: reactor_unit, ...words });
    processes.push(started);
    await untilMembers(leader.url, [reactor_unit]);
    const unit = createClient(unitApi, { baseUrl: started.url });
    await startLastingJobs(leader.url, reactor_unit, experiment);
    await takeStill(started.url, unit);
    const hasSaid = async () => [...(await saidBy(unit)).values()].every((said) => said !== undefined);
    await until('every job has said something', hasSaid, 5 * settleMs);
    await sleep(settleMs);
    const before = await saidBy(unit);
    const use = await measure(started.pid, seconds);
    checkWork(before, await saidBy(unit));
    const { stills } = await unit.listUnitStills({ params: { experiment } });
    return figuresOf(use, stills.length);
  } finally {
    for (const each of processes.reverse()) await each.kill('SIGTERM');
    await rm(root, { recursive: true, force: true });
  }
}
