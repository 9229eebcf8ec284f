import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';
import { recordingHost } from './recording-host.ts';

let leader: LeaderUnderTest;
beforeAll(async () => {
  leader = await startLeader({ observe, configure: { machine: recordingHost() } });
});
afterAll(() => leader[Symbol.asyncDispose]());

it('the access point is reported, also under its old name', async () => {
  const answer = await leader.api.call('getLocalAccessPoint');
  expect(answer.expect(200)).toEqual({ active: true });
  expect(answer.headers.get('cache-control')).toBe('private, max-age=10000');
  const old = await leader.api.call('isLocalAccessPointActive');
  expect(old.expect(200)).toEqual({ result: true });
  expect(old.headers.get('deprecation')).toBe('true');
});

describe('files of the page', () => {
  it('are served from /static, and no other files', async () => {
    const index = await leader.api.call('getStaticFile', { params: { path: 'index.html' } });
    expect(index.expect(200)).toContain('<!doctype html>');
    expect(index.headers.get('cache-control')).toBe('no-cache');
    const script = /\/static\/(assets\/[^"]+\.js)"/.exec(index.text)?.[1] ?? '';
    const policy = index.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'self'");
    expect(policy).not.toMatch(/script-src[^;]*unsafe/);
    expect(index.headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(index.headers.get('permissions-policy')).toContain('camera=()');
    const asset = await leader.api.call('getStaticFile', { params: { path: script } });
    asset.expect(200);
    expect(asset.headers.get('cache-control')).toBe('public, max-age=43200, immutable');
    expect(asset.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    const tag = asset.headers.get('etag') ?? '';
    expect((await fetch(`${leader.url}/static/${script}`, { headers: { 'if-none-match': tag } })).status).toBe(304);
    for (const path of ['nothing.js', '../package.json', '..%2fpackage.json', 'assets', '.vite']) {
      (await leader.api.call('getStaticFile', { params: { path } })).expect(404, 'route_not_found');
    }
  });
});
