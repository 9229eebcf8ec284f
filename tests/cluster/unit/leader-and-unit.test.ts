import { type LeaderUnderTest, startLeader, startUnit, temporaryFolder } from '@lcs/testkit';
import { expect, it, vi } from 'vitest';

it('transfers readings of a unit to the time series of its leader', async () => {
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

  // What a person sets is recorded by the same simulated unit.
  await client.updateBioreactor({ params: { reactor_unit, experiment }, body: { values: { current_volume_ml: 12 } } });
  const volumes = () => leader.storedRows('series').filter(({ source }) => source === 'liquid_volume');
  await vi.waitFor(() => expect(volumes()).toHaveLength(1), 10_000);
  const isSimulated = async () =>
    (await client.listUnits()).find((known) => known.reactor_unit === reactor_unit)?.is_simulated;
  expect(await isSimulated()).toBe(true);
});

it('knows the simulated units after a restart', async () => {
  await using folder = await temporaryFolder('leader');
  const body = { reactor_unit: 'unit1', model_name: 'reactor_40ml', model_version: '1.5' };
  const statusIn = async (leader: LeaderUnderTest) =>
    (await leader.client.listUnits()).find(({ reactor_unit }) => reactor_unit === 'unit1');
  {
    await using leader = await startLeader({ dataFolder: folder.path });
    await using _unit = await startUnit({ leaderUrl: leader.url, clock: leader.clock });
    await leader.client.createExperiment({ body: { experiment: 'ramp' } });
    await leader.client.registerWorker({ body });
    await leader.client.assignWorker({ params: { experiment: 'ramp' }, body: { reactor_unit: 'unit1' } });
    const params = { reactor_unit: 'unit1', experiment: 'ramp' };
    await vi.waitFor(async () => {
      await leader.finished(
        await leader.client.updateBioreactor({ params, body: { values: { current_volume_ml: 12 } } }),
      );
      expect((await statusIn(leader))?.is_simulated).toBe(true);
    }, 10_000);
  }
  await using leader = await startLeader({ dataFolder: folder.path });
  expect(await statusIn(leader)).toMatchObject({ liveness: 'offline', is_simulated: true });
});
