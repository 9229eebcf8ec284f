import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryLog } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { LeaderLink } from './leader-link.ts';

const first = { leader: 'lead', leader_id: '3d0e6c52-9a44-4b19-8a3e-7a8e2f6b5c01', credentials: null };
const second = { leader: 'other', leader_id: '99999999-9a44-4b19-8a3e-7a8e2f6b5c01', credentials: null };
const credentials = { unit_token: 'u', leader_token: 'l', mqtt: { username: 'unit1', password: 'x' } };

async function testLink() {
  const folder = await mkdtemp(join(tmpdir(), 'lcs-link-'));
  const log = memoryLog();
  const opened = async () => {
    const link = new LeaderLink({ folder, log });
    await link.start();
    return link;
  };
  return {
    log,
    file: join(folder, 'storage', 'credentials.json'),
    link: await opened(),
    opened,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

describe('the link to a leader', () => {
  it('is there after a restart, for its owner alone to read', async () => {
    await using test = await testLink();
    expect(test.link.current).toBeUndefined();
    await test.link.bind({ ...first, credentials });
    expect((await stat(test.file)).mode & 0o777).toBe(0o600);
    expect((await test.opened()).current).toEqual({ ...first, standing: 'member', credentials });
  });

  it('keeps its credentials when the same leader gives no new ones, and none of another leader', async () => {
    await using test = await testLink();
    await test.link.bind({ ...first, credentials });
    await test.link.bind(first);
    expect(test.link.current?.credentials).toEqual(credentials);
    await test.link.bind(second);
    expect(test.link.current).toEqual({ ...second, standing: 'member' });
  });

  it('ends in two steps, unless the unit joins again in between', async () => {
    await using test = await testLink();
    await test.link.bind(first);
    await test.link.dropReleased();
    expect(test.link.current?.standing).toBe('member');
    await test.link.release();
    expect((await test.opened()).current?.standing).toBe('released');
    await test.link.dropReleased();
    expect((await test.opened()).current).toBeUndefined();
  });

  it('publishes changes only', async () => {
    await using test = await testLink();
    const seen: (string | undefined)[] = [];
    test.link.onChange(() => seen.push(test.link.current?.leader));
    await test.link.bind(first);
    await test.link.bind(first);
    await test.link.bind(second);
    expect(seen).toEqual(['lead', 'other']);
  });

  it.each(['{', '{"leader":1}'])('that cannot be read (%s) is none, and is said', async (text) => {
    await using test = await testLink();
    await test.link.bind(first);
    await writeFile(test.file, text);
    expect((await test.opened()).current).toBeUndefined();
    expect(test.log.messages('error')).toHaveLength(1);
    expect(await readFile(test.file, 'utf8')).toBe(text);
  });
});
