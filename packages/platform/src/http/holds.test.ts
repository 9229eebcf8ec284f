import { expect, it } from 'vitest';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { startToy } from '../testing/toy-server.ts';

it('keeps virtual time from passing while a handler is at work, and not longer', async () => {
  const clock = new VirtualClock();
  const begun = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  await using toy = await startToy(
    {
      getPlan: async () => {
        begun.resolve();
        await finish.promise;
        return { status: 200, body: { shelf: 'a', echo: null } };
      },
    },
    { holds: clock },
  );
  const answer = toy.fetch('/api/plan');
  await begun.promise;
  expect(clock.openHolds).toEqual(['an HTTP request']);
  let passed = false;
  const advancing = clock.advance(1000).then(() => {
    passed = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(passed).toBe(false);
  finish.resolve();
  expect((await answer).status).toBe(200);
  await advancing;
  expect(clock.openHolds).toEqual([]);
});

it('releases virtual time after a failure, and during an event stream', async () => {
  const clock = new VirtualClock();
  await using toy = await startToy(
    {
      getPlan: () => {
        throw new Error('a fault');
      },
      sortShelves: async () => {
        throw new Error('another');
      },
    },
    { holds: clock },
  );
  expect((await toy.fetch('/api/plan')).status).toBe(500);
  expect((await toy.fetch('/api/shelves/sort', { method: 'POST' })).status).toBe(500);
  expect((await toy.fetch('/api/shelves/sort', { method: 'POST', body: '[' })).status).toBe(400);
  const stream = await toy.fetch('/api/follow');
  expect(clock.openHolds).toEqual([]);
  await stream.body?.cancel();
});
