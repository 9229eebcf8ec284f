import { startLeader, startUnit } from '@lcs/testkit';
import { expect, it, vi } from 'vitest';

const [reactor_unit, experiment] = ['unit1', 'ramp 7'];

it('continues the work of a broken machine under its name, during a run; the old machine is refused when it returns', async () => {
  await using leader = await startLeader();
  const { client, clock } = leader;
  const params = { reactor_unit, experiment, job: 'od_reading' };
  await client.createExperiment({ body: { experiment } });
  await client.registerWorker({ body: { reactor_unit, model_name: 'reactor_40ml', model_version: '1.5' } });
  await client.assignWorker({ params, body: { reactor_unit } });
  await client.putUnitLabel({ params, body: { unit: reactor_unit, label: 'Control' } });
  await client.saveSpecificConfig({ params, body: { code: '[od_reading.config]\nsamples_per_second=0.5\n' } });
  const start = (options: Parameters<typeof startUnit>[0] = {}) =>
    startUnit({ name: reactor_unit, leaderUrl: leader.url, clock, ...options });
  const isInExperiment = async (unit: Awaited<ReturnType<typeof start>>) =>
    vi.waitFor(async () => {
      const { parts } = await unit.client.getDesired();
      expect(parts).toMatchObject({ experiment: { state: 'applied' }, config_own: { state: 'applied' } });
    }, 15_000);
  const points = async () => (await client.getOdReadings({ params, query: {} })).data[0]?.length ?? 0;
  const measure = async () => {
    const before = await points();
    expect(await leader.finished(await client.runWorkerJob({ params, body: {} }))).toMatchObject({
      result: { unit1: { ok: true } },
    });
    await clock.advance(20_000);
    await vi.waitFor(async () => expect(await points()).toBeGreaterThan(before + 3), 15_000);
  };

  const broken = await start();
  await isInExperiment(broken);
  await measure();
  const { dataFolder } = broken;
  await broken.node.stop();
  const stored = await points();

  await using other = await start({ configure: { replace: true } });
  await isInExperiment(other);
  expect(await other.client.getOwnSpecificConfig()).toContain('samples_per_second=0.5');
  await measure();
  expect(await points()).toBeGreaterThan(stored);
  expect(await client.getUnitLabels({ params })).toEqual({ unit1: 'Control' });
  expect(await client.listExperimentWorkers({ params })).toMatchObject([{ reactor_unit }]);

  await using returned = await start({ dataFolder });
  await vi.waitFor(
    () =>
      expect(returned.log.lines).toContainEqual(
        expect.objectContaining({ fields: expect.objectContaining({ code: 'unit_replaced' }) }),
      ),
    15_000,
  );
  const running = async () => (await returned.client.listRunningJobs()).map(({ job_name }) => job_name);
  await vi.waitFor(async () => expect(await running()).not.toContain('od_reading'), 15_000);
  expect(await client.listUnits()).toContainEqual(expect.objectContaining({ reactor_unit, url: other.url }));
  await broken[Symbol.asyncDispose]();
}, 90_000);
