import type { Worker } from 'node:worker_threads';
import { type LeaderUnderTest, startLeader, startUnit, type UnitUnderTest } from '@lcs/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

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

/** Threads of this process that read texts, begun in the present test. */
let textThreads = 0;
const count = ({ threadName }: Worker): void => {
  if (threadName === 'text-reader') textThreads += 1;
};
beforeEach(() => {
  textThreads = 0;
  process.on('worker', count);
});
afterEach(() => {
  process.off('worker', count);
});

const lines = (number: number, line: (index: number) => string): string =>
  Array.from({ length: number }, (_, index) => line(index)).join('\n');

type Request = readonly [node: 'leader' | 'unit', method: string, path: string, body?: string];
const profile = (body: string): Request => [
  'leader',
  'POST',
  '/api/experiment_profiles/validate',
  JSON.stringify({ body }),
];
const calibration = (calibration_data: string): Request => [
  ...(['unit', 'POST', '/unit_api/calibrations/media_pump'] as const),
  JSON.stringify({ calibration_data }),
];
const config = (code: string): Request => ['leader', 'PATCH', '/api/config/shared', JSON.stringify({ code })];
const values = (body: string): Request => ['unit', 'PATCH', '/unit_api/bioreactor/experiments/e', body];

async function send([node, method, path, body]: Request) {
  const headers = { 'content-type': 'application/json' };
  const base = node === 'leader' ? leader.url : unit.url;
  const answer = await fetch(base + path, { method, ...(body !== undefined && { headers, body }) });
  const { code }: { code?: string } = JSON.parse(await answer.text());
  return { status: answer.status, code };
}

const points = Array.from({ length: 1000 }, (_, index) => index / 8).join(',');
const longCalibration = `calibration_type: simple_peristaltic_pump
calibration_name: long
calibrated_on_reactor_unit: rx01
created_at: 2026-11-01T00:00:00Z
curve_data_: {type: poly, coefficients: [1, 0]}
hz: 100
dc: 50
voltage: 12
recorded_data: {x: [${points}], y: [${points}]}
`;

describe('a long text is read by a thread', () => {
  it.each([
    ['aliases of a profile', profile(`a: &a 1\n${lines(8000, (index) => `k${index}: *a`)}`), 200],
    ['values of a profile', profile(`[${'1,'.repeat(120_000)}1]`), 200],
    ['commas of a profile', profile(`[${','.repeat(60_000)}]`), 200],
    ['keys of a profile', profile(lines(25_000, (index) => `k${index}: 1`)), 200],
    ['aliases of a calibration', calibration(`a: &a 1\n${lines(20_000, (index) => `k${index}: *a`)}`), 400],
    ['keys of a calibration', calibration(lines(25_000, (index) => `k${index}: 1`)), 400],
  ])('%s', async (_, request, status) => {
    expect(await send(request)).toMatchObject({ status });
    expect(textThreads).toBe(1);
  });

  it('a stored calibration, once for all requests until it changes', async () => {
    expect(await send(calibration(longCalibration))).toMatchObject({ status: 201 });
    expect(textThreads).toBe(1);
    for (let time = 0; time < 3; time += 1) {
      expect(await send(['unit', 'GET', '/unit_api/calibrations'])).toMatchObject({ status: 200 });
      expect(textThreads).toBe(2);
    }
  });
});

describe('is refused before it is read', () => {
  it.each([
    ['sections of a configuration', config(lines(100_000, (index) => `[s${index}]`)), 'config_invalid'],
    ['lines of a configuration', config('\n'.repeat(100_000)), 'config_invalid'],
    ['keys of a body', values(`{"values":{${lines(20_000, (index) => `"k${index}":1,`)}"k":1}}`), 'invalid_body'],
    ['objects of a body', values(`[${'{},'.repeat(20_000)}{}]`), 'invalid_body'],
    ['values of a body that is no JSON', values(`{"values":[${'1,'.repeat(20_000)}`), 'invalid_body'],
  ])('a text with very many %s', async (_, request, code) => {
    expect(await send(request)).toMatchObject({ code });
    expect(textThreads).toBe(0);
  });
});
