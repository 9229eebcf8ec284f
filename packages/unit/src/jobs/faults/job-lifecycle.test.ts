import type { Job, JobContext, JobDefinition } from '@lcs/node';
import { describe, expect, it } from 'vitest';
import { testUnit } from '../../testing/test-unit.ts';
import { HeldOutput } from '../shared/held-output.ts';

const steps = [
  'start',
  'start, with its output on',
  'apply',
  'sleep',
  'wake',
  'timer',
  'repetition',
  'listener',
  'work',
  'stop',
] as const;
type Step = (typeof steps)[number];

const broken = (): never => {
  throw new TypeError('a mistake of the program');
};

/** A job that turns the stirrer and throws in one step of its life. */
const breaking = (step: Step): JobDefinition => ({
  name: 'breaking',
  settings: { level: { type: 'float' } },
  options: {},
  isActuating: true,
  stopGroup: 'heat_and_pwm',
  start: async (context: JobContext): Promise<Job> => {
    if (step === 'start') broken();
    const output = await HeldOutput.take(context, 'pwm1');
    await output.set(40);
    if (step === 'start, with its output on') broken();
    if (step === 'timer') context.clock.after(5_000, broken);
    if (step === 'repetition') context.repeat(5_000, async () => broken());
    if (step === 'listener') context.listen(context.topics.readings, broken);
    return {
      ...(step === 'work' && { done: context.clock.sleep(5_000).then(broken) }),
      apply: step === 'apply' ? broken : () => {},
      sleep: step === 'sleep' ? broken : () => {},
      wake: step === 'wake' ? broken : () => {},
      stop: step === 'stop' ? broken : () => output.release(),
    };
  },
});

type Unit = Awaited<ReturnType<typeof testUnit>>;

const update = (unit: Unit, values: Record<string, number | string>) =>
  unit.runtime.update({ jobName: 'breaking' }, values, 'http').catch(() => {});

/** What makes the step happen. */
const provoke: Readonly<Record<Step, (unit: Unit) => Promise<unknown>>> = {
  start: async () => {},
  'start, with its output on': async () => {},
  apply: (unit) => update(unit, { level: 1 }),
  sleep: (unit) => update(unit, { $state: 'sleeping' }),
  wake: async (unit) => {
    await update(unit, { $state: 'sleeping' });
    await update(unit, { $state: 'ready' });
  },
  timer: (unit) => unit.pass(6),
  repetition: (unit) => unit.pass(6),
  listener: async (unit) => {
    unit.runtime.topics.readings.publish('od', { source: 'od', value: 1, atMs: 0 });
  },
  work: (unit) => unit.pass(6),
  stop: (unit) => unit.stop('breaking'),
};

describe('a job that throws', () => {
  it.each(steps)('in %s has ended a second later, with its output off and its error told', async (step) => {
    await using unit = await testUnit({ alsoJobs: () => [breaking(step)] });
    await unit.run('monitor');
    await unit.run('breaking').catch(() => {});
    await provoke[step](unit);
    await unit.pass(1);
    expect(unit.board.levels.pwm[1]).toBe(0);
    expect(unit.runtime.running().map(({ origin }) => origin.jobName)).toEqual(['monitor']);
    expect(unit.recorded.logs.filter((line) => line.includes('a mistake of the program'))).toHaveLength(1);
  });
});
