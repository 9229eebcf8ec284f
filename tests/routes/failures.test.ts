import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';

let leader: LeaderUnderTest;
const start = async (): Promise<void> => {
  leader = await startLeader({ observe });
};
const stop = () => leader[Symbol.asyncDispose]();

const id = 'e5a1f2c9-0c7d-4f57-9a53-2b8f6f0a7d44';
const experiment = { params: { experiment: 'a' } };
const column = {
  params: { experiment: 'a', reactor_unit: 'rx01', data_source: 'stirring_rates', column: 'measured_rpm' },
};

describe('when the store fails', () => {
  beforeAll(async () => {
    await start();
    await leader.breakStore();
  });
  afterAll(stop);

  it.each([
    ['listExperiments', {}],
    ['createExperiment', { body: { experiment: 'b' } }],
    ['getLatestExperiment', {}],
    ['listActiveExperiments', {}],
    ['listAssignmentCounts', {}],
    ['listExperimentWorkers', experiment],
    ['listHistoricalAssignments', experiment],
    ['getUnitLabels', experiment],
    ['listUnits', {}],
    ['discoverWorkers', {}],
    [
      'enrolUnit',
      {
        body: {
          reactor_unit: 'rx01',
          machine_id: id,
          protocol: 1,
          app_version: '1',
          base_url: null,
          port: 1,
          epoch: id,
          boot: 1,
          model: null,
        },
      },
    ],
    ['listWorkers', {}],
    ['registerWorker', { body: { reactor_unit: 'rx01' } }],
    ['listAssignments', {}],
    ['listSharedConfigHistory', {}],
    ['listWorkerActuations', { params: { reactor_unit: 'rx01' } }],
    ['listExperimentActuations', experiment],
    ['listInterruptions', experiment],
    ['getNotePhoto', { params: { experiment: 'a', note_id: '1' } }],
    ['getTimeline', experiment],
    ['listAllCalibrations', {}],
    ['listActiveCurves', { params: { device: 'media_pump' } }],
    ['listBlanks', {}],
    ['listLatest', {}],
    ['getSparklines', { params: { source: 'od' } }],
    ['getGrowthRates', column],
    ['getTemperatureReadings', column],
    ['getFilteredOdReadings', column],
    ['getOdReadings', column],
    ['getFusedOdReadings', column],
    ['getRawOdReadings', column],
    ['getTimeSeries', column],
    ['getWorkerGrowthRates', column],
    ['getWorkerTemperatureReadings', column],
    ['getWorkerFilteredOdReadings', column],
    ['getWorkerOdReadings', column],
    ['getWorkerFusedOdReadings', column],
    ['getWorkerRawOdReadings', column],
    ['getWorkerTimeSeries', column],
  ] as const)(
    '%s answers 500 without internals, and the log contains the reason under the same ID',
    async (operation, options) => {
      const answer = await leader.api.call(operation, options);
      answer.expect(500, 'internal_error');
      const id = answer.headers.get('x-request-id') ?? 'none';
      expect(answer.text).toContain(id);
      expect(answer.text).not.toMatch(/sqlite|no such table|node_modules|\.ts:/i);
      expect(leader.log.lines.some((line) => line.level === 'error' && JSON.stringify(line).includes(id))).toBe(true);
    },
  );
});

describe('when a file of the data folder cannot be used', () => {
  beforeEach(start);
  afterEach(stop);

  it('reading and saving the shared configuration answer 500, and work again once it can', async () => {
    const text = await leader.client.getSharedConfig();
    const file = join(leader.dataFolder, 'config.ini');
    await rm(file);
    await mkdir(join(file, 'in-the-way'), { recursive: true });
    (await leader.api.call('saveSharedConfig', { body: { code: text } })).expect(500, 'config_unreadable');
    (await leader.api.call('getSharedConfig')).expect(500, 'config_unreadable');
    await rm(file, { recursive: true });
    (await leader.api.call('saveSharedConfig', { body: { code: text } })).expect(200);
    expect((await leader.api.call('getSharedConfig')).expect(200)).toBe(text);
  });

  it('listing the models answers 500 when their folder is a file', async () => {
    await rm(join(leader.dataFolder, 'models'), { recursive: true, force: true });
    await writeFile(join(leader.dataFolder, 'models'), 'not a folder');
    (await leader.api.call('listModels')).expect(500, 'internal_error');
  });
});
