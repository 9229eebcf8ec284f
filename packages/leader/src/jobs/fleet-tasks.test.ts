import { localCaller, type UnitOutcome } from '@lcs/contract';
import { expect, it } from 'vitest';
import { startTestLeader } from '../testing/test-leader.ts';
import { FleetTasks } from './fleet-tasks.ts';

const command = { unit: 'unit1', method: 'POST', path: '/unit_api/x', body: {} } as const;

const sender = { headers: {}, caller: localCaller };

/** A leader whose units do not answer before `answer` is called. */
async function withSilentUnits() {
  const leader = await startTestLeader();
  const { context } = leader;
  const answered = Promise.withResolvers<Record<string, UnitOutcome>>();
  const fleet = { ...context.fleet, command: () => answered.promise, read: () => answered.promise };
  const tasks = new FleetTasks({ ...context, fleet });
  await context.tasks.start(new AbortController().signal);
  return {
    tasks,
    runner: context.tasks,
    answer: () => answered.resolve({}),
    [Symbol.asyncDispose]: () => leader[Symbol.asyncDispose](),
  };
}

type Silent = Awaited<ReturnType<typeof withSilentUnits>>;

it.each([
  ['a command', ({ tasks }: Silent) => tasks.command([command], sender)],
  ['a read', ({ tasks }: Silent) => tasks.read(['unit1'], '/unit_api/x')],
])('%s that is cancelled waits for no unit', async (_, begin) => {
  await using silent = await withSilentUnits();
  const { body } = await begin(silent);
  await expect.poll(async () => (await silent.runner.get(body.task_id))?.status).toBe('running');
  await silent.runner.cancel(body.task_id);
  await expect.poll(async () => (await silent.runner.get(body.task_id))?.status).toBe('failed');
});

it('a stop waits for its units all the same, so that what did not reach them becomes an order', async () => {
  await using silent = await withSilentUnits();
  const { body } = await silent.tasks.stop([command], sender, { stops: [{ experiment: 'a', jobName: null }] });
  await expect.poll(async () => (await silent.runner.get(body.task_id))?.status).toBe('running');
  await silent.runner.cancel(body.task_id);
  expect((await silent.runner.get(body.task_id))?.status).toBe('running');
  silent.answer();
  await expect.poll(async () => (await silent.runner.get(body.task_id))?.finishedAt).not.toBeNull();
});
