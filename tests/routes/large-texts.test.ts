import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type LeaderUnderTest, startLeader, startUnit, type UnitUnderTest } from '@lcs/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';

let leader: LeaderUnderTest;
let unit: UnitUnderTest;
beforeAll(async () => {
  leader = await startLeader();
  unit = await startUnit({ name: 'rx01', leaderUrl: leader.url });
});
afterAll(async () => {
  await unit[Symbol.asyncDispose]();
  await leader[Symbol.asyncDispose]();
});

/** Far above what other tests and the machine cause; each of these texts held the node for longer, some for 20 s and more. */
const longestMs = 250;

const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');
const profile = (text: string) => ['leader', 'POST', '/api/experiment_profiles/check', { body: text }] as const;
const calibration = (calibration_data: string) =>
  ['unit', 'POST', '/unit_api/calibrations/media_pump', { calibration_data }] as const;
const config = (code: string) => ['leader', 'PATCH', '/api/config/shared', { code }] as const;

const worst = {
  'aliases of a profile': profile(`a: &a 1\n${lines(8000, (index) => `k${index}: *a`)}`),
  'values of a profile': profile(`[${'1,'.repeat(120_000)}1]`),
  'commas of a profile': profile(`[${','.repeat(60_000)}]`),
  'keys of a profile': profile(lines(25_000, (index) => `k${index}: 1`)),
  'aliases of a calibration': calibration(`a: &a 1\n${lines(20_000, (index) => `k${index}: *a`)}`),
  'keys of a calibration': calibration(lines(25_000, (index) => `k${index}: 1`)),
  'sections of a configuration': config(lines(100_000, (index) => `[s${index}]`)),
  'spaces of a configuration': config(`[a]\n${' '.repeat(60_000)}b${' '.repeat(60_000)}c\n`),
  'secrets of a configuration': config(`[mqtt]\n${'password=x\n'.repeat(20_000)}`),
};

it.each(Object.entries(worst))('%s hold up nothing else', async (_, [node, method, path, body]) => {
  const base = node === 'leader' ? leader.url : unit.url;
  const headers = { 'content-type': 'application/json' };
  const sent = JSON.stringify(body);
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const answer = await fetch(base + path, { method, headers, body: sent });
  await answer.text();
  delay.disable();
  expect(answer.status).toBeLessThan(500);
  expect(delay.max / 1e6).toBeLessThan(longestMs);
});
