import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { type LeaderUnderTest, startLeader, startUnit, type UnitUnderTest } from '@lcs/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';

let leader: LeaderUnderTest;
let unit: UnitUnderTest;
beforeAll(async () => {
  leader = await startLeader({ observe });
  unit = await startUnit({ name: 'rx01', leaderUrl: leader.url });
});
afterAll(async () => {
  await unit[Symbol.asyncDispose]();
  await leader[Symbol.asyncDispose]();
});

/** A path as it is written: the usual clients would follow its dots themselves. */
async function raw(
  base: string,
  method: string,
  path: string,
  body = '{}',
): Promise<{ status: number; code: unknown }> {
  const { hostname, port } = new URL(base);
  const answered = Promise.withResolvers<{ status: number; code: unknown }>();
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'content-length': String(Buffer.byteLength(body)),
  };
  const outgoing = request({ hostname, port, method, path, headers, agent: false }, (response) => {
    text(response).then((body) => {
      const parsed: unknown = body.startsWith('{') ? JSON.parse(body) : null;
      answered.resolve({ status: response.statusCode ?? 0, code: Reflect.get(Object(parsed), 'code') });
    }, answered.reject);
  });
  outgoing.on('error', answered.reject);
  outgoing.end(body);
  return answered.promise;
}

const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'];

describe('names of the prototype', () => {
  it.each(names)('are valid sections and keys of a configuration: %s', async (name) => {
    const before = await leader.client.getSharedConfig();
    const code = `${before}\n[${name}]\n${name}=1\n`;
    const saved = await leader.api.call('saveSharedConfig', { body: { code } });
    expect(saved.expect(200)).toMatchObject({ diagnostics: [{ code: 'unknown_section', section: name }] });
    const own = { params: { reactor_unit: 'lead' }, body: { code: `[${name}]\n${name}=1\n[PWM]\n${name}=x\n` } };
    (await leader.api.call('saveSpecificConfig', own)).expect(200);
    (await leader.api.call('getMergedConfigs', { params: { reactor_unit: 'lead' } })).expect(200);
    (await leader.api.call('saveSharedConfig', { body: { code: before } })).expect(200);
    (await leader.api.call('saveSpecificConfig', { ...own, body: { code: '' } })).expect(200);
  });

  it.each(names)('name calibrations of a device: %s', async (device) => {
    const answer = await raw(unit.url, 'GET', `/unit_api/calibrations/${device}`);
    expect(answer.status).toBeLessThan(500);
  });
});

describe('JSON nested 20,000 deep', () => {
  const deep = `{"options":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`;
  it.each([
    ['leader', 'POST', '/mcp/'],
    ['leader', 'POST', '/api/workers/rx01/jobs/run/job_name/stirring/experiments/a'],
    ['leader', 'POST', '/api/experiments'],
    ['leader', 'PATCH', '/api/config/shared'],
    ['unit', 'POST', '/unit_api/jobs/run/job_name/stirring'],
    ['unit', 'PATCH', '/unit_api/jobs/settings/job_name/stirring'],
    ['unit', 'PUT', '/unit_api/desired'],
  ])('is refused by the %s: %s %s', async (node, method, path) => {
    const { status } = await raw(node === 'leader' ? leader.url : unit.url, method, path, deep);
    expect(status).toBe(400);
  });
});

describe('dots in an address', () => {
  it.each(['%2e%2e', '..', '%2E%2e', '.', '%2e'])('match no other route: %s', async (dots) => {
    const paths = [
      ['POST', `/api/workers/rx01/calibrations/sessions/${dots}/inputs`],
      ['GET', `/api/workers/rx01/jobs/settings/job_name/${dots}`],
      ['GET', `/api/experiments/${dots}`],
      ['GET', `/api/workers/rx01/experiments/${dots}/logs`],
    ] as const;
    for (const [method, path] of paths) {
      const { status } = await raw(leader.url, method, path);
      expect([path, status]).toEqual([path, 404]);
    }
  });
});
