import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, leaderApi, type OtherLeader } from '@lcs/contract';
import { VirtualClock } from '@lcs/platform';
import { type LeaderUnderTest, signIn, startLeader, startUnit, temporaryFolder } from '@lcs/testkit';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { freePort } from '../../packages/leader/src/testing/test-brokers.ts';
import { observe } from '../observe.ts';

const within = { timeout: 20_000, interval: 100 };
const password = 'three brown horses';

/** A leader whose `leader.ini` has this section. */
async function leaderWith(lines: string, options: Parameters<typeof startLeader>[0] = {}): Promise<LeaderUnderTest> {
  const folder = await temporaryFolder('other-leaders');
  onTestFinished(() => folder[Symbol.asyncDispose]());
  await writeFile(join(folder.path, 'leader.ini'), `[leaders]\n${lines}\n`, { mode: 0o600 });
  const leader = await startLeader({ observe, dataFolder: folder.path, ...options });
  onTestFinished(() => leader[Symbol.asyncDispose]());
  return leader;
}

const listed = async (leader: LeaderUnderTest, headers = {}): Promise<readonly OtherLeader[]> =>
  createClient(leaderApi, { baseUrl: leader.url, headers })
    .listOtherLeaders()
    .then(({ leaders }) => leaders);

describe('other leaders', () => {
  it('are none where leader.ini names none', async () => {
    await using leader = await startLeader({ observe });
    expect((await leader.api.call('listOtherLeaders')).expect(200)).toEqual({ leaders: [] });
  });

  it('have a summary each, or the reason why there is none', async () => {
    const north = await startLeader({ observe });
    onTestFinished(() => north[Symbol.asyncDispose]());
    const unit = await startUnit({ leaderUrl: north.url, clock: north.clock });
    onTestFinished(() => unit[Symbol.asyncDispose]());
    await north.client.registerWorker({ body: { reactor_unit: 'unit1' } });
    await vi.waitFor(
      async () =>
        expect((await north.api.call('getLeaderSummary')).expect(200)).toMatchObject({ units: 1, units_online: 1 }),
      within,
    );
    const leader = await leaderWith(
      `north = ${north.url}/\naway = http://127.0.0.1:${await freePort()}\nunit = ${unit.url}`,
    );
    await vi.waitFor(
      async () =>
        expect((await listed(leader)).map(({ state }) => state)).toEqual(['reachable', 'unreachable', 'unreachable']),
      within,
    );
    expect((await leader.api.call('listOtherLeaders')).expect(200)).toMatchObject({
      leaders: [
        {
          name: 'north',
          url: north.url,
          since: expect.any(String),
          summary: {
            leader: north.node.name,
            units: 1,
            units_online: 1,
            jobs_running: 0,
            alarms_open: expect.any(Number),
          },
          fault: null,
        },
        { name: 'away', summary: null, fault: { cause: expect.stringContaining('ECONNREFUSED') } },
        { name: 'unit', summary: null, fault: { error: 'The leader has no summary.' } },
      ],
    });
  }, 60_000);

  it('are asked with a token that can only read, which is encrypted in the file and shown to nobody', async () => {
    const south = await startLeader({ observe });
    onTestFinished(() => south[Symbol.asyncDispose]());
    await south.client.createPerson({ body: { name: 'ada', role: 'administrator', password } });
    const ada = createClient(leaderApi, { baseUrl: south.url, headers: await signIn(south.url, 'ada', password) });
    const { secret } = await ada.createToken({ body: { name: 'overview', permissions: ['system.read'], days: 1 } });
    const leader = await leaderWith(
      `south = ${south.url}\nsouth_token = ${secret}\nwithout = ${south.url}\nwrong = ${south.url}\nwrong_token = x`,
    );
    await vi.waitFor(
      async () =>
        expect((await listed(leader)).map(({ state }) => state)).toEqual(['reachable', 'unreachable', 'unreachable']),
      within,
    );
    expect(await listed(leader)).toMatchObject([
      { name: 'south', summary: { leader: south.node.name } },
      { name: 'without', fault: { error: 'The leader wants a token.' } },
      { name: 'wrong', fault: { error: 'The leader refuses the token.' } },
    ]);
    const file = await readFile(join(leader.dataFolder, 'leader.ini'), 'utf8');
    for (const text of [file, JSON.stringify(await listed(leader)), JSON.stringify(leader.log.lines)])
      expect(text).not.toContain(secret);
    const reader = { authorization: `Bearer ${secret}` };
    (await south.api.call('getLeaderSummary', { headers: reader })).expect(200);
    (await south.api.call('createExperiment', { headers: reader, body: { experiment: 'e' } })).expect(403);
    (await south.api.call('listOtherLeaders', { headers: {} })).expect(401, 'not_signed_in');
  }, 60_000);

  it('are asked over TLS, with the certificate of their own authority', async () => {
    // Certificates are valid in the real time, which OpenSSL reads.
    const clock = new VirtualClock({ startMs: Date.now() });
    const north = await startLeader({ observe, clock, configure: { host: '0.0.0.0' } });
    onTestFinished(() => north[Symbol.asyncDispose]());
    const url = `https://127.0.0.1:${new URL(north.node.networkUrl).port}`;
    const authority = join(north.dataFolder, 'storage', 'ca.pem');
    const leader = await leaderWith(`north = ${url}\nnorth_authority = ${authority}\nstranger = ${url}`);
    await vi.waitFor(
      async () =>
        expect(await listed(leader)).toMatchObject([
          { name: 'north', state: 'unreachable', fault: { error: 'This leader is not set up yet.' } },
          { name: 'stranger', state: 'unreachable', fault: { cause: expect.stringMatching(/certificate/) } },
        ]),
      within,
    );
  }, 60_000);

  it.each([
    ['north = north.lab', /\[leaders\] north/],
    ['north = http://192.0.2.7:4999', /https:/],
    ['north = https://north.lab\nnorth_authority = /nowhere/ca.pem', /north_authority.*cannot be read/],
  ])('do not start a leader with %s', async (lines, message) => {
    await using folder = await temporaryFolder('other-leaders');
    await writeFile(join(folder.path, 'leader.ini'), `[leaders]\n${lines}\n`, { mode: 0o600 });
    await expect(startLeader({ dataFolder: folder.path })).rejects.toThrow(message);
  });
});
