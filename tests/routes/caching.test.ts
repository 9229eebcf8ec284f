import { leaderApi, nodeApi } from '@lcs/contract';
import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** How long an answer may be kept, in seconds. By hand from the requirements, as the status matrix is. */
const seconds = [
  ['listExperiments', 5],
  ['getLatestExperiment', 2],
  ['listActiveExperiments', 2],
  ['listAssignmentCounts', 3],
  ['getUnitLabels', 10],
  ['listExperimentWorkers', 2],
  ['listAssignments', 2],
  ['getWorkerExperiment', 0],
  ['getWorkerModel', 5],
  ['listModels', 5],
  ['listReadingSources', 60],
  ['listChartDescriptors', 5],
  ['getChartPreferences', 0],
  ['listJobDescriptors', 5],
  ['listSettingsDescriptors', 5],
  ['listAutomationDescriptors', 5],
  ['listContributedJobs', 5],
  ['listContributedAutomations', 5],
  ['listContributedCharts', 5],
  ['listNodeJobDescriptors', 5],
  ['listNodeSettingsDescriptors', 5],
  ['listNodeAutomationDescriptors', 5],
  ['getSharedConfig', 10],
  ['listSharedConfigHistory', 0],
  ['getSpecificConfig', 0],
  ['listSpecificConfigHistory', 0],
  ['getConfigFile', 10],
  ['listConfigFileHistory', 15],
  ['listExperimentProfiles', 5],
  ['listContributedProfiles', 5],
  ['listRecentProfileRuns', 5],
  ['listExportableDatasets', 60],
  ['listContribDatasets', 60],
  ['listCameras', 0],
  ['getUnitCameraStatus', 0],
  ['listUnitStills', 0],
  ['listInstalledPlugins', 5],
  ['getMediaRates', 5],
  ['listHistoricalMedia', 5],
  ['listHistoricalOrganisms', 5],
  ['getAppVersion', 30],
  ['getUiVersion', 30],
  ['getHealth', 0],
  ['listDataFolder', 5],
  ['listDataFolderWithoutSlash', 5],
  ['getIpv4Addresses', 0],
  ['getDiskSpace', 10],
  ['getMemory', 10],
  ['getWebServerStatus', 3],
  ['getLocalAccessPoint', 10_000],
  ['isLocalAccessPointActive', 10_000],
] as const;

let leader: LeaderUnderTest;
beforeAll(async () => {
  leader = await startLeader();
  const { client } = leader;
  const params = { experiment: 'x' };
  await client.createExperiment({ body: { experiment: 'x' } });
  await client.registerWorker({ body: { reactor_unit: 'x', model_name: 'reactor_20ml', model_version: '1.5' } });
  await client.assignWorker({ params, body: { reactor_unit: 'x' } });
});
afterAll(() => leader[Symbol.asyncDispose]());

const params = { experiment: 'x', reactor_unit: 'x', filename: 'config_x.ini', automation_type: 'led' };

describe('the cache time of an answer', () => {
  it.each(seconds)('%s: %i s, and never in a shared cache', async (name, age) => {
    const answer = await leader.api.call(name, { params });
    answer.expect(200);
    expect(answer.headers.get('cache-control')).toBe(`private, max-age=${age}`);
  });

  it('is zero for every other answer, and for every failure', async () => {
    const kept = new Set<string>(seconds.map(([name]) => name));
    for (const [name, { cache }] of Object.entries({ ...leaderApi, ...nodeApi })) {
      if (!kept.has(name)) expect([name, cache]).toEqual([name, expect.stringMatching(/^no-(cache|store)$/)]);
    }
    const failure = await leader.api.call('getWorkerModel', { params: { reactor_unit: 'y' } });
    failure.expect(404);
    expect(failure.headers.get('cache-control')).toBe('no-store');
  });
});
