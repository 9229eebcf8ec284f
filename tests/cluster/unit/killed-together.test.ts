import { createClient, unitApi, waitForTask } from '@lcs/contract';
import { realClock } from '@lcs/platform';
import {
  childOf,
  endBoard,
  outputsOn,
  startStandInLeader,
  startUnitProcess,
  temporaryFolder,
  type UnitProcess,
} from '@lcs/testkit';
import { expect, it, onTestFinished, vi } from 'vitest';

const wire = realClock();

const pidOf = (node: UnitProcess, program: string): number => {
  const pid = childOf(node.pid, program);
  if (pid === undefined) throw new Error(`The unit has no child that runs ${program}.`);
  return pid;
};
const guardOf = (node: UnitProcess) => pidOf(node, 'guard-process');
const watchdogOf = (node: UnitProcess) => pidOf(node, 'switch-off-process');

async function prepareUnit() {
  const folder = await temporaryFolder('killed-together');
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const leader = await startStandInLeader();
  onTestFinished(() => leader[Symbol.asyncDispose]());
  const dataFolder = `${folder.path}/unit`;
  const witnessPath = `${folder.path}/witness`;
  onTestFinished(() => endBoard(`${dataFolder}/run/board.sock`));
  return {
    on: () => outputsOn(witnessPath).sort(),
    start: async () => {
      const unit = await startUnitProcess({ name: 'unit1', leaderUrl: leader.url, dataFolder, witnessPath });
      onTestFinished(() => unit.kill('SIGKILL'));
      await leader.put(unit.url);
      return unit;
    },
    run: async (unit: UnitProcess) => {
      const client = createClient(unitApi, { baseUrl: unit.url });
      for (const [job, options] of [
        ['stirring', {}],
        ['temperature_automation', { automation_name: 'thermostat', target_temperature: 38 }],
        ['led_intensity', { B: 20 }],
        ['add_media', { duration: 60 }],
      ] as const) {
        const accepted = await client.runJob({ params: { job }, body: { options } });
        const task = await waitForTask(unit.url, accepted, { sleep: (delayMs) => wire.sleep(delayMs) });
        expect(task).toMatchObject({ status: 'succeeded' });
      }
    },
  };
}

/** Stirrer, media pump, heater and an LED. */
const driven = ['ledB', 'pwm1', 'pwm2', 'pwm5'];
const soon = { timeout: 15_000, interval: 50 };
const within2s = { timeout: 2_000, interval: 20 };

it('leaves no output on when node and guard are killed together, and the next node alone drives its outputs', async () => {
  const { start, run, on } = await prepareUnit();
  const first = await start();
  await run(first);
  await vi.waitFor(() => expect(on()).toEqual(driven), soon);
  const watchdog = watchdogOf(first);
  process.kill(guardOf(first), 'SIGKILL');
  first.child.kill('SIGKILL');
  await vi.waitFor(() => expect(on()).toEqual([]), within2s);
  await vi.waitFor(() => expect(() => process.kill(watchdog, 0)).toThrow(), soon);

  const second = await start();
  const again = createClient(unitApi, { baseUrl: second.url });
  await vi.waitFor(
    async () =>
      expect((await again.getDesired()).resume).toMatchObject({ resumed: expect.arrayContaining(['stirring']) }),
    soon,
  );
  await vi.waitFor(() => expect(on()).toContain('pwm1'), soon);
  // A clean stop ends its watchdog too, without another process.
  const next = watchdogOf(second);
  await second.kill('SIGTERM');
  expect(await second.ended).toMatchObject({ code: 0 });
  expect(() => process.kill(next, 0)).toThrow();
  expect(on()).toEqual([]);
}, 90_000);

it('starts another watchdog when one is lost, and continues meanwhile', async () => {
  const { start, run, on } = await prepareUnit();
  const unit = await start();
  await run(unit);
  await vi.waitFor(() => expect(on()).toEqual(driven), soon);
  const lost = watchdogOf(unit);
  process.kill(lost, 'SIGKILL');
  await vi.waitFor(() => expect(watchdogOf(unit)).not.toBe(lost), soon);
  expect(on()).toEqual(expect.arrayContaining(['pwm1', 'pwm2']));
  process.kill(guardOf(unit), 'SIGKILL');
  unit.child.kill('SIGKILL');
  await vi.waitFor(() => expect(on()).toEqual([]), within2s);
}, 90_000);
