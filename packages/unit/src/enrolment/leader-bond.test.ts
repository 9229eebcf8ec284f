import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryLog } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { LeaderBond } from './leader-bond.ts';

const first = { leader: 'lead', leader_id: '3d0e6c52-9a44-4b19-8a3e-7a8e2f6b5c01', credentials: null };
const second = { leader: 'other', leader_id: '99999999-9a44-4b19-8a3e-7a8e2f6b5c01', credentials: null };
const credentials = { unit_token: 'u', leader_token: 'l', mqtt: { username: 'unit1', password: 'x' } };

async function testBond() {
  const folder = await mkdtemp(join(tmpdir(), 'lcs-bond-'));
  const log = memoryLog();
  const opened = async () => {
    const bond = new LeaderBond({ folder, log });
    await bond.start();
    return bond;
  };
  return {
    log,
    file: join(folder, 'storage', 'credentials.json'),
    bond: await opened(),
    opened,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

describe('the bond to a leader', () => {
  it('is there after a restart, for its owner alone to read', async () => {
    await using test = await testBond();
    expect(test.bond.current).toBeUndefined();
    await test.bond.bind({ ...first, credentials });
    expect((await stat(test.file)).mode & 0o777).toBe(0o600);
    expect((await test.opened()).current).toEqual({ ...first, standing: 'member', credentials });
  });

  it('keeps its credentials when the same leader gives no new ones, and none of another leader', async () => {
    await using test = await testBond();
    await test.bond.bind({ ...first, credentials });
    await test.bond.bind(first);
    expect(test.bond.current?.credentials).toEqual(credentials);
    await test.bond.bind(second);
    expect(test.bond.current).toEqual({ ...second, standing: 'member' });
  });

  it('ends in two steps, unless the unit joins again in between', async () => {
    await using test = await testBond();
    await test.bond.bind(first);
    await test.bond.dropReleased();
    expect(test.bond.current?.standing).toBe('member');
    await test.bond.release();
    expect((await test.opened()).current?.standing).toBe('released');
    await test.bond.dropReleased();
    expect((await test.opened()).current).toBeUndefined();
  });

  it('tells of changes only', async () => {
    await using test = await testBond();
    const seen: (string | undefined)[] = [];
    test.bond.onChange(() => seen.push(test.bond.current?.leader));
    await test.bond.bind(first);
    await test.bond.bind(first);
    await test.bond.bind(second);
    expect(seen).toEqual(['lead', 'other']);
  });

  it.each(['{', '{"leader":1}'])('that cannot be read (%s) is none, and is said', async (text) => {
    await using test = await testBond();
    await test.bond.bind(first);
    await writeFile(test.file, text);
    expect((await test.opened()).current).toBeUndefined();
    expect(test.log.messages('error')).toHaveLength(1);
    expect(await readFile(test.file, 'utf8')).toBe(text);
  });
});
