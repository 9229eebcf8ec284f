import { startLeader, startUnit } from '@lcs/testkit';
import { expect, it, vi } from 'vitest';

const [reactor_unit, experiment, job] = ['unit1', 'ramp 7', 'stirring'];

it('starts, changes, shows and stops a job of a unit, and reads the versions of all units', async () => {
  await using leader = await startLeader();
  const { client, clock } = leader;
  await using unit = await startUnit({ leaderUrl: leader.url, clock });
  await client.createExperiment({ body: { experiment } });
  await client.registerWorker({ body: { reactor_unit, model_name: 'reactor_40ml', model_version: '1.5' } });
  await client.assignWorker({ params: { experiment }, body: { reactor_unit } });
  await vi.waitFor(
    async () => expect((await unit.client.getDesired()).parts).toMatchObject({ experiment: { state: 'applied' } }),
    10_000,
  );
  const outcomeOf = async (accepted: unknown) => {
    const task = await leader.finished(accepted);
    if (task.status !== 'succeeded') throw new Error(`The task is ${task.status}.`);
    return task.result;
  };
  const params = { reactor_unit, experiment, job };
  const named = { reactor_unit, experiment, job_name: job };
  const ok = (value: unknown) => ({ [reactor_unit]: { ok: true, unit: reactor_unit, value } });

  const options = { target_rpm: 400 };
  const started = await outcomeOf(await client.runWorkerJob({ params, body: { options } }));
  expect(started).toMatchObject(ok({ ok: true, state: 'ready' }));
  expect(await outcomeOf(await client.runWorkerJob({ params, body: { options } }))).toMatchObject({
    [reactor_unit]: { ok: false, error: { kind: 'http_error' }, status_code: 429, retryable: false },
  });
  expect(await outcomeOf(await client.listWorkerRunningJobs({ params: { reactor_unit: '$broadcast' } }))).toMatchObject(
    { [reactor_unit]: { value: expect.arrayContaining([expect.objectContaining({ job_name: job, experiment })]) } },
  );

  const settings = { target_rpm: 450 };
  const updated = await outcomeOf(await client.updateWorkerJob({ params, body: { settings } }));
  expect(updated).toMatchObject(ok({ settings }));
  const one = { ...named, setting: 'target_rpm' };
  expect(await outcomeOf(await client.getWorkerJobSetting({ params: one }))).toEqual(ok(settings));
  expect(
    await outcomeOf(await client.updateWorkerJob({ params, body: { settings: { colour: 'red' } } })),
  ).toMatchObject({ [reactor_unit]: { ok: false, error: { kind: 'http_error' }, status_code: 400, retryable: false } });

  const stopped = { stopped: [{ job_name: job, job_id: expect.any(Number) }], still_running: [] };
  const everywhere = { reactor_unit: '$broadcast', experiment };
  expect(await outcomeOf(await client.stopWorkerJobsOfExperiment({ params: everywhere }))).toEqual({
    ...ok(stopped),
    profiles_stopped: [],
  });
  expect(await outcomeOf(await client.getWorkerJobSettings({ params: named }))).toMatchObject({
    [reactor_unit]: { ok: false, status_code: 404 },
  });
  for (const read of [client.getUnitAppVersion, client.getUnitUiVersion, client.getUnitCapabilities])
    expect(await outcomeOf(await read({ params: { reactor_unit: '$broadcast' } }))).toMatchObject({
      lead: { ok: true },
      [reactor_unit]: { ok: true },
    });
}, 60_000);
