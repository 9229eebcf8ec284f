import { startLeader, startUnit } from '@lcs/testkit';
import { expect, it, vi } from 'vitest';

it('brings what a unit measures into the time series of its leader', async () => {
  await using leader = await startLeader();
  const { client, clock } = leader;
  await using unit = await startUnit({
    leaderUrl: leader.url,
    clock,
    configure: { mqttUrl: () => leader.node.mqttUrl },
  });
  const reactor_unit = 'unit1';
  const experiment = 'ramp';
  await client.createExperiment({ body: { experiment } });
  await client.registerWorker({ body: { reactor_unit, model_name: 'reactor_40ml', model_version: '1.5' } });
  await client.assignWorker({ params: { experiment }, body: { reactor_unit } });
  await vi.waitFor(
    async () => expect((await unit.client.getDesired()).parts).toMatchObject({ experiment: { state: 'applied' } }),
    10_000,
  );
  const params = { reactor_unit, experiment, job: 'od_reading' };
  const started = await leader.finished(await client.runWorkerJob({ params, body: {} }));
  expect(started).toMatchObject({ status: 'succeeded', result: { unit1: { ok: true, value: { state: 'ready' } } } });
  await clock.advance(60_000);
  await vi.waitFor(async () => {
    const { series, data } = await client.getOdReadings({ params: { experiment } });
    expect(series).toEqual(['unit1-2']);
    expect(data[0]?.length).toBeGreaterThan(10);
  }, 10_000);
  const units = await client.listUnits();
  expect(units).toContainEqual(
    expect.objectContaining({ reactor_unit, liveness: 'online', is_simulated: true, backlog: 0 }),
  );
});
