import { runProgram } from '@lcs/cli/testing';
import type { Demo } from '@lcs/cluster';
import {
  type AcceptedTask,
  BiomassSignals,
  createClient,
  type FinishedTask,
  leaderApi,
  waitForTask,
} from '@lcs/contract';
import { realClock } from '@lcs/platform';
import { startDemo, type TemporaryFolder, temporaryFolder } from '@lcs/testkit';
import { Value } from 'typebox/value';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from './units/eventually.ts';

const limitMs = 90_000;
const experiment = 'yeast-batch-demo';
const job = 'dosing_automation';
const turbidostat = (target_biomass: number, biomass_signal?: string) => ({
  automation_name: 'turbidostat',
  target_biomass,
  exchange_volume_ml: 0.1,
  ...(biomass_signal !== undefined && { biomass_signal }),
});

/** Two units with cultures, calibrated pumps and everything that measures, on the real clock. */
describe('a turbidostat whose target is below the density', () => {
  let folder: TemporaryFolder;
  let demo: Demo;
  let leader: ReturnType<typeof createClient<typeof leaderApi>>;
  const clock = realClock();
  const ended = (accepted: AcceptedTask): Promise<FinishedTask> =>
    waitForTask(demo.url, accepted, { sleep: (ms) => clock.sleep(ms) });
  const run = async (reactor_unit: string, options: object, confirm_dilution?: boolean) =>
    ended(
      await leader.runWorkerJob({
        params: { reactor_unit, job, experiment },
        body: { options: { ...options }, ...(confirm_dilution !== undefined && { confirm_dilution }) },
      }),
    );
  const signalsOf = async (unit: string): Promise<BiomassSignals> => {
    const task = await ended(await leader.getWorkerBiomassSignals({ params: { reactor_unit: unit } }));
    const value = task.status === 'succeeded' ? Reflect.get(Object(task.result), unit)?.value : undefined;
    if (!Value.Check(BiomassSignals, value)) throw new Error(`There are no signals: ${JSON.stringify(task)}`);
    return value;
  };
  const odOf = async (unit: string): Promise<number | null | undefined> =>
    (await signalsOf(unit)).signals.find(({ signal }) => signal === 'od')?.value;
  const lcs = (args: readonly string[], answer?: string) =>
    runProgram([...args, '--url', demo.url], {
      ...(answer !== undefined && {
        isTTY: true,
        input: async function* () {
          yield answer;
        },
      }),
    });
  const running = async (): Promise<readonly string[]> => {
    const task = await ended(await leader.listWorkerRunningJobs({ params: { reactor_unit: '$broadcast' } }));
    const units = task.status === 'succeeded' ? Object.entries(Object(task.result)) : [];
    return units
      .filter(([, outcome]) => JSON.stringify(outcome).includes(`"job_name":"${job}"`))
      .map(([unit]) => unit)
      .sort();
  };

  beforeAll(async () => {
    folder = await temporaryFolder('confirm');
    demo = await startDemo(folder.path, { units: 2, pastHours: 1 });
    leader = createClient(leaderApi, { baseUrl: demo.url });
    await eventually(async () => {
      for (const unit of ['unit1', 'unit2']) expect(await odOf(unit)).toEqual(expect.any(Number));
    }, limitMs);
  }, limitMs);
  afterEach(async () => {
    await ended(await leader.stopWorkerJob({ params: { reactor_unit: '$broadcast', job_name: job, experiment } }));
    // A job of one name may be requested once a second.
    await clock.sleep(1_100);
  });
  afterAll(async () => {
    await demo.stop();
    await folder[Symbol.asyncDispose]();
  });

  it('is refused by the unit when the client requests a confirmation, with value and target', async () => {
    const value = await odOf('unit1');
    expect(await run('unit1', turbidostat(0.0001, 'od'), false)).toMatchObject({
      status: 'succeeded',
      result: { unit1: { ok: false, status_code: 409, error: { code: 'dilution_not_confirmed' } } },
    });
    expect(value).toBeGreaterThan(0.0001);
    expect(await running()).toEqual([]);
    const [failure, accepted] = await leader.listAudit({ query: { operation: 'runWorkerJob', limit: 2 } });
    expect(failure).toMatchObject({ status: 409, code: 'dilution_not_confirmed', unit: 'unit1' });
    expect(accepted).toMatchObject({ status: 202, failure_code: 'dilution_not_confirmed' });
    expect(failure?.request_id).toBe(accepted?.request_id);
    const timeline = await leader.getTimeline({ params: { experiment }, query: { kinds: 'action', limit: 5 } });
    expect(timeline.filter(({ text }) => text === 'Dosing started')).toEqual([]);
    // Whoever confirms it need not wait.
    expect(await run('unit1', turbidostat(0.0001, 'od'), true)).toMatchObject({
      result: { unit1: { ok: true, value: { warnings: [{ code: 'dilutes_at_once', biomass_signal: 'od' }] } } },
    });
  }, 60_000);

  it('starts for a client without confirmations, with a warning in the result and the event log', async () => {
    expect(await run('unit1', turbidostat(0.0002, 'od'))).toMatchObject({
      result: {
        unit1: {
          ok: true,
          value: { warnings: [{ code: 'dilutes_at_once', value: expect.any(Number), target: 0.0002 }] },
        },
      },
    });
    await eventually(async () => {
      const logs = await leader.listExperimentLogs({ params: { experiment } });
      expect(logs.filter(({ level, message }) => level === 'WARNING' && message.includes('0.0002'))).toHaveLength(1);
    }, 20_000);
  }, 60_000);

  it('requires a confirmation in lcs on a terminal, and an option without a terminal', async () => {
    const args = ['run', job, '--unit', 'unit1', '--option', 'automation_name=turbidostat'];
    const options = ['--option', 'target_biomass=0.0001', '--option', 'biomass_signal=od'];
    const start = [...args, ...options, '--option', 'exchange_volume_ml=0.1'];
    const refused = await lcs(start);
    expect(refused).toMatchObject({ code: 1, out: expect.stringContaining('--confirm-dilution') });
    expect(refused.out).not.toContain('confirm_dilution');
    expect(refused.out).toMatch(/about [\d.]+ mL of medium until the target is reached/);
    expect((await lcs(start, 'no')).code).toBe(1);
    expect(await running()).toEqual([]);
    expect(await lcs(start, 'yes')).toMatchObject({ code: 0, out: expect.stringContaining('Warning: ') });
    expect(await running()).toEqual(['unit1']);
    const set = ['set', job, 'target_biomass=0.0003', '--unit', 'unit1'];
    expect((await lcs(set)).code).toBe(1);
    expect((await lcs([...set, '--confirm-dilution'])).code).toBe(0);
  }, 60_000);

  it('is refused on several units with different scales, and starts on none of them', async () => {
    const { automatic } = await signalsOf('unit2');
    const other = automatic === 'normalized_od' ? 'od' : 'normalized_od';
    await leader.saveSpecificConfig({
      params: { reactor_unit: 'unit2' },
      body: { code: `[dosing_automation.turbidostat]\nbiomass_signal=${other}\n` },
    });
    await eventually(async () => expect((await signalsOf('unit2')).configured).toBe(other), 20_000);
    expect(await run('$broadcast', turbidostat(1000), false)).toMatchObject({
      status: 'failed',
      code: 'biomass_scales_differ',
      cause: expect.stringMatching(/unit1 \S+, unit2 \S+/),
    });
    expect(await running()).toEqual([]);
    expect(await run('$broadcast', turbidostat(1000, 'od'), false)).toMatchObject({
      result: { unit1: { ok: true }, unit2: { ok: true } },
    });
  }, 60_000);
});
