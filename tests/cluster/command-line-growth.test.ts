import { runProgram } from '@lcs/cli/testing';
import type { LeaderNodeOptions } from '@lcs/cluster';
import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

type History = Parameters<NonNullable<LeaderNodeOptions['extend']>>[0]['history'];

const hourMs = 3_600_000;
const units = Array.from({ length: 26 }, (_, index) => `rx${String(index + 1).padStart(2, '0')}`);

describe('lcs growth', () => {
  let leader: LeaderUnderTest;
  beforeAll(async () => {
    let write: History['write'] | undefined;
    leader = await startLeader({
      configure: {
        extend: ({ history }) => {
          write = history.write;
          return [];
        },
      },
    });
    await leader.client.createExperiment({ body: { experiment: 'fermentation' } });
    const nowMs = leader.clock.now();
    const place = {
      experimentUid: String(leader.storedRows('experiments')[0]?.uid),
      source: 'od',
      channel: '2',
      angle: 90,
    };
    await write?.({
      series: units.map((unit) => ({ ...place, unit, derivation: null })),
      // Every two minutes for two hours, at 0.5 or 0.8 per hour.
      readings: units.flatMap((_, series) =>
        Array.from({ length: 60 }, (__, index) => {
          const hours = index / 30;
          const scatter = 1 + 0.004 * Math.sin(7.3 * (index + series));
          const rate = series % 2 === 0 ? 0.5 : 0.8;
          return { series, at: nowMs - 2 * hourMs + hours * hourMs, value: 0.1 * Math.exp(rate * hours) * scatter };
        }),
      ),
      nowMs,
    });
    const groups = ['slow', 'fast'].map((name, at) => ({ name, units: units.filter((_, index) => index % 2 === at) }));
    const params = { experiment: 'fermentation' };
    (await leader.api.call('replaceReplicateGroups', { params, body: { groups } })).expect(200);
  });
  afterAll(() => leader[Symbol.asyncDispose]());
  const ask = (...args: string[]) => runProgram(['growth', ...args, '--url', leader.url]);

  it('summary waits for the task of many units, and shows units, groups, tests and sources of the methods', async () => {
    const { code, out } = await ask('summary', 'fermentation');
    expect(code).toBe(0);
    const first = out.split('\n').find((line) => line.startsWith('rx01'));
    expect(first).toMatch(/^rx01 +slow +log_linear +0\.\d+ \(0\.\d+ to 0\.\d+\)/);
    const rate = Number(/log_linear +(0\.\d+)/.exec(first ?? '')?.[1]);
    expect(rate).toBeCloseTo(0.5, 1);
    expect(out).toMatch(/^fast +mu_max +log_linear +13 +0\.8/m);
    expect(out).toMatch(/^welch_t +mu_max +log_linear +slow, fast/m);
    expect(out).toContain('doi:10.1038/ncomms13766');
  });

  it('compare shows hour 0 of each curve', async () => {
    const { code, out } = await ask('compare', 'fermentation', '--align', 'od', '--od', '0.2', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ align: 'od', od: 0.2, experiments: [{ experiment: 'fermentation' }] });
    expect((await ask('compare', 'fermentation', '--align', 'od', '--od', '0.2')).out).toMatch(
      /^fermentation +rx01 +slow +2\d{3}-/m,
    );
  });

  it('fails on unknown experiments and wrong options', async () => {
    expect(await ask('summary', 'none')).toMatchObject({ code: 1 });
    expect(await ask('compare', 'fermentation', '--align', 'middle')).toMatchObject({ code: 2 });
    expect(await ask('compare', 'fermentation', '--align', 'od')).toMatchObject({ code: 1 });
  });
});
