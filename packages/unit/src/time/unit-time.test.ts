import { VirtualClock } from '@lcs/platform';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ClockStep, type RefusedTime, UnitTime } from './unit-time.ts';

const startMs = Date.UTC(2026, 0, 1);

async function testTime(hostSynced: boolean) {
  const clock = new VirtualClock({ startMs });
  let synced = hostSynced;
  const time = new UnitTime({ clock, boot: 7, hostSynced: () => synced });
  await time.start();
  const steps: ClockStep[] = [];
  time.onStep((step) => steps.push(step));
  const refusals: (RefusedTime | undefined)[] = [];
  time.onRefusal((refused) => refusals.push(refused));
  return { clock, time, steps, refusals, sync: () => (synced = true) };
}

describe('the time of a unit', () => {
  it('gives stamps that grow strictly within a boot, also at one moment', async () => {
    const { clock, time } = await testTime(true);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 5 }), { maxLength: 30 }), async (pauses) => {
        let last = time.stamp();
        for (const pause of pauses) {
          await clock.advance(pause);
          const next = time.stamp();
          expect(next.mono).toBeGreaterThan(last.mono);
          expect(next.at).toBeGreaterThanOrEqual(last.at);
          last = next;
        }
      }),
      { numRuns: 10 },
    );
  });

  it('does not follow the host when its clock is set, until that is a step of more than a second', async () => {
    const { clock, time, steps } = await testTime(true);
    clock.stepWallClock(900);
    await clock.advance(10_000);
    expect(time.stamp()).toMatchObject({ boot: 7, at: startMs + 10_000 });
    clock.stepWallClock(5_000);
    await clock.advance(10_000);
    const step = { from_ms: startMs + 20_000, to_ms: startMs + 25_900, offset_ms: 5_900 };
    expect(steps).toMatchObject([{ ...step, source: 'ntp', isCorrection: false }]);
    expect(time.stamp().at).toBe(startMs + 25_900);
  });

  it('flags stamps until a source reports the time, and keeps the first report for mapping them', async () => {
    const { clock, time, steps } = await testTime(false);
    await clock.advance(2_000);
    expect(time.stamp()).toMatchObject({ at: startMs + 2_000, unsynced: true });
    expect(time.boot).toEqual({ boot: 7, wall0: null, guess0: startMs, source: 'none' });
    time.receiveLeaderTime(startMs + 3_600_000);
    expect(time.stamp()).not.toHaveProperty('unsynced');
    expect(time.boot).toMatchObject({ wall0: startMs + 3_598_000, source: 'leader' });
    expect(steps).toEqual([]);
  });

  it('accepts a step from its leader only when it is reported twice', async () => {
    const { clock, time, steps } = await testTime(false);
    time.receiveLeaderTime(startMs);
    time.receiveLeaderTime(startMs + 30_000);
    expect(steps).toEqual([]);
    await clock.advance(1_000);
    time.receiveLeaderTime(startMs + 31_000);
    const step = { from_ms: startMs + 1_000, to_ms: startMs + 31_000 };
    expect(steps).toMatchObject([{ ...step, source: 'leader', isCorrection: false }]);
  });

  it('believes a host that NTP keeps more than its leader', async () => {
    const { clock, time, steps, sync } = await testTime(false);
    time.receiveLeaderTime(startMs + 60_000);
    sync();
    await clock.advance(10_000);
    expect(steps).toMatchObject([{ source: 'ntp', to_ms: startMs + 10_000 }]);
    time.receiveLeaderTime(startMs + 90_000);
    time.receiveLeaderTime(startMs + 90_000);
    expect(time.now()).toBe(startMs + 10_000);
  });

  const hourMs = 3_600_000;
  const twice = (time: UnitTime, wallMs: number, isSynced = false): void => {
    time.receiveLeaderTime(wallMs, isSynced);
    time.receiveLeaderTime(wallMs, isSynced);
  };

  it.each([3 * hourMs, -3 * hourMs, 61_000])(
    'refuses a step of %i ms of its leader, once, until that is back',
    async (jumpMs) => {
      const { clock, time, steps, refusals } = await testTime(false);
      twice(time, startMs);
      twice(time, startMs + jumpMs);
      twice(time, startMs + jumpMs);
      expect(refusals).toEqual([{ source: 'leader', offset_ms: jumpMs }]);
      await clock.advance(1_000);
      expect(time.stamp().at).toBe(startMs + 1_000);
      twice(time, startMs + 1_000);
      expect(refusals).toEqual([{ source: 'leader', offset_ms: jumpMs }, undefined]);
      expect(steps).toEqual([]);
    },
  );

  it('refuses a step of a leader that NTP keeps, too, once it had its time from there', async () => {
    const { time, steps, refusals } = await testTime(false);
    time.receiveLeaderTime(startMs, true);
    twice(time, startMs + hourMs, true);
    expect([steps.length, refusals.length]).toEqual([0, 1]);
  });

  it('is corrected by a better source, however far off it was, and refuses the worse one from then on', async () => {
    const { time, steps, refusals } = await testTime(false);
    time.receiveLeaderTime(startMs - 5 * hourMs);
    twice(time, startMs, true);
    expect(steps).toMatchObject([{ from_ms: startMs - 5 * hourMs, to_ms: startMs, isCorrection: true }]);
    expect(time.boot).toMatchObject({ wall0: startMs - 5 * hourMs, source: 'leader' });
    twice(time, startMs - 5 * hourMs);
    expect(time.now()).toBe(startMs);
    expect(refusals).toEqual([{ source: 'leader', offset_ms: -5 * hourMs }]);
  });

  it('reports with a correction the first stamp that has the right time, and by how much all before were wrong', async () => {
    const { clock, time, steps } = await testTime(false);
    time.receiveLeaderTime(startMs - 5 * hourMs);
    await clock.advance(1_000);
    const before = time.stamp();
    time.setByPerson(startMs + 1_000);
    const after = time.stamp();
    expect(steps).toMatchObject([{ isCorrection: true, offset_ms: 5 * hourMs, stamp: { at: startMs + 1_000 } }]);
    const [step] = steps;
    expect(before.mono).toBeLessThan(step?.stamp.mono ?? 0);
    expect(after.mono).toBeGreaterThan(step?.stamp.mono ?? 0);
    expect(before.at + 5 * hourMs).toBe(startMs + 1_000);
  });

  it.each([
    ['ahead', 5 * hourMs],
    ['behind', -5 * hourMs],
  ])('gives a reading that was taken before a correction, %s, its right time', async (_, offMs) => {
    const { clock, time, steps } = await testTime(false);
    time.receiveLeaderTime(startMs + offMs);
    await clock.advance(10_000);
    const takenMs = time.now();
    await clock.advance(500);
    twice(time, startMs + 10_500, true);
    const stepMono = steps[0]?.stamp.mono ?? 0;
    const stamp = time.stampOf(takenMs);
    expect([stamp.at, stamp.mono > stepMono]).toEqual([startMs + 10_000, true]);
    const laterMs = time.now();
    await clock.advance(500);
    expect(time.stampOf(laterMs).at).toBe(startMs + 10_500);
    await clock.advance(600_000);
    expect(time.stampOf(time.now() - 1_000).at).toBe(startMs + 610_000);
  });

  it('gives a reading that was taken before any source reported the time its right time', async () => {
    const { clock, time } = await testTime(false);
    await clock.advance(3_000);
    const takenMs = time.now();
    await clock.advance(200);
    time.receiveLeaderTime(startMs + hourMs);
    expect(time.stampOf(takenMs)).toMatchObject({ at: startMs + hourMs - 200 });
    expect(time.stampOf(time.now())).toMatchObject({ at: startMs + hourMs });
  });

  it('is corrected by a person who sets the clock', async () => {
    const { time, steps, refusals } = await testTime(true);
    twice(time, startMs + hourMs);
    time.setByPerson(startMs + hourMs);
    expect(time.now()).toBe(startMs + hourMs);
    expect(steps).toMatchObject([{ isCorrection: true }]);
    expect(refusals.at(-1)).toBeUndefined();
  });
});
