import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';

let leader: LeaderUnderTest;
beforeEach(async () => {
  leader = await startLeader({ observe });
});
afterEach(() => leader[Symbol.asyncDispose]());

const save = (code: unknown) => leader.api.call('saveSharedConfig', { body: { code } });
const history = async () => (await leader.api.call('listSharedConfigHistory')).expect(200);
const namedHistory = () => leader.client.listSharedConfigHistory({ query: { authors: true } });
const minimal =
  '[cluster.topology]\nleader_hostname=lead\nleader_address=127.0.0.1\n[mqtt]\nbroker_address=127.0.0.1\n';

describe('the shared configuration', () => {
  it('has a default with all keys of the web UI, as plain text, readable by simple parsers', async () => {
    const answer = await leader.api.call('getSharedConfig');
    const text = String(answer.expect(200));
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    for (const section of [
      'cluster.topology',
      'mqtt',
      'ui.overview.charts',
      'ui.overview.cards',
      'ui.overview.settings',
      'logging',
    ]) {
      expect(text).toContain(`\n[${section}]\n`);
    }
    for (const line of text.split('\n')) expect(line).toMatch(/^(\[[^\]]+\]|;.*|[^\s=:#;][^=:]*=.*|)$/);
    const installed = { data: text, author: 'as installed' };
    expect(await namedHistory()).toEqual([expect.objectContaining(installed)]);
  });

  it('is replaced as a whole, verbatim but for long dashes, and kept in the history, newest first', async () => {
    expect((await save(`${minimal}; note – with — dashes\n`)).expect(200)).toEqual({ status: 'success' });
    await leader.clock.advance(1000);
    (await save(`${minimal}[x]\na = 50% # not a comment\n`)).expect(200);
    expect(await leader.client.getSharedConfig()).toBe(`${minimal}[x]\na = 50% # not a comment\n`);
    expect(await readFile(join(leader.dataFolder, 'config.ini'), 'utf8')).toBe(
      `${minimal}[x]\na = 50% # not a comment\n`,
    );
    const part = { query: { skip: 1, limit: 1 } };
    expect((await leader.api.call('listSharedConfigHistory', part)).expect(200)).toEqual([
      expect.objectContaining({ data: `${minimal}; note - with - dashes\n` }),
    ]);
    (await leader.api.call('listSharedConfigHistory', { query: { limit: 0 } })).expect(400, 'invalid_query');
    const newest = {
      filename: 'config.ini',
      timestamp: new Date(leader.clock.now()).toISOString(),
      data: `${minimal}[x]\na = 50% # not a comment\n`,
    };
    const older = expect.objectContaining({ data: `${minimal}; note - with - dashes\n` });
    expect(await history()).toEqual([newest, older, expect.anything()]);
    expect(await namedHistory()).toEqual([
      { ...newest, author: 'somebody not signed in' },
      older,
      expect.objectContaining({ author: 'as installed' }),
    ]);
  });

  it('lists the workers that have not applied it yet', async () => {
    for (const reactor_unit of ['rx02', 'rx01']) await leader.client.registerWorker({ body: { reactor_unit } });
    expect((await save(minimal)).expect(200)).toEqual({ status: 'success', pending: ['rx01', 'rx02'] });
  });

  it('applies simultaneous saves one after the other, losing none', async () => {
    const texts = Array.from({ length: 6 }, (_, i) => `${minimal}[n]\ni=${i}\n`);
    for (const answer of await Promise.all(texts.map(save))) answer.expect(200);
    const saved = await namedHistory();
    expect(saved.flatMap(({ data, author }) => (author === 'as installed' ? [] : [data])).sort()).toEqual(texts);
    expect(await leader.client.getSharedConfig()).toBe(saved[0]?.data);
  });

  it('refuses an invalid text with its position, and changes nothing', async () => {
    const cases = [
      ['a section that occurs twice', `${minimal}[mqtt]\nx=1\n`, 'mqtt'],
      ['a key that occurs twice', `${minimal}broker_address=b\n`, 'broker_address'],
      ['text before the first section', `x=1\n${minimal}`, 'Line 1'],
      ['an unclosed section', `${minimal}[oops\n`, 'Line 6'],
      ['no topology', '[mqtt]\nbroker_address=x\n', 'cluster.topology'],
      ['no broker section', minimal.replace(/\[mqtt\][\s\S]*/, ''), 'mqtt'],
      ['no leader address', minimal.replace(/leader_address=.*\n/, ''), 'leader_address'],
      ['an empty leader name', minimal.replace('=lead', '='), 'leader_hostname'],
      ['another leader', minimal.replace('=lead', '=other'), 'leader_hostname'],
      ['a web address as leader address', minimal.replace('=127.0.0.1\n[', '=http://127.0.0.1\n['), 'leader_address'],
      [
        'a web address as broker address',
        minimal.replace('broker_address=', 'broker_address=https://'),
        'broker_address',
      ],
      ['a text that is too long', `${minimal};${'x'.repeat(131_072)}\n`, 'too_large'],
    ] as const;
    const before = await leader.client.getSharedConfig();
    for (const [what, code, place] of cases) {
      const answer = await save(code);
      expect(JSON.stringify(answer.expect(400, 'config_invalid')), what).toContain(place);
      expect(await leader.client.getSharedConfig(), what).toBe(before);
      expect(await history(), what).toHaveLength(1);
    }
  });

  it('reports an unreadable file, keeps its content, and can be saved when the file was moved away', async () => {
    const path = join(leader.dataFolder, 'config.ini');
    const bytes = Buffer.from([0x5b, 0x61, 0xff]);
    await writeFile(path, bytes);
    (await leader.api.call('getSharedConfig')).expect(500, 'config_unreadable');
    (await save(minimal)).expect(500, 'config_unreadable');
    expect(await readFile(path)).toEqual(bytes);
    await rm(path);
    (await leader.api.call('getSharedConfig')).expect(500, 'config_unreadable');
    (await save(minimal)).expect(200);
    expect(await leader.client.getSharedConfig()).toBe(minimal);
  });

  it('refuses a body without the text', async () => {
    (await save(null)).expect(400, 'invalid_body');
    (await save(undefined)).expect(400, 'invalid_body');
  });
});
