import { startLeader, startUnit } from '@lcs/testkit';
import { expect, it, vi } from 'vitest';

it('enters noted volumes and their corrections in the ledger of the unit', async () => {
  await using leader = await startLeader();
  const { client, clock } = leader;
  await using unit = await startUnit({ leaderUrl: leader.url, clock });
  const reactor_unit = 'unit1';
  const experiment = 'ramp';
  const params = { experiment };
  await client.createExperiment({ body: { experiment } });
  await client.registerWorker({ body: { reactor_unit, model_name: 'reactor_40ml', model_version: '1.5' } });
  await client.assignWorker({ params, body: { reactor_unit } });
  await vi.waitFor(
    async () => expect((await unit.client.getDesired()).parts).toMatchObject({ experiment: { state: 'applied' } }),
    10_000,
  );
  const volume = async () => (await unit.client.getBioreactor({ params })).values.current_volume_ml;
  // The value of the shared configuration, once it has arrived.
  const first = 15;
  await vi.waitFor(async () => expect(await volume()).toBe(first), 10_000);
  const note = { kind: 'sample_taken' as const, text: 'for the cytometer', volume_ml: 1.5, reactor_unit };
  const { note_id } = await client.createNote({ params, body: note });
  await vi.waitFor(async () => expect(await volume()).toBeCloseTo(first - 1.5, 9), 10_000);
  await client.updateNote({ params: { experiment, note_id: String(note_id) }, body: { volume_ml: 1 } });
  await vi.waitFor(async () => expect(await volume()).toBeCloseTo(first - 1, 9), 10_000);
  await client.deleteNote({ params: { experiment, note_id: String(note_id) } });
  await vi.waitFor(async () => expect(await volume()).toBeCloseTo(first, 9), 10_000);
});
