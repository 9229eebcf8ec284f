import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClockStalled } from './holds.ts';
import { VirtualClock } from './virtual-clock.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('the virtual clock', () => {
  it('does not advance by itself', async () => {
    const clock = new VirtualClock({ startMs: 1_000_000 });
    await turn();
    expect([clock.now(), clock.monotonic()]).toEqual([1_000_000, 0]);
    await clock.advance(250);
    expect([clock.now(), clock.monotonic()]).toEqual([1_000_250, 250]);
  });

  it('shows every timer the time at which it was due', async () => {
    const clock = new VirtualClock({ startMs: 0 });
    const seen: number[] = [];
    clock.after(30, () => seen.push(clock.now()));
    clock.every(20, () => seen.push(clock.now()));
    await clock.advance(50);
    expect(seen).toEqual([20, 30, 40]);
  });

  it('keeps a repeating timer in its place among timers of the same moment', async () => {
    const clock = new VirtualClock();
    const seen: string[] = [];
    clock.every(10, () => {
      seen.push('sampler');
      clock.after(10, () => seen.push('later'));
    });
    clock.every(10, () => seen.push('automation'));
    await clock.advance(20);
    expect(seen).toEqual(['sampler', 'automation', 'sampler', 'automation', 'later']);
  });

  it('runs timers created while it advances, those without delay included', async () => {
    const clock = new VirtualClock({ startMs: 0 });
    const seen: number[] = [];
    const chain = (left: number) => {
      seen.push(clock.now());
      if (left > 0) clock.after(left % 2 === 0 ? 0 : 5, () => chain(left - 1));
    };
    clock.after(5, () => chain(4));
    await clock.advance(15);
    expect(seen).toEqual([5, 5, 10, 10, 15]);
  });

  it('completes the work that a timer starts before the next timer', async () => {
    const clock = new VirtualClock();
    const seen: string[] = [];
    clock.after(1, () => {
      void turn()
        .then(turn)
        .then(() => seen.push('work of the first'));
    });
    clock.after(2, () => seen.push('second'));
    await clock.advance(2);
    expect(seen).toEqual(['work of the first', 'second']);
  });

  it('wakes sleepers in time and cuts their sleep with the reason of the signal', async () => {
    const clock = new VirtualClock({ startMs: 0 });
    const stop = new AbortController();
    const woke: number[] = [];
    const loop = (async () => {
      for (;;) {
        await clock.sleep(10, stop.signal);
        woke.push(clock.now());
      }
    })();
    await clock.advance(35);
    stop.abort(new Error('the job stops'));
    await expect(loop).rejects.toThrow('the job stops');
    expect(woke).toEqual([10, 20, 30]);
    expect(clock.pendingTimers).toBe(0);
    await expect(clock.sleep(1, stop.signal)).rejects.toThrow('the job stops');
  });

  it('steps the wall clock without moving timers', async () => {
    const clock = new VirtualClock({ startMs: 0 });
    const seen: [number, number][] = [];
    clock.after(10, () => seen.push([clock.now(), clock.monotonic()]));
    clock.stepWallClock(-3_600_000);
    await clock.advance(10);
    expect(seen).toEqual([[-3_599_990, 10]]);
  });

  it('advances until a condition is true, and rejects when it stays false', async () => {
    const clock = new VirtualClock({ startMs: 0 });
    let ticks = 0;
    clock.every(10, () => {
      ticks += 1;
    });
    await clock.advanceUntil(() => ticks === 3, 1000);
    expect(clock.now()).toBe(30);
    await expect(clock.advanceUntil(() => false, 100)).rejects.toThrow('within 100 ms of virtual time');
  });

  it('rejects the advance when an action throws, and can go on from there', async () => {
    const clock = new VirtualClock({ startMs: 0 });
    const seen: number[] = [];
    clock.after(5, () => {
      throw new Error('no such pump');
    });
    clock.every(5, () => seen.push(clock.now()));
    await expect(clock.advance(20)).rejects.toThrow('no such pump');
    expect(clock.now()).toBe(5);
    await clock.advance(15);
    expect(seen).toEqual([5, 10, 15, 20]);
  });

  it('refuses a second advance while one is under way', async () => {
    const clock = new VirtualClock();
    const first = clock.advance(1);
    await expect(clock.advance(1)).rejects.toThrow('already being advanced');
    await first;
  });

  it('refuses delays and intervals that mean nothing', () => {
    const clock = new VirtualClock();
    expect(() => clock.after(Number.POSITIVE_INFINITY, () => {})).toThrow(RangeError);
    expect(() => clock.every(0, () => {})).toThrow(RangeError);
  });
});

describe('holds of the virtual clock', () => {
  it('do not let time pass while one is open, not even to where nothing is due', async () => {
    const clock = new VirtualClock({ startMs: 0 });
    const first = clock.hold('POST /unit_api/update_time');
    const second = clock.hold('store: append');
    const advanced = clock.advance(100);
    for (let turns = 0; turns < 20; turns += 1) await turn();
    expect(clock.now()).toBe(0);
    first();
    first();
    for (let turns = 0; turns < 20; turns += 1) await turn();
    expect(clock.now()).toBe(0);
    expect(clock.openHolds).toEqual(['store: append']);
    second();
    await advanced;
    expect(clock.now()).toBe(100);
  });

  it('taken by an action keep the next timer waiting, also when released one moment and taken again', async () => {
    const clock = new VirtualClock();
    const seen: string[] = [];
    clock.after(1, () => {
      const release = clock.hold('request');
      setTimeout(() => {
        release();
        const again = clock.hold('commit');
        setTimeout(() => {
          seen.push('commit');
          again();
        }, 1);
      }, 1);
    });
    clock.after(2, () => seen.push('next timer'));
    await clock.advance(2);
    expect(seen).toEqual(['commit', 'next timer']);
  });

  it('kept too long end the advance with an error that names them', async () => {
    const clock = new VirtualClock({ stallLimitMs: 5 });
    clock.hold('GET /unit_api/feed');
    const forgotten = clock.hold('PUT /unit_api/desired');
    const error = await clock.advance(10).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ClockStalled);
    expect(String(error)).toContain('GET /unit_api/feed, PUT /unit_api/desired');
    expect(clock.monotonic()).toBe(0);
    forgotten();
  });
});

describe('barriers of the virtual clock', () => {
  it('are waited for at each interval, after the timers of that moment', async () => {
    const clock = new VirtualClock({ startMs: 0 });
    const seen: string[] = [];
    clock.every(5, () => seen.push(`timer ${clock.now()}`));
    const cancel = clock.onBarrier(10, async () => {
      await turn();
      seen.push(`caught up ${clock.now()}`);
    });
    await clock.advance(20);
    cancel();
    await clock.advance(10);
    expect(seen).toEqual([
      'timer 5',
      'timer 10',
      'caught up 10',
      'timer 15',
      'timer 20',
      'caught up 20',
      'timer 25',
      'timer 30',
    ]);
  });

  it('reject the advance when the wait fails or takes too long', async () => {
    const failing = new VirtualClock();
    failing.onBarrier(10, () => Promise.reject(new Error('the follower has died')));
    await expect(failing.advance(10)).rejects.toThrow('the follower has died');
    const stuck = new VirtualClock({ stallLimitMs: 5 });
    stuck.onBarrier(10, () => new Promise(() => {}), 'the follower');
    await expect(stuck.advance(10)).rejects.toThrow('the follower');
  });
});

describe('any set of timers on the virtual clock', () => {
  const plannedTimers = fc.array(
    fc.record({ delayMs: fc.nat(50), nestedMs: fc.option(fc.nat(30)), cancel: fc.boolean(), holds: fc.boolean() }),
    { maxLength: 25 },
  );
  const steps = fc.array(fc.nat(25), { minLength: 1, maxLength: 6 });

  it('fires in order of time, loses none, fires none that was cancelled and never overtakes a hold', async () => {
    await fc.assert(
      fc.asyncProperty(plannedTimers, steps, async (planned, deltasMs) => {
        const clock = new VirtualClock({ startMs: 0, turns: 1 });
        const fired: { dueMs: number; order: number }[] = [];
        const expected: { dueMs: number; order: number }[] = [];
        const totalMs = deltasMs.reduce((sum, deltaMs) => sum + deltaMs, 0);
        let openHolds = 0;
        let order = 0;
        const fire = (dueMs: number, ownOrder: number) => {
          expect(openHolds).toBe(0);
          expect(clock.now()).toBe(dueMs);
          fired.push({ dueMs, order: ownOrder });
        };
        const schedule = (delayMs: number, then: () => void) => {
          const [dueMs, ownOrder] = [clock.now() + delayMs, order];
          order += 1;
          const cancel = clock.after(delayMs, () => {
            fire(dueMs, ownOrder);
            then();
          });
          return { entry: { dueMs, order: ownOrder }, cancel };
        };
        const holdForATurn = () => {
          const release = clock.hold('work');
          openHolds += 1;
          setImmediate(() => {
            openHolds -= 1;
            release();
          });
        };
        for (const { delayMs, nestedMs, cancel, holds } of planned) {
          const timer = schedule(delayMs, () => {
            if (holds) holdForATurn();
            if (nestedMs !== null) expected.push(schedule(nestedMs, () => {}).entry);
          });
          if (cancel) timer.cancel();
          else expected.push(timer.entry);
        }
        for (const deltaMs of deltasMs) await clock.advance(deltaMs);
        const due = expected.filter(({ dueMs }) => dueMs <= totalMs);
        expect(fired).toEqual(due.sort((a, b) => a.dueMs - b.dueMs || a.order - b.order));
        expect(clock.pendingTimers).toBe(expected.length - due.length);
      }),
      { numRuns: 60 },
    );
  });
});
