import { defaultPumpFlow, planRun } from '@lcs/domain';
import { GuardLost, GuardRefused } from '@lcs/hardware';
import { VirtualClock } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { DoseRun, type DoseRunOptions } from './dose-run.ts';

/** A dose of 2 mL (about 22 s) with a guard and a ledger that only write down what they are asked. */
function testRun(changes: Partial<DoseRunOptions> = {}) {
  const clock = new VirtualClock();
  const logged: string[] = [];
  const entered: number[] = [];
  const run = planRun({ volumeMl: 2 }, defaultPumpFlow);
  if (run === undefined) throw new Error('It can be moved.');
  const dose = new DoseRun({
    run,
    settings: { output: 'pwm2', duty: 100, flow: defaultPumpFlow, calibration: null },
    lease: {
      set: async (output, level, forMs) => void logged.push(`${output} ${level} for ${Math.round(forMs ?? 0)}`),
      release: async () => void logged.push('released'),
    },
    account: { enter: async (volumeMl) => void entered.push(volumeMl), close: async () => void logged.push('closed') },
    clock,
    signal: new AbortController().signal,
    limit: () => undefined,
    ...changes,
  });
  const sum = () => entered.reduce((total, volumeMl) => total + volumeMl, 0);
  return { clock, logged, entered, dose, sum };
}

describe('a dose under way', () => {
  it('is closed also when its correction cannot be written down', async () => {
    const stopping = new AbortController();
    const closed: string[] = [];
    const account: DoseRunOptions['account'] = {
      enter: async (volumeMl) => {
        if (volumeMl < 0) throw new Error('The disk is full.');
      },
      close: async () => void closed.push('closed'),
    };
    const { clock, dose } = testRun({ account, signal: stopping.signal });
    const done = dose.do();
    done.catch(() => {});
    await clock.advance(1_200);
    stopping.abort();
    await expect(done).rejects.toThrow('The disk is full.');
    expect(closed).toEqual(['closed']);
  });

  it('leaves in the ledger what may have run when the guard dies before it has confirmed the first slice', async () => {
    const lease: DoseRunOptions['lease'] = {
      set: () => Promise.reject(new GuardLost('it was killed')),
      release: async () => {},
    };
    const { dose, entered } = testRun({ lease });
    await expect(dose.do()).rejects.toThrow(GuardLost);
    expect(entered).toEqual([expect.closeTo(0.5 * defaultPumpFlow.volumeIn(1), 2)]);
  });

  it('never has leave to run more than half a second beyond what is entered, and none beyond its end', async () => {
    const { clock, logged, dose, sum } = testRun();
    const done = dose.do();
    await clock.advance(30_000);
    expect(await done).toMatchObject({ volumeMl: 2 });
    expect(sum()).toBeCloseTo(2, 12);
    const leaves = logged.filter((line) => line.startsWith('pwm2')).map((line) => Number(line.split(' for ')[1]));
    expect(Math.max(...leaves)).toBe(1000);
    expect(leaves.at(-1)).toBeLessThanOrEqual(500);
    expect(logged.slice(-2)).toEqual(['released', 'closed']);
  });

  it('moves the same in long slices, and stops at a limit to half a second', async () => {
    // The ledger takes no more than 1.7 mL: 18.5 s of pumping.
    const moved = (sliceMs: number) => {
      let total = 0;
      const limit: DoseRunOptions['limit'] = (volumeMl) => (total + volumeMl > 1.7 ? 'overflow' : undefined);
      const entered: number[] = [];
      const account: DoseRunOptions['account'] = {
        enter: async (volumeMl) => {
          total += volumeMl;
          entered.push(volumeMl);
        },
        close: async () => {},
      };
      return { run: testRun({ account, limit, sliceMs }), entered };
    };
    const [fine, coarse] = [moved(500), moved(5_000)];
    const results = [];
    for (const { run } of [fine, coarse]) {
      const done = run.dose.do();
      await run.clock.advance(30_000);
      results.push(await done);
    }
    expect(results[0]).toMatchObject({ stopped: 'overflow', ranMs: 18_500 });
    expect(results[1]).toMatchObject({ stopped: 'overflow', ranMs: 18_500 });
    expect(results[1]?.volumeMl).toBeCloseTo(results[0]?.volumeMl ?? 0, 9);
    // Three of 5 s, and seven of half a second near the limit.
    expect([fine.entered.length, coarse.entered.length]).toEqual([37, 10]);
  });

  it('takes back what a stop in the middle of a long slice has left in the bottle', async () => {
    const stopping = new AbortController();
    const { clock, dose, sum } = testRun({ sliceMs: 5_000, signal: stopping.signal });
    const done = dose.do();
    await clock.advance(7_000);
    stopping.abort();
    expect(await done).toMatchObject({ stopped: 'stopped', ranMs: 7_000 });
    expect(sum()).toBeCloseTo(7 * 0.0911, 9);
  });

  it('ends with the pump off when it cannot be written down, with what has come', async () => {
    const failure = new Error('The disk is full.');
    const entered: number[] = [];
    const account: DoseRunOptions['account'] = {
      enter: async (volumeMl) => {
        entered.push(volumeMl);
        if (entered.length === 4) throw failure;
      },
      close: async () => {},
    };
    const { clock, logged, dose } = testRun({ account });
    const done = dose.do();
    done.catch(() => {});
    await clock.advance(10_000);
    await expect(done).rejects.toBe(failure);
    expect(logged.at(-1)).toBe('released');
    // Three pieces were pumped; the fourth was entered and is taken back.
    const total = entered.reduce((sum, volumeMl) => sum + volumeMl, 0);
    expect(total).toBeCloseTo(1.5 * 0.0911, 9);
  });

  it('ends when the guard allows no more, with what has come', async () => {
    let calls = 0;
    const lease: DoseRunOptions['lease'] = {
      set: async () => {
        calls += 1;
        if (calls === 3) throw new GuardRefused('pump_volume', 'set');
      },
      release: async () => {},
    };
    const { clock, dose, sum } = testRun({ lease });
    const done = dose.do();
    await clock.advance(10_000);
    expect(await done).toMatchObject({ stopped: 'guard', ranMs: 1000 });
    expect(sum()).toBeCloseTo(0.0911, 9);
  });

  it('is whole when the guard has ended it in the moment of its last renewal', async () => {
    const clock = new VirtualClock();
    const run = planRun({ volumeMl: 0.5 }, defaultPumpFlow);
    // The last timer but one fires so late that the pump has run for all of its time.
    const isLast = () => clock.monotonic() >= 4_500 && clock.monotonic() < 5_000;
    const late = { monotonic: () => clock.monotonic(), sleep: (ms: number) => clock.sleep(isLast() ? ms + 490 : ms) };
    const lease: DoseRunOptions['lease'] = {
      set: async (_output, _level, forMs) => {
        // As the guard does, for which no time is a wrong request.
        if (forMs !== undefined && forMs <= 0) throw new GuardRefused('bad_request', 'set');
      },
      release: async () => {},
    };
    const { dose, sum } = testRun({ clock: late, lease, ...(run && { run }) });
    const done = dose.do();
    await clock.advance(10_000);
    expect(await done).toEqual({ volumeMl: 0.5, ranMs: run?.totalMs });
    expect(sum()).toBeCloseTo(0.5, 12);
  });

  it('calls when it has begun once, also where time has passed until the guard has answered', async () => {
    const clock = new VirtualClock();
    const begun: number[] = [];
    const lease: DoseRunOptions['lease'] = { set: () => clock.sleep(3), release: async () => {} };
    let reads = 0;
    const ticking = {
      // Each reading of it is later than the one before, as on the real clock.
      monotonic: () => {
        reads += 1;
        return clock.monotonic() + 0.001 * reads;
      },
      sleep: (ms: number, signal?: AbortSignal) => clock.sleep(ms, signal),
    };
    const { dose } = testRun({ clock: ticking, lease, begun: () => void begun.push(clock.monotonic()) });
    const done = dose.do();
    await clock.advance(30_000);
    expect(await done).toMatchObject({ volumeMl: 2 });
    expect(begun).toEqual([3]);
  });

  it('does not count what the guard has cut without renewal', async () => {
    const clock = new VirtualClock();
    const slow = { monotonic: () => clock.monotonic(), sleep: (ms: number) => clock.sleep(ms < 500 ? ms : 3000) };
    const { dose } = testRun({ clock: slow, limit: () => (clock.monotonic() > 2900 ? 'overflow' : undefined) });
    const done = dose.do();
    await clock.advance(10_000);
    expect(await done).toMatchObject({ stopped: 'overflow', ranMs: 1000 });
  });

  it.each([
    [2000, 4000, 'guard'],
    [2400, 4400, 'guard'],
    [2100, 9000, 'guard'],
    [5200, 6000, 'guard'],
    [2100, 4100, 'guard and node'],
  ] as const)('counts what a pump runs on from %d to %d ms, while its %s stood still', async (fromMs, toMs, who) => {
    const clock = new VirtualClock();
    const isStalled = () => clock.monotonic() >= fromMs && clock.monotonic() < toMs;
    const awake = () => (isStalled() ? clock.sleep(toMs - clock.monotonic()) : undefined);
    // Its output stays as it is while the guard stands still; then the guard ends what is over, and takes what has waited.
    let pump = { onMs: 0, sinceMs: Number.POSITIVE_INFINITY, endsAtMs: Number.POSITIVE_INFINITY };
    const switchTo = (forMs: number) => {
      const nowMs = clock.monotonic();
      const onMs = pump.onMs + Math.max(0, nowMs - pump.sinceMs);
      pump = { onMs, sinceMs: forMs > 0 ? nowMs : Number.POSITIVE_INFINITY, endsAtMs: nowMs + forMs };
    };
    clock.every(1, () => {
      if (!isStalled() && clock.monotonic() >= pump.endsAtMs) switchTo(0);
    });
    const lease: DoseRunOptions['lease'] = {
      set: async (_output, _level, forMs = 0) => {
        await awake();
        switchTo(forMs);
      },
      release: async () => {
        await awake();
        switchTo(0);
      },
    };
    const sleep = async (ms: number, signal?: AbortSignal) => {
      await clock.sleep(ms, signal);
      if (who === 'guard and node') await awake();
    };
    const run = planRun({ volumeMl: 0.5 }, defaultPumpFlow);
    const node = { monotonic: () => clock.monotonic(), sleep };
    const { dose, sum } = testRun({ clock: node, lease, ...(run && { run }) });
    const done = dose.do();
    await clock.advance(20_000);
    const { ranMs } = await done;
    expect(Math.abs(ranMs - pump.onMs)).toBeLessThanOrEqual(3);
    expect(sum()).toBeCloseTo(defaultPumpFlow.volumeIn(pump.onMs / 1000), 3);
  });
});
