import { setTimeout as sleep } from 'node:timers/promises';

/** Most looks are requests or queries: oftener, they would take the processor from what is waited for. */
const pauseMs = 50;

/** Looks again and again, in real time, until `look` does not throw; fails with what it threw last after `limitMs`. */
export async function eventually<Result>(look: () => Promise<Result> | Result, limitMs = 15_000): Promise<Result> {
  const end = performance.now() + limitMs;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (performance.now() >= end) throw error;
    }
    await sleep(pauseMs);
  }
}
