import { generateKeyPairSync } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BlockDevice, makeRelease, sshPublicKey } from '@lcs/node';
import { type LeaderUnderTest, startLeader, startUnit, temporaryFolder, type UnitUnderTest } from '@lcs/testkit';
import { expect } from 'vitest';
import { eventually } from '../../cluster/units/eventually.ts';
import { est1Yaml, odYaml, pumpYaml } from '../calibration-fixtures.ts';
import { placeFiles } from '../plugin-node.ts';
import { freeInstaller, recordingHost } from '../recording-host.ts';

/** What `{name}` stands for in requests. */
export type Names = Record<string, string | number>;

/** A leader and its units in the middle of their work. */
export interface Fixture extends AsyncDisposable {
  readonly leader: LeaderUnderTest;
  readonly unit: UnitUnderTest;
  /** Target of requests: the leader by default. */
  readonly base: string;
  readonly names: Names;
  /** Files that a person has at hand. */
  file(name: string): Uint8Array<ArrayBuffer>;
  /** Lets a moment pass. */
  pass(): Promise<void>;
  /** Ends it with the scene. */
  keep<Kept extends AsyncDisposable>(kept: Kept): Kept;
  /** Waits until the leader has completed all requested work. */
  atRest(): Promise<void>;
}

export const experiment = 'yeast ramp 07';
const inExperiment = { params: { experiment } };
const unit1 = { reactor_unit: 'unit1' };

export const profile = `version: "1.0"
experiment_profile_name: Ramp
metadata: {author: lab, description: slow}
plugins: []
inputs: {fast: 500}
common:
  jobs:
    stirring:
      actions:
        - {type: start, t: 5h, options: {target_rpm: 400}, config_overrides: {pwm_hz: "100"}}
        - {type: repeat, t: 6h, every: 1h, while: "1 < 2", actions: [{type: update, t: 0h, options: {target_rpm: 300}}]}
reactors:
  unit1:
    label: left
    jobs:
      od_reading:
        actions:
          - {type: log, hours_elapsed: 7, if: true, options: {message: "half way"}}
`;

/** What this version of the runner can carry out. */
export const runnableProfile = `version: "1.0"
experiment_profile_name: Later
common:
  jobs:
    stirring:
      actions:
        - {type: update, t: 5h, options: {target_rpm: 300}}
`;

const plugin =
  "export default { manifest: { name: 'demo-plug', version: '0.1' }, jobs: [{ name: 'demo', start() {} }] };";

const turnOfEventLoop = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A machine that takes every command, but starts no new program. */
function machineOf(keys: readonly string[]) {
  const machine = recordingHost();
  machine.fail('restartProgram');
  const releases = { keys, installer: freeInstaller() };
  const tool = { install: async () => {}, remove: async () => {} };
  return { machine, configure: { machine, releases, plugins: { tool } } };
}

/** A drive that is mounted at the folder. */
const driveAt = (folder: string): BlockDevice => ({
  device: '/dev/sda1',
  parentDevice: '/dev/sda',
  label: 'LAB',
  uuid: 'AB12',
  fileSystem: 'vfat',
  sizeBytes: 31_457_280_000,
  isRemovable: true,
  mountpoints: [folder],
});

async function configured(leader: LeaderUnderTest): Promise<void> {
  const text = await leader.client.getSharedConfig();
  await leader.client.saveSharedConfig({ body: { code: `${text}\n[plugins]\nallow_install=1\n` } });
  await leader.client.saveSpecificConfig({
    params: unit1,
    body: { code: '[stirring.config]\ninitial_target_rpm=450\n' },
  });
  await eventually(async () => {
    const [unit] = (await leader.client.listUnits()).filter(({ reactor_unit }) => reactor_unit === 'unit1');
    expect(unit?.liveness).toBe('online');
    expect(unit?.applied_version).toBe(unit?.desired_version);
    const { configs } = await leader.client.getMergedConfigs({ params: unit1, query: {} });
    expect(configs.unit1?.['stirring.config']?.initial_target_rpm).toBe('450');
  });
}

async function assigned(leader: LeaderUnderTest): Promise<void> {
  const body = { experiment, description: '30 to 34 °C', tags: ['media: YPD', 'organism: yeast'] };
  await leader.client.createExperiment({ body });
  await leader.client.registerWorker({ body: { ...unit1, model_name: 'reactor_40ml_XR', model_version: '1.5' } });
  await leader.client.assignWorker({ ...inExperiment, body: unit1 });
  await leader.client.putUnitLabel({ ...inExperiment, body: { unit: 'unit1', label: 'left' } });
}

async function run(leader: LeaderUnderTest, job: string, options: object = {}): Promise<void> {
  const params = { ...unit1, experiment, job };
  const task = await leader.finished(await leader.client.runWorkerJob({ params, body: { options: { ...options } } }));
  expect(task, JSON.stringify(task)).toMatchObject({ status: 'succeeded', result: { unit1: { ok: true } } });
}

/** Media given by an automation: the event as a unit records it. */
function dosed(leader: LeaderUnderTest): Promise<void> {
  return leader.editStore((database) => {
    const { uid } = database.prepare('select uid from experiments where name = ?').get(experiment) ?? {};
    const data = JSON.stringify({ event: 'add_media', volume_change_ml: 1.5 });
    database
      .prepare(
        `insert into events (experiment_uid, reactor_unit, at, name, source, data, machine_id, boot, mono)
        values (?, 'unit1', ?, 'dosing', 'dosing_automation:chemostat', ?, 'm', 1, 1)`,
      )
      .run(String(uid), leader.clock.now(), data);
  });
}

async function calibrated(leader: LeaderUnderTest): Promise<void> {
  const store = async (device: string, calibration_data: string) =>
    leader.finished(
      await leader.client.createCalibration({
        params: { ...unit1, device },
        body: { calibration_data, set_as_active: true },
      }),
    );
  for (const [device, text] of [
    ['media_pump', pumpYaml()],
    ['od90', odYaml],
  ] as const) {
    expect(await store(device, text)).toMatchObject({ status: 'succeeded', result: { unit1: { ok: true } } });
  }
  const estimator = { estimator_data: est1Yaml, set_as_active: true };
  const params = { ...unit1, device: 'od_fused' };
  expect(await leader.finished(await leader.client.createEstimator({ params, body: estimator }))).toMatchObject({
    result: { unit1: { ok: true } },
  });
}

/** A profile is being carried out; returns where it is. */
async function profiled(leader: LeaderUnderTest): Promise<string> {
  await leader.client.createExperimentProfile({ body: { filename: 'ramp.yaml', body: profile } });
  await leader.client.createExperimentProfile({ body: { filename: 'later.yaml', body: runnableProfile } });
  const entry = (await leader.client.listExperimentProfiles()).find(({ file }) => file === 'later.yaml');
  const body = { args: ['execute', entry?.fullpath ?? '', experiment], options: {} };
  const params = { job: 'experiment_profile' };
  expect(await leader.finished(await leader.client.runJob({ params, body }))).toMatchObject({ status: 'succeeded' });
  return entry?.fullpath ?? '';
}

async function measured(leader: LeaderUnderTest): Promise<void> {
  await leader.clock.advance(120_000);
  await eventually(async () => {
    const readings = await leader.client.getOdReadings({ ...inExperiment, query: {} });
    expect(readings.data[0]?.length).toBeGreaterThan(10);
    const rates = await leader.client.getGrowthRates({ ...inExperiment, query: {} });
    expect(rates.series).toEqual(['unit1']);
    const temperatures = await leader.client.getTemperatureReadings({ ...inExperiment, query: {} });
    expect(temperatures.series).toEqual(['unit1']);
  });
}

async function filesAtHand(
  leader: LeaderUnderTest,
  privateKeyPem: string,
): Promise<ReadonlyMap<string, Uint8Array<ArrayBuffer>>> {
  await using work = await temporaryFolder('release');
  const paths = ['CHANGELOG.md', 'lcs.tgz'].map((name) => join(work.path, name));
  for (const path of paths) await writeFile(path, 'text');
  const target = join(work.path, 'release_27.1.0.zip');
  await makeRelease({ version: '27.1.0', files: paths, privateKeyPem, target });
  const data = await leader.api.call('downloadUnitData', { params: unit1 });
  data.expect(200);
  return new Map([
    ['release', new Uint8Array(await readFile(target))],
    ['data folder', new Uint8Array(data.bytes)],
  ]);
}

/** An experiment that has run for two minutes: jobs, labels, log, calibrations, a running profile, doses, a plugin. */
export async function startScene(): Promise<Fixture> {
  const privateKeyPem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const keys = [sshPublicKey(privateKeyPem)];
  const folder = await temporaryFolder('leader');
  await placeFiles(join(folder.path, 'plugins'), { 'demo_plug.js': plugin });
  const drive = join(folder.path, 'run', 'usb', 'DEV_USB');
  await placeFiles(drive, { 'demo_plug.js': plugin });
  const { machine, configure: ofLeader } = machineOf(keys);
  machine.drives.push(driveAt(drive));
  const leader = await startLeader({ dataFolder: folder.path, configure: ofLeader });
  const { configure } = machineOf(keys);
  const unit = await startUnit({
    leaderUrl: leader.url,
    clock: leader.clock,
    configure: { ...configure, mqttUrl: () => leader.node.mqttUrl },
  });
  await assigned(leader);
  await configured(leader);
  for (const job of ['stirring', 'od_reading', 'growth_rate_calculating']) await run(leader, job);
  await run(leader, 'temperature_automation', { automation_name: 'thermostat', target_temperature: 30 });
  await dosed(leader);
  await calibrated(leader);
  const fullpath = await profiled(leader);
  await measured(leader);
  const files = await filesAtHand(leader, privateKeyPem);
  const others: AsyncDisposable[] = [];
  return {
    leader,
    unit,
    base: leader.url,
    names: {
      E: experiment,
      U: 'unit1',
      leader: 'lead',
      fullpath,
      file: 'ramp.yaml',
      drive,
      day: '2026-11-21T10:00:00.000Z',
    },
    file: (name) => {
      const bytes = files.get(name);
      if (bytes === undefined) throw new Error(`No file at hand is called ${name}.`);
      return bytes;
    },
    pass: async () => {
      await leader.clock.advance(20);
      await turnOfEventLoop();
    },
    keep: (kept) => {
      others.push(kept);
      return kept;
    },
    atRest: () =>
      eventually(() => {
        const underWay = leader.storedRows('tasks').filter(({ finished_at_ms }) => finished_at_ms === null);
        expect(underWay).toEqual([]);
      }),
    [Symbol.asyncDispose]: async () => {
      for (const other of others) await other[Symbol.asyncDispose]();
      await unit[Symbol.asyncDispose]();
      await leader[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
