import { createHash } from 'node:crypto';
import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';

let leader: LeaderUnderTest;
beforeEach(async () => {
  leader = await startLeader({ observe });
});
afterEach(() => leader[Symbol.asyncDispose]());

const own = '[stirring.config]\ninitial_target_rpm=450\n';
const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex');
const inFile = (filename: string) => ({ params: { filename } });
const addWorker = (reactor_unit: string) => leader.client.registerWorker({ body: { reactor_unit } });

describe('the older routes', () => {
  it('list, read and save the same files, with their history', async () => {
    await addWorker('rx01');
    const list = await leader.api.call('listConfigFiles');
    expect(list.expect(200)).toEqual(['config.ini', 'config_lead.ini', 'config_rx01.ini']);
    expect(list.headers.get('deprecation')).toBe('true');
    const shared = await leader.client.getSharedConfig();
    expect((await leader.api.call('getConfigFile', inFile('config.ini'))).expect(200)).toBe(shared);
    const save = (filename: string, body: object) => leader.api.call('saveConfigFile', { ...inFile(filename), body });
    expect((await save('config_rx01.ini', { code: own })).expect(200)).toEqual({
      status: 'success',
      pending: ['rx01'],
    });
    (await save('config.ini', { code: `${shared};\n` })).expect(200);
    expect(await leader.client.getSharedConfig()).toBe(`${shared};\n`);
    const file = await leader.api.call('getConfigFile', inFile('folder/config_rx01.ini'));
    expect([file.expect(200), file.headers.get('cache-control')]).toEqual([own, 'private, max-age=10']);
    expect((await leader.api.call('listConfigFileHistory', inFile('config_rx01.ini'))).expect(200)).toMatchObject([
      { filename: 'unit_config.ini::rx01', data: own },
    ]);
    expect((await leader.api.call('listConfigFileHistory', inFile('config.ini'))).expect(200)).toHaveLength(2);
    expect((await leader.api.call('listConfigFileHistory', inFile('x'))).expect(200)).toEqual([]);
    const noPart = { ...inFile('config.ini'), query: { skip: -1 } };
    (await leader.api.call('listConfigFileHistory', noPart)).expect(400, 'invalid_query');
  });

  it('have no other files, and validate like the newer ones', async () => {
    for (const [filename, status, code] of [
      ['config_rx09.ini', 404, 'config_file_not_found'],
      ['config_$broadcast.ini', 404, 'config_file_not_found'],
      ['other.ini', 404, 'config_file_not_found'],
      ['leader.txt', 400, 'config_file_invalid'],
      ['leader.ini', 404, 'config_file_not_found'],
    ] as const) {
      (await leader.api.call('getConfigFile', inFile(filename))).expect(status, code);
      (await leader.api.call('saveConfigFile', { ...inFile(filename), body: { code: '' } })).expect(status, code);
    }
    const shared = { ...inFile('config.ini'), body: { code: '[mqtt]\n' } };
    (await leader.api.call('saveConfigFile', shared)).expect(400, 'config_invalid');
    const stale = { ...inFile('config_lead.ini'), body: { code: own, based_on: sha256('x') } };
    (await leader.api.call('saveConfigFile', stale)).expect(409, 'config_changed');
  });
});
