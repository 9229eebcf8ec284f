import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, leaderApi, waitForTask } from '@lcs/contract';
import { startUnitProcess } from '@lcs/testkit';
import { connectAsync, type MqttClient } from 'mqtt';
import { type Figure, median } from './figures.ts';
import { type LeaderUnderLoad, startLeaderUnderLoad } from './leader-under-load.ts';
import { createMembers, pause, untilMembers } from './members.ts';

const experiment = 'bench';
const unit = 'u1';
const job = 'stirring';
const runs = 20;

/** What the state of the job is on the broker, from now on. */
async function watchState(mqtt: MqttClient): Promise<{ become(state: string): Promise<void> }> {
  let state = '';
  const waiting = new Set<() => void>();
  mqtt.on('message', (_, payload) => {
    state = payload.toString();
    for (const look of waiting) look();
  });
  await mqtt.subscribeAsync(`reactor/${unit}/${experiment}/${job}/$state`, { qos: 1 });
  return {
    become: (wanted) =>
      new Promise((resolve) => {
        const look = () => {
          if (state !== wanted) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}

interface Times {
  readonly readyMs: number;
  readonly taskMs: number;
}

async function oneRun(leader: LeaderUnderLoad, watch: Awaited<ReturnType<typeof watchState>>): Promise<Times> {
  const client = createClient(leaderApi, { baseUrl: leader.url });
  const params = { reactor_unit: unit, job, experiment };
  const begunMs = performance.now();
  const sinceMs = () => performance.now() - begunMs;
  const accepted = await client.runWorkerJob({ params, body: {} });
  const [readyMs, taskMs] = await Promise.all([
    watch.become('ready').then(sinceMs),
    waitForTask(leader.url, accepted, { sleep: pause }).then((task) => {
      if (!JSON.stringify(task).includes('"ok":true'))
        throw new Error(`the job did not start: ${JSON.stringify(task)}`);
      return sinceMs();
    }),
  ]);
  await client.stopWorkerJob({ params: { reactor_unit: unit, job_name: job, experiment } });
  await watch.become('disconnected');
  // A job may be requested once a second, counted by the unit.
  await sleep(Math.max(0, readyMs + 1_100 - sinceMs()));
  return { readyMs, taskMs };
}

/** From the request that starts a job to its state on the broker: leader and unit are processes of their own, as its guard is. */
export async function jobStartBench(): Promise<Figure[]> {
  const root = await mkdtemp(join(tmpdir(), 'lcs-bench-'));
  try {
    await using leader = await startLeaderUnderLoad(join(root, 'leader'));
    await createMembers(leader.url, experiment, [unit]);
    const process = await startUnitProcess({
      name: unit,
      leaderUrl: leader.url,
      dataFolder: join(root, unit),
      witnessPath: '/dev/null',
      mqttUrl: leader.mqttUrl,
    });
    const mqtt = await connectAsync(leader.mqttUrl);
    try {
      await untilMembers(leader.url, [unit]);
      const watch = await watchState(mqtt);
      const times: Times[] = [];
      for (let run = 0; run < runs; run += 1) times.push(await oneRun(leader, watch));
      const ready = times.map(({ readyMs }) => readyMs).sort((a, b) => a - b);
      const what = `${runs} runs; fastest ${ready[0]?.toFixed(0)} ms, slowest ${ready.at(-1)?.toFixed(0)} ms`;
      return [
        {
          name: 'POST …/jobs/run of stirring to retained ready on MQTT, p50',
          value: median(ready),
          unit: 'ms',
          aim: { atMost: 50 },
          limit: what,
        },
        {
          name: 'POST …/jobs/run of stirring to the end of its task, p50',
          value: median(times.map(({ taskMs }) => taskMs)),
          unit: 'ms',
        },
      ];
    } finally {
      await mqtt.endAsync(true);
      await process.kill('SIGTERM');
    }
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
