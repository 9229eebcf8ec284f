import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';
import { unzipped } from './unzipped.ts';

let leader: LeaderUnderTest;
beforeEach(async () => {
  leader = await startLeader({ observe });
});
afterEach(() => leader[Symbol.asyncDispose]());

const get = async (path: string) => {
  const answer = await fetch(leader.url + path);
  return { status: answer.status, etag: answer.headers.get('etag'), text: await answer.text() };
};
const onDisk = () => readFile(join(leader.dataFolder, 'config.ini'), 'utf8');
const save = (code: string, based_on?: string) =>
  leader.api.call('saveSharedConfig', { body: { code, ...(based_on !== undefined && { based_on }) } });

/** The shared file with an account for browsers, saved once. */
async function withAccount(password: string): Promise<void> {
  const { text } = await get('/api/config/shared');
  const account = `[mqtt]\nusername=browser\npassword=${password}\n`;
  (await save(text.replace('[mqtt]\n', account))).expect(200);
}

describe('secrets in configuration files', () => {
  it('are in no answer of a leader', async () => {
    await withAccount('open-sesame');
    const own = { params: { reactor_unit: 'lead' }, body: { code: '[wifi_access_point]\npassphrase=open-sesame\n' } };
    (await leader.api.call('saveSpecificConfig', own)).expect(200);
    expect(await onDisk()).toContain('open-sesame');
    for (const path of [
      '/api/config/shared',
      '/api/config/shared/history',
      '/api/config/units/lead',
      '/api/config/units/lead/specific',
      '/api/config/units/lead/specific/history',
      '/api/configs/config.ini',
      '/api/configs/config.ini/history',
      '/unit_api/system/path/config.ini',
      '/unit_api/system/path/unit_config.ini',
      '/unit_api/config/specific',
    ]) {
      const { status, text } = await get(path);
      expect([path, status, text.includes('open-sesame')]).toEqual([path, 200, false]);
    }
    expect((await get('/api/config/shared')).text).toContain('password=********');
    const zip = await fetch(`${leader.url}/api/config/zipped`);
    const files = await unzipped(new Uint8Array(await zip.arrayBuffer()));
    expect(Object.keys(files)).toContain('lead/unit_config.ini');
    expect(Object.values(files).join('')).not.toContain('open-sesame');
  });

  it('are kept when the shown text is saved', async () => {
    await withAccount('open-sesame');
    const { text, etag } = await get('/api/config/shared');
    (await save(`${text}\n[ui]\n`.replace('\n[ui]\n', '\n; a remark\n'), etag?.replaceAll('"', ''))).expect(200);
    expect(await onDisk()).toContain('password=open-sesame\n');
    expect(await onDisk()).toContain('; a remark');
    (await save((await get('/api/config/shared')).text.replace('********', 'another'))).expect(200);
    expect(await onDisk()).toContain('password=another\n');
  });

  it('are not kept as asterisks where there is none', async () => {
    const { text } = await get('/api/config/shared');
    const refused = await save(text.replace('[mqtt]\n', '[mqtt]\npassword=********\n'));
    expect(refused.expect(400, 'config_invalid')).toMatchObject({ diagnostics: [{ code: 'hidden_secret' }] });
  });
});

describe('files of secrets', () => {
  it.each([
    'identity.json',
    'leader.ini',
    'plugins/deep/er/leader.ini',
    'plugins/LEADER.INI',
    'plugins/leader.ini.bak',
    'plugins/.leader.ini.swp',
    'plugins/credentials.json',
    'plugins/server.key',
    'backups',
    'backups/2026-05-02T09-14-03Z/leader.ini',
    'backups/2026-05-02T09-14-03Z/config.ini',
    'backups/2026-05-02T09-14-03Z/notes.txt',
  ])('are not served: %s', async (name) => {
    const path = join(leader.dataFolder, name);
    await mkdir(name === 'backups' ? path : join(path, '..'), { recursive: true });
    if (name !== 'backups' && name !== 'identity.json') await writeFile(path, 'password=open-sesame\n');
    const { status, text } = await get(`/unit_api/system/path/${name}`);
    expect([status, text.includes('open-sesame')]).toEqual([403, false]);
  });

  it('are not served behind a link', async () => {
    await writeFile(join(leader.dataFolder, 'leader.ini'), 'password=open-sesame\n');
    await cp(join(leader.dataFolder, 'leader.ini'), join(leader.dataFolder, 'plugins', 'other.ini'));
    const { status, text } = await get('/unit_api/system/path/plugins/other.ini');
    expect([status, text]).toEqual([200, 'password=********\n']);
  });
});
