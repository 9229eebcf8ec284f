import { describe, expect, it, vi } from 'vitest';
import { type BusyUnit, experiment, startBusyUnit, unitName } from './busy-unit.ts';
import { canMount, makeTrouble } from './store-trouble.ts';

const soon = { timeout: 60_000, interval: 200 };
const params = { reactor_unit: unitName, experiment };

const raised = async ({ leaderClient }: BusyUnit) =>
  (await leaderClient.listAlarms()).filter(({ is_active }) => is_active).map(({ rule }) => rule);

describe.runIf(canMount())('a stop that could not be recorded', () => {
  // Most of the time the leader waits for its next check of alarms.
  it.concurrent.each([
    ['unit', 'full', [], ['changes_not_recorded', 'unit_disk_low']],
    ['unit', 'locked', [], ['changes_not_recorded']],
    // A leader whose disk is full records no new alarm: the one for its own disk must be there before.
    ['both', 'full', ['disk_low'], ['disk_low']],
  ] as const)(
    'raises alarms when the disk of %s is %s',
    async (whose, trouble, before, rules) => {
      await using world = await startBusyUnit();
      await vi.waitFor(async () => expect(await raised(world)).toEqual(expect.arrayContaining([...before])), soon);
      await using _ = await makeTrouble(world, whose, trouble);
      await world.leaderClient.stopWorkerJobsOfExperiment({ params });
      await vi.waitFor(() => expect(world.outputsOn()).toEqual([]), { timeout: 15_000, interval: 20 });
      await vi.waitFor(async () => expect(await raised(world)).toEqual(expect.arrayContaining([...rules])), soon);
    },
    300_000,
  );
});
