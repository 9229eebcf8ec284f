import { runProgram } from '@lcs/cli/testing';
import type { LeaderNodeOptions } from '@lcs/cluster';
import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

type History = Parameters<NonNullable<LeaderNodeOptions['extend']>>[0]['history'];

const vialOut = 1024;
const simulated = 32;
const stepMs = 10_000;
const count = 100;

describe('lcs series of readings with flags', () => {
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
    const startMs = leader.clock.now();
    await leader.clock.advance(count * stepMs);
    await leader.client.createExperiment({ body: { experiment: 'flagged' } });
    const line = (source: string, channel: string | null) => ({
      experimentUid: String(leader.storedRows('experiments')[0]?.uid),
      unit: 'rx01',
      source,
      channel,
      angle: channel === null ? null : 90,
      derivation: null,
    });
    await write?.({
      series: [line('od', '2'), line('temperature', null)],
      readings: Array.from({ length: count }, (_, index) => [
        {
          series: 0,
          at: startMs + index * stepMs,
          value: 0.1 + 0.001 * index,
          flags: index >= 50 && index < 60 ? simulated + vialOut : simulated,
        },
        { series: 1, at: startMs + index * stepMs, value: 30, flags: simulated },
      ]).flat(),
      nowMs: leader.clock.now(),
    });
  });
  afterAll(() => leader[Symbol.asyncDispose]());
  const ask = (...args: string[]) => runProgram(['series', ...args, '--url', leader.url]);

  it('marks flagged readings, and prints their number and the meaning of the flag', async () => {
    const { code, out } = await ask('od');
    expect(code).toBe(0);
    const [heading, , , , , , , marks, span, summary, ...more] = out.split('\n');
    expect(heading).toMatch(/^rx01-2 {2}\(newest /);
    // 72 columns for the 990 s between the first reading and the last, of which 500 s to 590 s are flagged.
    expect(marks?.split('│')[1]).toBe(`${' '.repeat(36)}${'!'.repeat(7)}`);
    expect(span).toMatch(/^from /);
    expect(summary).toMatch(/^! Vial out \(rx01-2, 10 readings\): /);
    expect(more).toEqual(['']);
  });

  it('prints nothing about series without flags', async () => {
    const { out } = await ask('temperature_readings/temperature_c');
    expect(out).toMatch(/^rx01 {2}\(newest /);
    expect(out).not.toContain('!');
  });

  it('prints the flags as JSON', async () => {
    const { out } = await ask('od', '--json');
    expect(JSON.parse(out)).toMatchObject({
      series: ['rx01-2'],
      flags: [{ reactor_unit: 'rx01', source: 'od', channel: '2', flag: 'vial_out', samples: 10 }],
    });
  });
});
