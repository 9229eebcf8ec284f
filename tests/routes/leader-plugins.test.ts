import { openAsBlob } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, leaderApi, Uploaded } from '@lcs/contract';
import {
  addToyUnit,
  type LeaderUnderTest,
  signIn,
  startLeader,
  startUnit,
  type ToyUnit,
  temporaryFolder,
  type UnitRequest,
  type UnitUnderTest,
} from '@lcs/testkit';
import { Value } from 'typebox/value';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventually } from '../cluster/units/eventually.ts';
import { observe } from '../observe.ts';
import { placeFiles } from './plugin-node.ts';

type Operation = keyof typeof leaderApi;

const password = 'three brown horses';

/** Processes are started again and again, on machines with other work. */
vi.setConfig({ testTimeout: 60_000 });
afterAll(() => vi.resetConfig());

let leader: LeaderUnderTest;
const others: AsyncDisposable[] = [];
beforeEach(async () => {
  leader = await startLeader({ observe });
});
afterEach(async () => {
  await leader[Symbol.asyncDispose]();
  for (const other of others.splice(0)) await other[Symbol.asyncDispose]();
});

async function allow(isAllowed = 1): Promise<void> {
  const code = await leader.client.getSharedConfig();
  await leader.client.saveSharedConfig({ body: { code: `${code}\n[plugins]\nallow_install=${isAllowed}\n` } });
}

async function worker(name: string): Promise<UnitUnderTest> {
  const unit = await startUnit({ name, leaderUrl: leader.url });
  others.push(unit);
  await leader.client.registerWorker({ body: { reactor_unit: name } });
  await eventually(async () => {
    const [found] = (await leader.client.listUnits()).filter(({ reactor_unit }) => reactor_unit === name);
    expect(found?.liveness).toBe('online');
    expect(found?.applied_version).toBe(found?.desired_version);
  });
  return unit;
}

/** The outcomes of a task of the leader. */
async function outcomesOf(operation: Operation, reactor_unit: string, body?: object): Promise<Record<string, unknown>> {
  const accepted = (await leader.api.call(operation, { params: { reactor_unit }, ...(body && { body }) })).expect(202);
  const task = await leader.finished(accepted);
  if (task.status !== 'succeeded') throw new Error(`The task has failed: ${task.cause}`);
  return { ...Object(task.result) };
}

const installs = ['installUnitPlugin', 'installUnitPluginByPatch'] as const;
const uninstalls = ['uninstallUnitPlugin', 'uninstallUnitPluginByPatch'] as const;
const drives = ['installUnitPluginFromLeaderUsb', 'installUnitPluginFromLeaderUsbByPatch'] as const;
const done = (unit: string, value: unknown = true) => ({ ok: true, unit, value });

const demo =
  "export default { manifest: { name: 'demo-plug', version: '0.1' }, jobs: [{ name: 'demo', start() {} }] };";

describe('plugins through the leader', () => {
  it('are those of one unit or of all; a cached list is refreshed after a change', async () => {
    await allow();
    const unit = await worker('rx01');
    const listed = () => outcomesOf('listUnitPlugins', '$broadcast');
    expect(await listed()).toEqual({ lead: done('lead', []), rx01: done('rx01', []) });
    await placeFiles(join(unit.dataFolder, 'plugins'), { 'demo_plug.js': demo });
    expect(await listed()).toEqual({ lead: done('lead', []), rx01: done('rx01', []) });
    expect(await outcomesOf('uninstallUnitPlugin', 'rx01', { args: ['nothing'] })).toEqual({ rx01: done('rx01') });
    const now = {
      name: 'demo-plug',
      version: '0.1',
      description: null,
      homepage: `${unit.url}/unit_api/plugins/installed/demo_plug.js`,
      source: 'plugins/demo_plug.js',
      author: 'Unknown',
    };
    expect(await listed()).toEqual({ lead: done('lead', []), rx01: done('rx01', [now]) });
    (await leader.api.call('listUnitPlugins', { params: { reactor_unit: 'nobody' } })).expect(400, 'unit_unknown');
  });

  it.each([0, 1] as const)('are installed from an upload on all units at once, and removed again (%i)', async (way) => {
    await allow();
    const unit = await worker('rx01');
    const form = new FormData();
    form.set('file', new File([demo], 'demo_plug.js'));
    const upload = await fetch(`${leader.url}/api/system/upload`, { method: 'POST', body: form });
    const source = Value.Parse(Uploaded, await upload.json()).upload_id;
    const body = { args: ['demo-plug'], options: { source }, env: {} };
    expect(await outcomesOf(installs[way], '$broadcast', body)).toEqual({ lead: done('lead'), rx01: done('rx01') });
    for (const url of [leader.url, unit.url]) {
      const installed = await fetch(`${url}/unit_api/plugins/installed`);
      expect(await installed.json()).toMatchObject([{ name: 'demo-plug', source: 'plugins/demo_plug.js' }]);
    }
    expect(await outcomesOf('getUnitCapabilities', 'rx01')).toMatchObject({
      rx01: { ok: true, value: expect.arrayContaining([expect.objectContaining({ job_name: 'demo' })]) },
    });
    const removed = { lead: done('lead'), rx01: done('rx01') };
    expect(await outcomesOf(uninstalls[way], '$broadcast', { args: ['demo_plug'] })).toEqual(removed);
    const missing = { args: ['demo-plug'], options: { source: 'no-such-upload' } };
    expect(await outcomesOf(installs[way], '$broadcast', missing)).toMatchObject({
      lead: { ok: false, error: { kind: 'task_failed' }, status_code: 400, retryable: false },
      rx01: { ok: false, error: { cause: 'There is no upload with this ID; uploads are kept for 24 hours.' } },
    });
  });

  it.each([0, 1] as const)('are installed from a USB drive of the leader (%i)', async (way) => {
    await allow();
    const drive = join(leader.dataFolder, 'run', 'usb', 'DEV_USB');
    await mkdir(drive, { recursive: true });
    await writeFile(join(drive, 'demo_plug.js'), demo);
    await worker('rx01');
    const filepath = join(drive, 'demo_plug.js');
    expect(await outcomesOf(drives[way], '$broadcast', { filepath })).toEqual({
      lead: done('lead'),
      rx01: done('rx01'),
    });
    expect(await outcomesOf(drives[way], 'rx01', { filepath: join(leader.dataFolder, 'leader.ini') })).toMatchObject({
      rx01: { ok: false, error: { kind: 'task_failed' }, status_code: 400, retryable: false },
    });
    const none = { params: { reactor_unit: 'rx01' }, body: {} };
    (await leader.api.call(drives[way], none)).expect(400, 'invalid_body');
  });

  it('report the failure of each unit, and wait longer for a slow unit', async () => {
    await allow();
    let polls = 0;
    const answer = ({ path }: UnitRequest) => {
      if (path === '/unit_api/plugins/install')
        return {
          status: 202,
          body: { unit: 'rx02', task_id: 't', result_url_path: '/unit_api/task_results/t', status: 'accepted' },
        };
      if (path !== '/unit_api/task_results/t') return undefined;
      polls += 1;
      const body = polls < 3 ? { status: 'running' } : { status: 'succeeded', result: true };
      return { status: polls < 3 ? 202 : 200, body };
    };
    const toy: ToyUnit = await addToyUnit(leader, 'rx02', { answer });
    others.push(toy);
    await worker('rx01');
    expect(await outcomesOf('installUnitPlugin', '$broadcast', { args: ['a', 'b'] })).toMatchObject({
      lead: {
        ok: false,
        error: { kind: 'http_error', cause: 'args: exactly one name is expected, got 2.' },
        status_code: 400,
      },
      rx01: { ok: false, status_code: 400, retryable: false },
      rx02: done('rx02'),
    });
  });

  it.each([...installs, ...uninstalls, ...drives])(
    '%s requires a known unit and the permission of the configuration',
    async (operation) => {
      const body = operation.includes('Usb') ? { filepath: '/x' } : { args: ['x'] };
      const call = (reactor_unit: string) => leader.api.call(operation, { params: { reactor_unit }, body });
      (await call('lead')).expect(403, 'plugin_changes_forbidden');
      await allow();
      (await call('nobody')).expect(400, 'unit_unknown');
      await writeFile(join(leader.dataFolder, 'DISALLOW_UI_INSTALLS'), '');
      (await call('lead')).expect(403, 'plugin_changes_forbidden');
    },
  );
});

it('serves routes of plugins of its own node also below /api', async () => {
  const text = `export default { manifest: { name: 'lab-notes', leader_only: true }, jobs: [{ name: 'lab_notes', start() {} }], routes: [
    { method: 'GET', path: 'hello', summary: 's', response: { type: 'string' }, handle: (_, { unit }) => 'I am ' + unit },
    { method: 'POST', path: 'length', summary: 's', body: { type: 'object', required: ['text'] }, response: { type: 'integer' },
      handle: ({ body }) => body.text.length },
    { method: 'GET', path: 'throws', summary: 's', response: {}, handle() { throw new Error('no ink'); } },
    { method: 'POST', path: 'throws', summary: 's', response: {}, handle() { throw new Error('no ink'); } } ] };`;
  await placeFiles(join(leader.dataFolder, 'plugins'), { 'lab_notes.js': text });
  await eventually(async () => {
    const installed = await fetch(`${leader.url}/unit_api/plugins/installed`);
    expect(await installed.json()).toEqual([expect.not.objectContaining({ error: expect.anything() })]);
  });
  const get = (route: string, plugin = 'lab-notes') =>
    leader.api.call('askLeaderPlugin', { params: { plugin, route } });
  const post = (route: string, body: object, plugin = 'lab-notes') =>
    leader.api.call('callLeaderPlugin', { params: { plugin, route }, body });
  expect((await get('hello')).expect(200)).toBe('I am lead');
  expect((await post('length', { text: 'four' })).expect(200)).toBe(4);
  (await post('length', {})).expect(400, 'plugin_request_invalid');
  (await get('throws')).expect(500, 'plugin_failed');
  (await post('throws', {})).expect(500, 'plugin_failed');
  (await get('absent')).expect(404, 'plugin_route_not_found');
  (await post('absent', {})).expect(404, 'plugin_route_not_found');
  (await get('hello', 'ghost')).expect(404, 'plugin_not_found');
  const capabilities = await leader.client.getCapabilities();
  expect(capabilities).toContainEqual(expect.objectContaining({ job_name: 'lab_notes' }));
  // The arguments of its own jobs.
  const wordsOf = (job: string) =>
    capabilities.find(({ job_name }) => job_name === job)?.arguments.map(({ name, required }) => [name, required]);
  expect(wordsOf('experiment_profile execute')).toEqual([
    ['filename', true],
    ['experiment', true],
  ]);
  expect(wordsOf('experiment_profile verify')).toEqual([['filename', true]]);
});

it('offers the datasets and descriptors of a plugin, until it is removed', async () => {
  await allow();
  const form = new FormData();
  form.set('file', await openAsBlob('examples/plugins/air-bubbler/index.js'), 'air_bubbler.js');
  const upload = await fetch(`${leader.url}/api/system/upload`, { method: 'POST', body: form });
  const source = Value.Parse(Uploaded, await upload.json()).upload_id;
  const body = { args: ['air-bubbler'], options: { source } };
  expect(await outcomesOf('installUnitPlugin', 'lead', body)).toEqual({ lead: done('lead') });
  const datasets = async () => JSON.stringify((await leader.api.call('listExportableDatasets')).expect(200));
  const descriptors = async () => JSON.stringify((await leader.api.call('listJobDescriptors')).expect(200));
  expect(await datasets()).toContain('"dataset_name":"air_bubbler_log"');
  expect(await descriptors()).toContain('"job_name":"air_bubbler"');
  expect((await leader.api.call('listDescriptorProblems')).expect(200)).toEqual([]);
  const params = { target_dataset: 'air_bubbler_log' };
  expect((await leader.api.call('previewExportableDataset', { params })).expect(200)).toEqual([]);
  // It needs a board, and this node has none.
  (await leader.api.call('runJob', { params: { job: 'air_bubbler' }, body: {} })).expect(404, 'job_unknown');
  expect(await outcomesOf('uninstallUnitPlugin', 'lead', { args: ['air-bubbler'] })).toEqual({ lead: done('lead') });
  expect(await datasets()).not.toContain('air_bubbler');
  expect(await descriptors()).not.toContain('air_bubbler');
});

it('serves the readings of a plugin with the decimals and the unit that it declares', async () => {
  const text = `export default {
    manifest: { name: 'bubbles' },
    jobs: [{ name: 'bubbles', start() {} }],
    descriptors: { readings: [
      { name: 'bubble_rate', label: 'Bubbles', unit: '1/min', decimals: 1, job: 'bubbles' },
      { name: 'bubble_count' },
      { name: 'temperature', unit: 'K' },
    ] },
    datasets: ['bubble_rate', 'bubble_count'].map((readings) => ({
      dataset_name: readings, display_name: 'Bubbles', description: '', readings,
      default_order_by: 'timestamp', has_experiment: true, has_unit: true,
    })) };`;
  await placeFiles(join(leader.dataFolder, 'plugins'), { 'bubbles.js': text });
  await leader.client.createExperiment({ body: { experiment: 'a' } });
  await leader.editStore((database) => {
    const insert = database.prepare(
      "insert into series (experiment_uid, unit, source) select uid, 'rx01', ? from experiments where name = 'a' returning id",
    );
    for (const source of ['bubble_rate', 'bubble_count'])
      database
        .prepare('insert into samples (series_id, at, value) values (?, ?, 1.2345)')
        .run(Number(insert.get(source)?.id), leader.clock.now());
  });
  await eventually(async () => {
    // A listing loads the files that were added by hand.
    await fetch(`${leader.url}/unit_api/plugins/installed`);
    const sources = (await leader.api.call('listReadingSources')).expect(200);
    expect(sources).toEqual(
      expect.arrayContaining([
        { name: 'bubble_rate', label: 'Bubbles', unit: '1/min', decimals: 1, job: 'bubbles' },
        { name: 'bubble_count', label: 'bubble_count', unit: '', decimals: 7, job: null },
        expect.objectContaining({ name: 'temperature', unit: '°C' }),
      ]),
    );
  });
  expect((await leader.api.call('listDescriptorProblems')).expect(200)).toMatchObject([{ kind: 'readings' }]);
  const valuesOf = async (column: string) => {
    const params = { experiment: 'a', data_source: 'readings', column };
    return (await leader.client.getTimeSeries({ params })).data.flat().map(({ y }) => y);
  };
  expect([await valuesOf('bubble_rate'), await valuesOf('bubble_count')]).toEqual([[1.2], [1.2345]]);
  const datasets = await leader.client.listExportableDatasets();
  const unitsOf = (name: string) => datasets.find(({ dataset_name }) => dataset_name === name)?.column_units;
  expect(unitsOf('bubble_rate')).toMatchObject({ bubble_rate: '1/min' });
  expect(unitsOf('bubble_count')).not.toHaveProperty('bubble_count');
});

it('a plugin has no rights of its own at the leader: it acts with the token that a person gave it', async () => {
  const schema = "{ type: 'object' }";
  const plugin = `export default { routes: [{ method: 'POST', path: 'create', summary: 'creates an experiment',
    response: ${schema}, handle: async ({ body: { url, token } }) => {
      const headers = { 'content-type': 'application/json', ...(token && { authorization: 'Bearer ' + token }) };
      const answer = await fetch(url, { method: 'POST', headers, body: '{"experiment":"of a plugin"}' });
      return { status: answer.status, secrets: Object.keys(process.env).filter((name) => /secret|token|lcs/i.test(name)) };
    } }] };`;
  await using folder = await temporaryFolder('leader');
  await placeFiles(join(folder.path, 'plugins'), { 'maker.js': plugin });
  await using own = await startLeader({ observe, dataFolder: folder.path });
  await own.client.createPerson({ body: { name: 'ada', role: 'administrator', password } });
  const headers = await signIn(own.url, 'ada', password);
  const ada = createClient(leaderApi, { baseUrl: own.url, headers });
  const token = async (permissions: string[]) =>
    (await ada.createToken({ body: { name: 'maker', permissions, days: 1 } })).secret;
  const create = async (secret?: string) => {
    const body = { url: `${own.url}/api/experiments`, token: secret };
    const params = { plugin: 'maker', route: 'create' };
    return (await own.api.call('callPlugin', { params, body, headers })).expect(200);
  };
  // A node is ready before its plugins are: each begins in a process of its own.
  await eventually(async () => expect(await create()).toEqual({ status: 401, secrets: [] }));
  expect(await create(await token(['experiments.read']))).toMatchObject({ status: 403 });
  expect(await create(await token(['experiments.write']))).toMatchObject({ status: 201 });
  const [entry] = await ada.listAudit({ query: { operation: 'createExperiment' } });
  expect(entry).toMatchObject({ caller: 'maker', caller_kind: 'token', status: 201 });
});
