import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, leaderApi, ProblemError } from '@lcs/contract';

const usualModel = { model_name: 'reactor_40ml', model_version: '1.5' };

/** As `waitForTask` wants it. */
export const pause = (delayMs: number): Promise<void> => sleep(delayMs);

/** Polls until `isSo`; fails after `limitMs`. */
export async function until(
  what: string,
  isSo: () => Promise<boolean> | boolean,
  limitMs = 60_000,
  everyMs = 50,
): Promise<void> {
  const endMs = performance.now() + limitMs;
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error(`not within ${limitMs / 1_000} s: ${what}`);
    await sleep(everyMs);
  }
}

const longestBusyMs = 60_000;

/** Sends a change again while the store is busy, as the answer says. */
async function patiently<Result>(send: () => Promise<Result>): Promise<Result> {
  const endMs = performance.now() + longestBusyMs;
  for (;;) {
    try {
      return await send();
    } catch (error) {
      const isBusy = error instanceof ProblemError && error.body.code === 'store_busy';
      if (!isBusy || performance.now() > endMs) throw error;
      await sleep(2_000);
    }
  }
}

/** An experiment with these units in it, whether or not they have joined already. */
export async function createMembers(
  url: string,
  experiment: string,
  units: readonly string[],
  model = usualModel,
): Promise<void> {
  const client = createClient(leaderApi, { baseUrl: url });
  await client.createExperiment({ body: { experiment } });
  for (const reactor_unit of units) {
    await patiently(() => client.registerWorker({ body: { reactor_unit, ...model } }));
    await patiently(() => client.assignWorker({ params: { experiment }, body: { reactor_unit } }));
  }
}

/** Until every unit has joined and has the document that says so. */
export async function untilMembers(url: string, units: readonly string[]): Promise<void> {
  const client = createClient(leaderApi, { baseUrl: url });
  await until('all units are members', async () => {
    const known = new Map((await client.listUnits()).map((unit) => [unit.reactor_unit, unit]));
    return units.every((name) => {
      const unit = known.get(name);
      return unit !== undefined && unit.desired_version > 0 && unit.applied_version === unit.desired_version;
    });
  });
}
