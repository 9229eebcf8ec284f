import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '@lcs/cli/testing';
import { type LeaderUnderTest, startLeader, type TemporaryFolder, temporaryFolder } from '@lcs/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';

let leader: LeaderUnderTest;
let folder: TemporaryFolder;
beforeEach(async () => {
  leader = await startLeader();
  folder = await temporaryFolder('cli');
});
afterEach(async () => {
  await leader[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const lcs = (...words: string[]) => runProgram(['plugins', ...words], { environment: { LCS_URL: leader.url } });

const text = "export default { manifest: { name: 'demo-plug', version: '0.1' } };";

it('installs from a file of this machine, lists, and removes', async () => {
  const path = join(folder.path, 'demo_plug.js');
  await writeFile(path, text);
  expect(await lcs('install', 'demo-plug', '--file', path)).toEqual({
    code: 1,
    out: '',
    err: expect.stringContaining('allow_install=1'),
  });
  const config = await leader.client.getSharedConfig();
  await leader.client.saveSharedConfig({ body: { code: `${config}\n[plugins]\nallow_install=1\n` } });
  expect(await lcs('install', 'demo-plug', '--file', path)).toEqual({
    code: 0,
    out: 'lead: demo-plug is installed.\n',
    err: '',
  });
  expect(await lcs()).toEqual({
    code: 0,
    out: 'UNIT  PLUGIN     VERSION  SOURCE                PROBLEM\nlead  demo-plug  0.1      plugins/demo_plug.js\n',
    err: '',
  });
  const listed = await lcs('list', '--unit', 'lead', '--json');
  expect(JSON.parse(listed.out)).toMatchObject({ lead: { ok: true, value: [{ name: 'demo-plug' }] } });
  const removed = await lcs('uninstall', 'demo-plug', '--json');
  expect([removed.code, JSON.parse(removed.out)]).toEqual([0, { lead: { ok: true, unit: 'lead', value: true } }]);
  expect((await lcs('list')).out).not.toContain('demo-plug');
});

it('prints the fault of a file or a name', async () => {
  expect(await lcs('install', 'x', '--file', join(folder.path, 'absent.js'))).toMatchObject({
    code: 1,
    err: expect.stringMatching(/absent\.js cannot be read/),
  });
  expect(await lcs('install', 'x', '--file', folder.path)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/cannot be read/),
  });
  const config = await leader.client.getSharedConfig();
  await leader.client.saveSharedConfig({ body: { code: `${config}\n[plugins]\nallow_install=1\n` } });
  const wrong = await lcs('uninstall', 'a b');
  expect([wrong.code, wrong.out]).toEqual([1, expect.stringMatching(/^lead: failed\. 'a b'/)]);
  expect((await lcs('list', '--unit', 'nobody')).code).toBe(1);
});
