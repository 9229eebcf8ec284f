import { expect, it, vi } from 'vitest';
import { controlled, startControlRun } from './control-run.ts';

const second = 1_000;
const minute = 60 * second;
const jobs = ['stirring', 'od_reading'];
/** Readings of the optical density are this far apart: later a unit may have run without a record on disk. */
const readingMs = 5 * second;

it('the leader reports the interruption of a unit without power, and a regular stop without an alarm', async () => {
  await using run = await startControlRun({ unitCount: 1, vial: { initialOd: 0.5 } });
  const { clock, units } = run;
  const [unit] = units;
  if (unit === undefined) throw new Error('There is no unit.');
  for (const job of jobs) await run.run(job);
  await run.pass(5 * minute);
  await run.caughtUp();
  const interruptions = () =>
    run.leader().client.listInterruptions({ params: { experiment: controlled }, query: { kind: 'unit_off' } });
  const stops = () =>
    run.leader().client.listInterruptions({ params: { experiment: controlled }, query: { kind: 'unit_stopped' } });
  expect([await interruptions(), await stops()]).toEqual([[], []]);

  // Two in a row: forty minutes, and then again after a few minutes.
  const cuts: { readonly lastRecordMs: number; readonly offMs: number; onMs: number }[] = [];
  for (const offMs of [40 * minute, 90 * second]) {
    const cut = { lastRecordMs: clock.now(), offMs, onMs: 0 };
    cuts.unshift(cut);
    await run.cut(unit, offMs, jobs);
    cut.onMs = cut.lastRecordMs + offMs;
    await run.pass(3 * minute);
    await run.caughtUp();
  }
  const told = await vi.waitFor(async () => {
    const rows = await interruptions();
    const resumed = [...jobs].sort();
    expect(rows.map((row) => [...(row.jobs?.resumed ?? [])].filter((job) => jobs.includes(job)).sort())).toEqual([
      resumed,
      resumed,
    ]);
    return rows;
  }, 10_000);
  for (const [index, { lastRecordMs, onMs }] of cuts.entries()) {
    const { from, to, kind, clock_unset, message } = told[index] ?? {};
    expect({ kind, clock_unset }).toEqual({ kind: 'unit_off', clock_unset: false });
    expect(Math.abs(Date.parse(to ?? '') - onMs)).toBeLessThan(second);
    // The last record on disk before the cut.
    expect(lastRecordMs - Date.parse(from ?? '')).toBeGreaterThanOrEqual(0);
    expect(lastRecordMs - Date.parse(from ?? '')).toBeLessThan(readingMs + second);
    expect(message).toContain('It had not been stopped');
  }
  // It is the break in the series too: nothing was measured in between, and there are readings on both sides.
  const { data } = await run.leader().client.getOdReadings({ params: { experiment: controlled }, query: {} });
  const moments = (data[0] ?? []).map(({ x }) => Date.parse(x));
  const [newest] = told;
  const inside = moments.filter((ms) => ms > Date.parse(newest?.from ?? '') && ms < Date.parse(newest?.to ?? ''));
  expect(inside).toEqual([]);
  expect(moments.some((ms) => ms > Date.parse(newest?.to ?? ''))).toBe(true);
  // And a person is notified.
  const alarms = await run.leader().client.listAlarms({ query: { rule: 'unit_cut_off' } });
  expect(alarms).toMatchObject([{ reactor_unit: unit.name, severity: 'warning' }]);

  const stoppedMs = clock.now();
  await unit.shutDown();
  await run.pass(10 * minute);
  await unit.start();
  await vi.waitFor(async () => expect(await stops()).toHaveLength(1), 20_000);
  const [stop] = await stops();
  expect(Math.abs(Date.parse(stop?.from ?? '') - stoppedMs)).toBeLessThan(second);
  expect(Math.abs(Date.parse(stop?.to ?? '') - (stoppedMs + 10 * minute))).toBeLessThan(second);
  expect(await interruptions()).toHaveLength(2);
}, 180_000);
