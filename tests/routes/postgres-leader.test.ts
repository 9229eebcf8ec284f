import { runProgram } from '@lcs/cli/testing';
import { isPostgresInstalled } from '@lcs/platform/testing';
import { startLeader, temporaryFolder } from '@lcs/testkit';
import { describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';

const start = (dataFolder: string) => startLeader({ observe, dataFolder, engine: 'postgres' });

describe.skipIf(!isPostgresInstalled)('a leader with its store in PostgreSQL', () => {
  it('keeps experiments, labels, readings and its log over a restart', async () => {
    await using folder = await temporaryFolder('postgres');
    {
      await using leader = await start(folder.path);
      (await leader.api.call('createExperiment', { body: { experiment: 'a', tags: ['x'] } })).expect(201);
      (await leader.api.call('createExperiment', { body: { experiment: 'a' } })).expect(409, 'experiment_name_taken');
      await leader.editStore((store) => {
        const uid = String(store.prepare('select uid from experiments').get()?.uid);
        const insert =
          "insert into series (experiment_uid, unit, source) values (?, 'rx01', 'temperature') returning id";
        const id = Number(store.prepare(insert).get(uid)?.id);
        const sample = store.prepare('insert into samples (series_id, at, value) values (?, ?, ?)');
        for (const agoMs of [2_000, 1_000]) sample.run(id, leader.clock.now() - agoMs, 30 + agoMs / 1_000);
      });
      const read = await leader.api.call('getTemperatureReadings', { params: { experiment: 'a' }, query: {} });
      expect(read.expect(200)).toMatchObject({ series: ['rx01'], data: [[{ y: 32 }, { y: 31 }]] });
      expect(leader.storedRows('experiment_tags')).toMatchObject([{ tag: 'x' }]);
      const listed = await runProgram(['experiments', 'list', '--data-dir', folder.path, '--json']);
      expect([listed.code, JSON.parse(listed.out)]).toMatchObject([0, [{ experiment: 'a' }]]);
    }
    await using leader = await start(folder.path);
    const found = (await leader.api.call('listExperiments')).expect(200);
    expect(found).toMatchObject([{ experiment: 'a', tags: ['x'] }]);
  });

  it('knows the units that have a wiring of their own', async () => {
    await using folder = await temporaryFolder('postgres');
    await using leader = await start(folder.path);
    const topic = async () =>
      (await leader.client.listChartDescriptors()).find(({ chart_key }) => chart_key === 'optical_density')?.mqtt_topic;
    expect(await topic()).toBe('od_reading/od2');
    const params = { reactor_unit: 'rx01' };
    await leader.client.registerWorker({ body: params });
    const saveOwn = (code: string) => leader.client.saveSpecificConfig({ params, body: { code } });
    await saveOwn('[od_config.photodiode_channel]\n4=135\n');
    expect(await topic()).toHaveLength(4);
    await saveOwn('');
    expect(await topic()).toBe('od_reading/od2');
  });

  it('has what the ledger entered of a dose that was stopped', async () => {
    await using folder = await temporaryFolder('postgres');
    await using leader = await start(folder.path);
    await leader.client.createExperiment({ body: { experiment: 'a' } });
    await leader.editStore((store) => {
      const uid = String(store.prepare('select uid from experiments').get()?.uid);
      const event = store.prepare(
        `insert into events (experiment_uid, reactor_unit, at, name, source, data, machine_id, boot, mono)
        values (?, 'rx01', ?, ?, 'UI', ?, 'm', 1, ?)`,
      );
      const flow = { event: 'add_media' };
      const all: readonly (readonly [agoMs: number, name: string, data: object])[] = [
        [60_000, 'actuation', { output: 'media_pump', to: 1, unit: 'mL' }],
        [60_000, 'dosing', { ...flow, volume_change_ml: 0.25, volume_before_ml: 14, volume_after_ml: 14.25 }],
        [59_800, 'dosing', { ...flow, volume_change_ml: -0.125, volume_before_ml: 14.25, volume_after_ml: 14.125 }],
        [59_800, 'actuation', { output: 'media_pump', from: 100, to: 0, unit: '%', rule: 'It was stopped.' }],
      ];
      for (const [mono, [agoMs, name, data]] of all.entries())
        event.run(uid, leader.clock.now() - agoMs, name, JSON.stringify(data), mono);
    });
    const entries = await leader.client.getTimeline({ params: { experiment: 'a' }, query: { kinds: 'dose' } });
    expect(entries.map(({ volumes_ml }) => volumes_ml?.media)).toEqual([0.125]);
    const actuations = await leader.client.listWorkerActuations({ params: { reactor_unit: 'rx01' }, query: {} });
    expect(actuations.flatMap(({ pumped }) => pumped ?? [])).toEqual([{ volume_ml: 0.125, state: 'stopped' }]);
  });

  it('makes no backup that would be without its store', async () => {
    await using folder = await temporaryFolder('postgres');
    await using leader = await start(folder.path);
    const accepted = (await leader.api.call('createBackup')).expect(202);
    expect(await leader.finished(accepted)).toMatchObject({ status: 'failed', code: 'backup_failed' });
  });
});
