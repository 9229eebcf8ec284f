import { expect, it } from 'vitest';
import { longExperiment, startLongRun } from './long-run.ts';

const dayMs = 86_400_000;
const unitCount = Number(process.env.LCS_VIRTUAL_UNITS ?? 2);
const days = Number(process.env.LCS_VIRTUAL_DAYS ?? 0.25);
const intervalS = 60;

/** Each reading has two transactions with two chips (plan and answer), and switches the LED on and off. */
const leastTransactionsPerReading = 5;

it(`${days} days of ${unitCount} units pass on virtual time, every reading through driver, job, outbox, feed and store`, async () => {
  await using run = await startLongRun(unitCount);
  await run.run('od_reading', { interval: intervalS });
  const begun = run.wire.monotonic();
  await run.clock.advance(days * dayMs);
  await run.caughtUp(intervalS);
  const seconds = (run.wire.monotonic() - begun) / 1000;
  const { series, data } = await run.leader.client.getOdReadings({
    params: { experiment: longExperiment },
    query: { lookback: 1e6, target_points: 1_000_000 },
  });
  const expected = (days * 86_400) / intervalS;
  expect(series).toHaveLength(unitCount);
  for (const points of data) {
    expect(Math.abs(points.length - expected)).toBeLessThanOrEqual(2);
    const times = points.map(({ x }) => Date.parse(x));
    const steps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(Math.min(...steps.slice(1))).toBeGreaterThanOrEqual(1000 * intervalS - 1);
    expect(Math.max(...steps)).toBeLessThanOrEqual(1000 * intervalS + 1);
  }
  for (const { board } of run.units) {
    expect(board.transactions).toBeGreaterThan(leastTransactionsPerReading * expected);
  }
  expect(run.batches()).toBeGreaterThan(unitCount * 10 * Math.min(1, days));
  const readings = data.reduce((sum, points) => sum + points.length, 0);
  const transactions = run.units.reduce((sum, { board }) => sum + board.transactions, 0);
  console.log(
    `${days} days × ${unitCount} units in ${seconds.toFixed(1)} s: ${readings} readings, ${transactions} driver transactions, ${run.batches()} feed batches`,
  );
});
