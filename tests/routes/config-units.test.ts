import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '@lcs/contract';
import { addToyUnit, type LeaderUnderTest, startLeader, startUnit } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../cluster/units/eventually.ts';
import { observe } from '../observe.ts';
import { unzipped } from './unzipped.ts';

let leader: LeaderUnderTest;
beforeEach(async () => {
  leader = await startLeader({ observe });
});
afterEach(() => leader[Symbol.asyncDispose]());

const mergedPath = '/unit_api/config/merged';
const own = '[stirring.config]\ninitial_target_rpm=450\n';
const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex');
const of = (reactor_unit: string) => ({ params: { reactor_unit } });
const inFile = (filename: string) => ({ params: { filename } });
const addWorker = (reactor_unit: string) => leader.client.registerWorker({ body: { reactor_unit } });
const saveOwn = (unit: string, code: unknown, further: object = {}) =>
  leader.api.call('saveSpecificConfig', { ...of(unit), body: { code, ...further } });
const ownHistory = async (unit: string) => (await leader.api.call('listSpecificConfigHistory', of(unit))).expect(200);

/** A unit that returns its effective configuration. */
const speakingUnit = (name: string, sections: () => unknown) =>
  addToyUnit(leader, name, {
    answer: ({ path }) => (path === mergedPath ? { status: 200, body: sections() } : undefined),
  });

describe("a unit's own file", () => {
  it.each(['rx01', 'lead'])(
    'of %s is empty at first, then what was saved, with a history, newest first',
    async (unit) => {
      await addWorker('rx01');
      const first = await leader.api.call('getSpecificConfig', of(unit));
      expect(first.expect(200)).toBe('');
      expect(first.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(await ownHistory(unit)).toEqual([]);
      const saved = (await saveOwn(unit, own)).expect(200);
      expect(saved).toEqual({ status: 'success', ...(unit !== 'lead' && { pending: ['rx01'] }) });
      await leader.clock.advance(1000);
      (await saveOwn(unit, '')).expect(200);
      expect((await leader.api.call('getSpecificConfig', of(unit))).expect(200)).toBe('');
      const filename = `unit_config.ini::${unit}`;
      expect(await ownHistory(unit)).toEqual([
        { filename, timestamp: new Date(leader.clock.now()).toISOString(), data: '' },
        { filename, timestamp: new Date(leader.clock.now() - 1000).toISOString(), data: own },
      ]);
      // An old version is restored by saving it again.
      (await saveOwn(unit, own)).expect(200);
      expect((await leader.api.call('getSpecificConfig', of(unit))).expect(200)).toBe(own);
    },
  );

  it('has no volume of the vial above its capacity; the shared file none above the largest', async () => {
    for (const [reactor_unit, model_name] of [
      ['rx01', 'reactor_20ml'],
      ['rx02', 'reactor_40ml'],
    ] as const) {
      await addWorker(reactor_unit);
      await leader.client.setWorkerModel({ ...of(reactor_unit), body: { model_name, model_version: '1.5' } });
    }
    const text = (ml: number, key = 'initial_volume_ml') => `[bioreactor]\n${key}=${ml}\n`;
    const fault = (key: string) => ({ diagnostics: [{ line: 2, code: 'wrong_value', section: 'bioreactor', key }] });
    for (const key of ['initial_volume_ml', 'efflux_tube_volume_ml'])
      expect((await saveOwn('rx01', text(20.1, key))).expect(400, 'config_invalid')).toMatchObject(fault(key));
    (await saveOwn('rx01', text(20))).expect(200);
    (await saveOwn('rx02', text(40))).expect(200);
    const shared = String((await leader.api.call('getSharedConfig', {})).expect(200));
    const withVolume = (ml: number) => shared.replace(/^initial_volume_ml=.*$/m, `initial_volume_ml=${ml}`);
    const save = (code: string) => leader.api.call('saveSharedConfig', { body: { code } });
    expect((await save(withVolume(9999))).expect(400, 'config_invalid')).toMatchObject({
      diagnostics: [{ code: 'wrong_value', key: 'initial_volume_ml' }],
    });
    (await save(withVolume(40))).expect(200);
  });

  it('of the leader may be edited as a file: that text is in the history before the next save', async () => {
    const path = join(leader.dataFolder, 'unit_config.ini');
    await writeFile(path, own);
    expect((await leader.api.call('getSpecificConfig', of('lead'))).expect(200)).toBe(own);
    (await saveOwn('lead', '[ui]\nproto=https\n')).expect(200);
    expect(await readFile(path, 'utf8')).toBe('[ui]\nproto=https\n');
    expect(await ownHistory('lead')).toMatchObject([{ data: '[ui]\nproto=https\n' }, { data: own }]);
  });

  it.each([
    ['a section that occurs twice', '[a]\n[a]\n', 2, 1],
    ['text before the first section', 'x=1\n', 1, 1],
    ['a leader that is none', '[cluster.topology]\nleader_hostname=\n', 2, 1],
    ['a web address', '[mqtt]\n\nbroker_address=http://x\n', 3, 1],
    ['a speed out of range', '[stirring.config]\n; fast\ninitial_target_rpm = 9000\n', 3, 22],
    ['a word for a number', '[od_reading.config]\nsamples_per_second=often\n', 2, 20],
  ])('is refused with %s, with line and column, and does not change', async (_, code, line, column) => {
    await addWorker('rx01');
    for (const unit of ['rx01', 'lead']) {
      (await saveOwn(unit, own)).expect(200);
      expect((await saveOwn(unit, code)).expect(400, 'config_invalid')).toMatchObject({
        diagnostics: [{ line, column, severity: 'error' }],
      });
      expect(await leader.client.getSpecificConfig(of(unit))).toBe(own);
    }
  });

  it('must not give two outputs one label, together with the shared file', async () => {
    await addWorker('rx01');
    expect((await saveOwn('rx01', '[PWM]\n1=heating\n')).expect(400, 'config_invalid')).toMatchObject({
      diagnostics: [{ section: 'PWM', key: '5', severity: 'error', code: 'wrong_value' }],
    });
    (await saveOwn('rx01', '[PWM]\n1=heating\n5=stirring\n')).expect(200);
  });

  it('belongs to one existing unit', async () => {
    for (const operation of ['getSpecificConfig', 'listSpecificConfigHistory'] as const) {
      (await leader.api.call(operation, of('$broadcast'))).expect(400, 'one_unit_only');
    }
    (await saveOwn('$broadcast', own)).expect(400, 'one_unit_only');
    (await saveOwn('rx09', own)).expect(400, 'unit_unknown');
    (await saveOwn('lead', 5)).expect(400, 'invalid_body');
    (await leader.api.call('getSpecificConfig', of('rx09'))).expect(400, 'unit_unknown');
    expect(await ownHistory('rx09')).toEqual([]);
  });

  it('that is unreadable is an error', async () => {
    await mkdir(join(leader.dataFolder, 'unit_config.ini'));
    (await leader.api.call('getSpecificConfig', of('lead'))).expect(500, 'config_unreadable');
    (await saveOwn('lead', own)).expect(500, 'config_unreadable');
    (await leader.api.call('getZippedConfigs')).expect(500, 'config_unreadable');
    (await leader.api.call('getOwnSpecificConfig')).expect(500, 'config_unreadable');
    (await leader.api.call('getOwnMergedConfig')).expect(500, 'config_unreadable');
    (await leader.api.call('getConfigFile', inFile('config_lead.ini'))).expect(500, 'config_unreadable');
    const save = { ...inFile('config_lead.ini'), body: { code: own } };
    (await leader.api.call('saveConfigFile', save)).expect(500, 'config_unreadable');
    for (const operation of ['saveOwnSpecificConfig', 'saveOwnSpecificConfigByPost'] as const) {
      (await leader.api.call(operation, { body: { code: own } })).expect(500, 'config_unreadable');
    }
  });
});

describe('two people who save at once', () => {
  it.each(['shared', 'rx01', 'lead'])('do not undo each other (%s)', async (file) => {
    await addWorker('rx01');
    const read = () =>
      file === 'shared' ? leader.api.call('getSharedConfig') : leader.api.call('getSpecificConfig', of(file));
    const save = (body: object, headers: Record<string, string> = {}) =>
      file === 'shared'
        ? leader.api.call('saveSharedConfig', { body, headers })
        : leader.api.call('saveSpecificConfig', { ...of(file), body, headers });
    const before = await read();
    const based_on = sha256(before.text);
    expect(before.headers.get('etag')).toBe(`"${based_on}"`);
    const first = `${before.text}\n[resume]\nstirring=hold\n`;
    const saved = await save({ code: first, based_on, author: 'Ada' });
    saved.expect(200);
    expect(saved.headers.get('etag')).toBe(`"${sha256(first)}"`);

    const second = `${before.text}\n[resume]\nstirring=off\n`;
    const refused = (await save({ code: second, based_on })).expect(409, 'config_changed');
    expect(refused).toMatchObject({ cause: expect.stringMatching(/ at 2026-01-01T00:00:00\.00[01]Z by Ada/) });
    (await save({ code: second }, { 'if-match': before.headers.get('etag') ?? '' })).expect(409, 'config_changed');
    expect((await read()).expect(200)).toBe(first);
    (await save({ code: second }, { 'if-match': `"other", W/"${sha256(first)}"` })).expect(200);
    (await save({ code: first }, { 'if-match': '*' })).expect(200);
    (await save({ code: second })).expect(200);
    (await save({ code: second, based_on: 'x' })).expect(400, 'invalid_body');
  });

  it('at the same moment: one of them receives the conflict', async () => {
    await addWorker('rx01');
    for (const unit of ['rx01', 'lead']) {
      const codes = [1, 2, 3, 4].map((wait) => `[resume]\nwait_s=${wait * 10}\n`);
      const answers = await Promise.all(codes.map((code) => saveOwn(unit, code, { based_on: sha256('') })));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
      expect(await ownHistory(unit)).toHaveLength(1);
    }
  });
});

describe('unknown keys of a file', () => {
  it('are kept, and reported with their position', async () => {
    const code = '[my plugin]\na=1\n[ui]\ncolour=red\n';
    expect((await saveOwn('lead', code)).expect(200)).toEqual({
      status: 'success',
      diagnostics: [
        {
          line: 1,
          column: 1,
          severity: 'warning',
          code: 'unknown_section',
          section: 'my plugin',
          message: expect.any(String),
        },
        {
          line: 4,
          column: 8,
          severity: 'warning',
          code: 'unknown_key',
          section: 'ui',
          key: 'colour',
          message: expect.any(String),
        },
      ],
    });
    expect(await leader.client.getSpecificConfig(of('lead'))).toBe(code);
  });

  it('are not in the default file', async () => {
    const code = await leader.client.getSharedConfig();
    const saved = (await leader.api.call('saveSharedConfig', { body: { code } })).expect(200);
    expect(saved).toEqual({ status: 'success' });
  });

  it('the schema lists the known keys', async () => {
    expect((await leader.api.call('listConfigSettings')).expect(200)).toContainEqual({
      section: 'stirring.config',
      key: 'initial_target_rpm',
      type: 'number',
      unit: 'RPM',
      min: 0,
      max: 1500,
      is_above_min: false,
      choices: [],
      default: '500',
      needs_restart: 'job',
      description: 'Speed at the start.',
    });
  });
});

describe('the effective configuration', () => {
  it('is asked of the units, and the leader answers for itself; passwords are blank, keys without value too', async () => {
    await using _ = await speakingUnit('rx01', () => ({
      'stirring.config': { initial_target_rpm: '450' },
      mqtt: { broker_address: 'lead.local', password: 'secret', username: null },
    }));
    await addWorker('rx02');
    (await saveOwn('lead', own)).expect(200);
    const answer = (await leader.api.call('getMergedConfigs', of('$broadcast'))).expect(200);
    expect(answer).toEqual({
      configs: {
        lead: expect.objectContaining({
          'stirring.config': expect.objectContaining({ initial_target_rpm: '450', use_rpm: '1' }),
          'cluster.addresses': expect.objectContaining({ lead: '127.0.0.1' }),
          leds_reverse: { IR: 'A' },
          'od_config.photodiode_channel': { '1': 'REF', '2': '90' },
        }),
        rx01: {
          'stirring.config': { initial_target_rpm: '450' },
          mqtt: { broker_address: 'lead.local', password: '', username: '' },
        },
      },
      errors: {
        rx02: {
          ok: false,
          unit: 'rx02',
          status_code: null,
          retryable: true,
          error: expect.objectContaining({ kind: 'connection_error', message: expect.any(String) }),
        },
      },
    });
    expect((await leader.api.call('getUnitConfiguration', of('$broadcast'))).expect(200)).toEqual({
      lead: expect.any(Object),
      rx01: expect.any(Object),
    });
    const ofWorkers = await leader.api.call('getWorkerConfiguration', of('$broadcast'));
    expect(Object.keys(Object(ofWorkers.expect(200)))).toEqual(['rx01']);
    expect(ofWorkers.headers.get('deprecation')).toBe('true');
  });

  it('can be limited to some units of all', async () => {
    for (const unit of ['rx01', 'rx02', 'rx03']) await addWorker(unit);
    const read = async (unit: string, query: { unit: string | string[] }) => {
      const options = { ...of(unit), query };
      return leader.api.call('getMergedConfigs', options);
    };
    const limited = (await read('$broadcast', { unit: ['rx02', 'lead'] })).expect(200);
    expect(limited).toMatchObject({ configs: { lead: {} }, errors: { rx02: { ok: false } } });
    expect(JSON.stringify(limited)).not.toMatch(/rx01|rx03/);
    (await read('$broadcast', { unit: 'rx09' })).expect(400, 'unit_unknown');
    expect((await read('lead', { unit: 'rx01' })).expect(200)).toMatchObject({ configs: { lead: {} }, errors: {} });
  });

  it('of one unit that does not answer, or answers something else, is an error', async () => {
    await addWorker('rx01');
    await using _ = await speakingUnit('rx02', () => ['no', 'configuration']);
    for (const operation of ['getMergedConfigs', 'getUnitConfiguration', 'getWorkerConfiguration'] as const) {
      (await leader.api.call(operation, of('rx01'))).expect(502, 'unit_gave_no_answer');
      (await leader.api.call(operation, of('rx09'))).expect(400, 'unit_unknown');
      // The leader is no worker here.
      if (operation === 'getWorkerConfiguration')
        (await leader.api.call(operation, of('lead'))).expect(400, 'unit_unknown');
      else expect(Object.keys((await leader.api.call(operation, of('lead'))).expect(200) ?? {})).not.toEqual([]);
    }
    (await leader.api.call('getMergedConfigs', of('rx02'))).expect(502, 'unit_gave_no_answer');
  });

  it('of one unit that refuses has the error of the unit', async () => {
    const { body } = new ApiError('config_missing', {});
    await using _ = await addToyUnit(leader, 'rx03', {
      answer: ({ path }) => (path === mergedPath ? { status: body.status, body } : undefined),
    });
    for (const operation of ['getMergedConfigs', 'getUnitConfiguration', 'getWorkerConfiguration'] as const)
      expect((await leader.api.call(operation, of('rx03'))).expect(body.status, 'config_missing')).toEqual(body);
  });

  it('of a unit is found for any name of a unit', async () => {
    await using _ = await speakingUnit('constructor', () => ({ a: { b: '1' } }));
    expect((await leader.api.call('getMergedConfigs', of('constructor'))).expect(200)).toEqual({
      configs: { constructor: { a: { b: '1' } } },
      errors: {},
    });
  });

  it('of a leader whose own file is broken fails for the leader alone', async () => {
    await using _ = await speakingUnit('rx01', () => ({ a: { b: '1' } }));
    await writeFile(join(leader.dataFolder, 'unit_config.ini'), '[a]\n[a]\n');
    expect((await leader.api.call('getMergedConfigs', of('$broadcast'))).expect(200)).toMatchObject({
      configs: { rx01: { a: { b: '1' } } },
      errors: { lead: { ok: false, unit: 'lead', status_code: 500 } },
    });
    for (const operation of ['getMergedConfigs', 'getUnitConfiguration'] as const)
      (await leader.api.call(operation, of('lead'))).expect(500, 'config_unreadable');
    await leader.client.registerWorker({ body: { reactor_unit: 'lead' } });
    (await leader.api.call('getWorkerConfiguration', of('lead'))).expect(500, 'config_unreadable');
  });

  it('is requested once in 10 s, and again after a save', async () => {
    let rpm = 450;
    await using unit = await speakingUnit('rx01', () => ({ 'stirring.config': { initial_target_rpm: String(rpm) } }));
    const read = async () => {
      const answer = (await leader.api.call('getMergedConfigs', of('rx01'))).expect(200);
      return JSON.stringify(answer).match(/\d{3,}/)?.[0];
    };
    expect([await read(), await read()]).toEqual(['450', '450']);
    rpm = 460;
    expect(await read()).toBe('450');
    expect(unit.requests.filter(({ path }) => path === mergedPath)).toHaveLength(1);
    (await saveOwn('rx01', own)).expect(200);
    expect(await read()).toBe('460');
    rpm = 470;
    (await leader.api.call('saveSharedConfig', { body: { code: await leader.client.getSharedConfig() } })).expect(200);
    expect(await read()).toBe('470');
  });
});

describe('the archive', () => {
  it('has all files, also of unreachable units, and a list of its content', async () => {
    await addWorker('rx01');
    (await saveOwn('rx01', own)).expect(200);
    const answer = await leader.api.call('getZippedConfigs');
    answer.expect(200);
    expect(answer.headers.get('content-type')).toBe('application/zip');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename=configuration_inis.zip');
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    const files = await unzipped(answer.bytes);
    const names = ['config.ini', 'lead/unit_config.ini', 'rx01/unit_config.ini'];
    expect(Object.keys(files)).toEqual([...names, 'metadata.json']);
    expect(files['config.ini']).toBe(await leader.client.getSharedConfig());
    expect(files['rx01/unit_config.ini']).toBe(own);
    expect(JSON.parse(files['metadata.json'] ?? '')).toEqual({
      metadata_version: 1,
      downloaded_at_utc: new Date(leader.clock.now()).toISOString(),
      included_config_files: names,
      omitted_units: [],
    });
  });

  it('is complete when workers are removed while it is made', async () => {
    const workers = Array.from({ length: 40 }, (_, index) => `rx${100 + index}`);
    for (const worker of workers) await addWorker(worker);
    const removed = workers.map((worker) => leader.api.call('removeWorker', of(worker)));
    const archives = Array.from({ length: 8 }, () => leader.api.call('getZippedConfigs'));
    for (const answer of await Promise.all(archives)) {
      answer.expect(200);
      const { 'metadata.json': metadata = '', ...files } = await unzipped(answer.bytes);
      expect(JSON.parse(metadata).included_config_files).toEqual(Object.keys(files));
    }
    for (const answer of await Promise.all(removed)) answer.expect(202);
  });
});

describe('a node', () => {
  it('that is the leader has its own configuration under /unit_api too', async () => {
    (await leader.api.call('saveOwnSpecificConfig', { body: { code: own } })).expect(200);
    expect((await leader.api.call('getOwnSpecificConfig')).expect(200)).toBe(own);
    const stale = { body: { code: '', based_on: sha256('x') } };
    (await leader.api.call('saveOwnSpecificConfigByPost', stale)).expect(409, 'config_changed');
    (await leader.api.call('saveOwnSpecificConfigByPost', { body: { code: '' } })).expect(200);
    expect((await leader.api.call('getOwnMergedConfig')).expect(200)).toMatchObject({ PWM_reverse: { stirring: '1' } });
  });

  it('without a leader has its own file; after it joins a leader, the leader manages it, and the previous text is kept', async () => {
    await using unit = await startUnit({ name: 'rx01', leaderUrl: leader.url, observe });
    (await unit.api.call('getOwnMergedConfig')).expect(409, 'config_missing');
    for (const operation of ['saveOwnSpecificConfig', 'saveOwnSpecificConfigByPost'] as const) {
      (await unit.api.call(operation, { body: { code: '[a]\n[a]\n' } })).expect(400, 'config_invalid');
      const stale = { body: { code: own, based_on: sha256('x') } };
      (await unit.api.call(operation, stale)).expect(409, 'config_changed');
      const headers = { 'if-match': `"${sha256('x')}"` };
      (await unit.api.call(operation, { body: { code: own }, headers })).expect(409, 'config_changed');
      expect((await unit.api.call(operation, { body: { code: own } })).expect(200)).toEqual({ status: 'success' });
    }
    expect((await unit.api.call('getOwnSpecificConfig')).expect(200)).toBe(own);

    await addWorker('rx01');
    await eventually(async () => (await unit.api.call('getOwnMergedConfig')).expect(200));
    await eventually(async () => expect(await unit.client.getOwnSpecificConfig()).toBe(''));
    expect(await readFile(join(unit.dataFolder, 'unit_config.ini.bak'), 'utf8')).toBe(own);
    for (const operation of ['saveOwnSpecificConfig', 'saveOwnSpecificConfigByPost'] as const) {
      (await unit.api.call(operation, { body: { code: own } })).expect(409, 'config_kept_by_leader');
    }
  });

  it('has the saved text when the save is answered; one that was off receives it when it returns', async () => {
    await addWorker('rx01');
    const first = await startUnit({ name: 'rx01', leaderUrl: leader.url });
    const { dataFolder } = first;
    await eventually(async () => expect(await first.client.getOwnMergedConfig()).toMatchObject({ mqtt: {} }));
    await eventually(async () =>
      expect((await leader.client.listUnits()).find((each) => each.reactor_unit === 'rx01')).toMatchObject({
        applied_version: expect.toSatisfy((version: number) => version > 0),
      }),
    );
    expect((await saveOwn('rx01', own)).expect(200)).toEqual({ status: 'success' });
    expect(await first.client.getOwnSpecificConfig()).toBe(own);
    expect((await leader.api.call('getMergedConfigs', of('rx01'))).expect(200)).toMatchObject({
      configs: { rx01: { 'stirring.config': { initial_target_rpm: '450' } } },
      errors: {},
    });

    await first.node.stop();
    const later = own.replace('450', '470');
    expect((await saveOwn('rx01', later)).expect(200)).toEqual({ status: 'success', pending: ['rx01'] });
    expect(await leader.client.getSpecificConfig(of('rx01'))).toBe(later);
    await using second = await startUnit({ name: 'rx01', leaderUrl: leader.url, dataFolder });
    await eventually(async () => expect(await second.client.getOwnSpecificConfig()).toBe(later));
    await eventually(async () =>
      expect(await leader.client.getMergedConfigs({ ...of('rx01'), query: {} })).toMatchObject({
        configs: { rx01: { 'stirring.config': { initial_target_rpm: '470' } } },
      }),
    );
    await rm(dataFolder, { recursive: true, force: true });
  }, 30_000);
});
