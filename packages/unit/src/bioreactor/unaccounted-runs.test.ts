import type { JobOrigin } from '@lcs/node';
import { VirtualClock } from '@lcs/platform';
import { expect, it } from 'vitest';
import { type PumpStretch, UnaccountedRuns } from './unaccounted-runs.ts';

const job: JobOrigin = {
  jobId: 7,
  jobName: 'doser',
  experiment: 'exp1',
  experimentUid: 'uid',
  jobSource: 'user',
};

function runsUnderTest(isAccounted = false) {
  const clock = new VirtualClock();
  const entered: PumpStretch[] = [];
  const begun: number[] = [];
  const disk = { isFull: false };
  const runs = new UnaccountedRuns({
    clock,
    isPump: (output) => output === 'pwm2',
    isAccounted: () => isAccounted,
    enter: async (_job, stretch) => {
      if (disk.isFull) throw new Error('The disk is full.');
      entered.push(stretch);
    },
    began: (_job, _output, forMs) => begun.push(forMs),
  });
  return { clock, runs, entered, begun, disk };
}

it('a run is entered before it begins, and what did not pass is taken back', async () => {
  const { clock, runs, entered, begun } = runsUnderTest();
  await runs.begin(job, 'pwm2', 80, 2_000);
  expect(entered).toEqual([{ output: 'pwm2', percent: 80, ranMs: 2_000 }]);
  await clock.advance(500);
  await runs.end(job, 'pwm2');
  expect(entered.slice(1)).toEqual([{ output: 'pwm2', percent: 80, ranMs: -1_500 }]);
  await runs.end(job, 'pwm2');
  expect(entered).toHaveLength(2);
  expect(begun).toEqual([2_000]);
});

it('a renewal is entered with the time that it adds, and is no further run', async () => {
  const { clock, runs, entered, begun } = runsUnderTest();
  await runs.begin(job, 'pwm2', 100, 1_000);
  await clock.advance(500);
  await runs.begin(job, 'pwm2', 100, 1_000);
  await clock.advance(1_000);
  await runs.end(job, 'pwm2');
  expect(entered.map(({ ranMs }) => ranMs)).toEqual([1_000, 500]);
  await clock.advance(5_000);
  await runs.begin(job, 'pwm2', 100, 1_000);
  expect(begun).toEqual([1_000, 1_000]);
});

it('a run that the guard refuses leaves nothing, and the run before it stays', async () => {
  const { clock, runs, entered } = runsUnderTest();
  await runs.begin(job, 'pwm2', 100, 1_000);
  await clock.advance(400);
  const takeBack = await runs.begin(job, 'pwm2', 100, 5_000);
  await takeBack();
  expect(entered.map(({ ranMs }) => ranMs)).toEqual([1_000, 4_400, -4_400]);
  await runs.end(job, 'pwm2');
  expect(entered.at(-1)?.ranMs).toBe(-600);
});

it('a refused run that has ended meanwhile is taken back once', async () => {
  const { runs, entered } = runsUnderTest();
  const takeBack = await runs.begin(job, 'pwm2', 100, 10_000);
  await runs.end(job, 'pwm2');
  await takeBack();
  expect(entered.map(({ ranMs }) => ranMs)).toEqual([10_000, -10_000]);
});

it('doses, and outputs that are no pumps, are not entered again', async () => {
  for (const [isAccounted, output] of [
    [true, 'pwm2'],
    [false, 'pwm5'],
  ] as const) {
    const { runs, entered, begun } = runsUnderTest(isAccounted);
    const takeBack = await runs.begin(job, output, 100, 1_000);
    await takeBack();
    await runs.end(job, output);
    expect([entered, begun]).toEqual([[], []]);
  }
});

it('a run that cannot be entered does not begin; the end of one never fails', async () => {
  const { runs, begun, disk } = runsUnderTest();
  disk.isFull = true;
  await expect(runs.begin(job, 'pwm2', 100, 1_000)).rejects.toThrow('full');
  expect(begun).toEqual([]);
  disk.isFull = false;
  await runs.begin(job, 'pwm2', 100, 1_000);
  disk.isFull = true;
  await runs.end(job, 'pwm2');
});
