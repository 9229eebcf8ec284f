import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createClient, unitApi } from '@lcs/contract';
import { startLeader, temporaryFolder } from '@lcs/testkit';
import { expect, it } from 'vitest';
import { eventually } from '../units/eventually.ts';

const experiment = 'ramp';
const profile = `version: "1.0"
experiment_profile_name: long
common:
  jobs:
    stirring:
      actions:
        - {type: start, t: 0}
        - {type: stop, t: 9}
`;

it('keeps what serves the cluster apart from what the vial of the same node does', async () => {
  await using leader = await startLeader({ configure: { board: { kind: 'here', seed: 1 } } });
  const { client, clock, dataFolder } = leader;
  const unit = createClient(unitApi, { baseUrl: leader.url });
  await eventually(async () => expect(await client.discoverWorkers()).toEqual([{ reactor_unit: 'lead' }]));
  await client.registerWorker({ body: { reactor_unit: 'lead', model_name: 'reactor_20ml', model_version: '1.5' } });
  await client.createExperiment({ body: { experiment } });
  await client.assignWorker({ params: { experiment }, body: { reactor_unit: 'lead' } });
  await eventually(async () =>
    expect(await client.listUnits()).toMatchObject([{ reactor_unit: 'lead', liveness: 'online', desired_version: 2 }]),
  );

  // Its own configuration: the leader keeps the file, its unit role gets a copy with its document.
  const own = { params: { reactor_unit: 'lead' } };
  const saved = await client.saveSpecificConfig({
    ...own,
    body: { code: '[stirring.config]\ninitial_target_rpm=321\n' },
  });
  expect(saved).toEqual({ status: 'success' });
  expect(readFileSync(`${dataFolder}/unit_config.ini`, 'utf8')).toContain('321');
  await eventually(async () => {
    expect(existsSync(`${dataFolder}/unit/unit_config.ini`)).toBe(true);
    expect(readFileSync(`${dataFolder}/unit/unit_config.ini`, 'utf8')).toContain('321');
  });

  await client.createExperimentProfile({ body: { filename: 'long.yaml', body: profile } });
  const run = { params: { job: 'experiment_profile' }, body: { args: ['execute', 'long.yaml', experiment] } };
  expect(await leader.finished(await client.runJob(run))).toMatchObject({ status: 'succeeded' });
  const names = async () => (await client.listRunningJobs()).map(({ job_name }) => job_name).sort();
  const always = ['monitor', 'mqtt_to_db_streaming'];
  await eventually(async () => {
    await clock.advance(1_000);
    expect(await names()).toEqual(['experiment_profile', ...always, 'stirring']);
  });
  const heartbeat = (await unit.readFeed({ query: {} })).jobs.map(({ job_name }) => job_name).sort();
  expect(heartbeat).toEqual(['monitor', 'stirring']);

  // The release of the unit stops the jobs of its vial, but not the profile.
  await client.removeWorker(own);
  await eventually(async () => {
    await clock.advance(1_000);
    expect(await client.listUnits()).toMatchObject([{ reactor_unit: 'lead', liveness: 'online', desired_version: 0 }]);
  });
  expect(await names()).toEqual(['experiment_profile', ...always]);
}, 60_000);

const plugin = (job: string, manifest: object) =>
  `export default { manifest: ${JSON.stringify(manifest)}, jobs: [{ name: '${job}', start() {} }] };`;

it.each([
  ['with a board', { board: { kind: 'here', seed: 1 } }, ['helper', 'rocker']],
  ['without a board', {}, ['helper']],
] as const)(
  'offers the jobs of plugins that a leader %s can run',
  async (_, configure, offered) => {
    await using folder = await temporaryFolder('leader-plugins');
    await mkdir(`${folder.path}/plugins`);
    await writeFile(`${folder.path}/plugins/helper.js`, plugin('helper', { leader_only: true }));
    await writeFile(`${folder.path}/plugins/rocker.js`, plugin('rocker', {}));
    await using leader = await startLeader({ dataFolder: folder.path, configure });
    const loaded = async () => (await leader.client.listInstalledPlugins()).filter(({ error }) => error === undefined);
    await eventually(async () => expect(await loaded()).toHaveLength(2));
    const names = (await leader.client.getCapabilities()).map(({ job_name }) => job_name);
    expect(names.filter((name) => ['helper', 'rocker'].includes(name)).sort()).toEqual(offered);
  },
  60_000,
);
