import { describe, expect, it } from 'vitest';
import { errorOf } from '../testing/test-leader.ts';
import { acceptedBaseUrl } from './base-url.ts';

const names: Readonly<Record<string, readonly string[]>> = { 'rx01.local': ['192.168.4.21', 'fe80::21'] };
const accepted = (base_url: string | null, remote: string, configured?: string, scheme: 'http' | 'https' = 'http') =>
  acceptedBaseUrl({ base_url, port: 4999 }, { remote, scheme, configured, resolve: async (host) => names[host] ?? [] });

describe('the base URL of a unit', () => {
  it.each([
    [null, '192.168.4.21', 'http://192.168.4.21:4999'],
    [null, '::ffff:192.168.4.21', 'http://192.168.4.21:4999'],
    [null, 'fe80::21', 'http://[fe80::21]:4999'],
    ['http://192.168.4.21:80', '::ffff:192.168.4.21', 'http://192.168.4.21'],
    ['http://rx01.local:5000', '192.168.4.21', 'http://rx01.local:5000'],
    ['http://[fe80::21]:5000', 'fe80::21', 'http://[fe80::21]:5000'],
    ['http://127.0.0.1:5000', '::1', 'http://127.0.0.1:5000'],
  ])('%s from %s is %s', async (baseUrl, remote, expected) => {
    expect(await accepted(baseUrl, remote)).toBe(expected);
  });

  it('may be that of another machine only when the configuration names it', async () => {
    expect(await errorOf(accepted('http://192.168.4.22:1', '192.168.4.21'))).toMatchObject({
      code: 'base_url_foreign',
    });
    expect(await errorOf(accepted('http://rx02.local:1', '192.168.4.21'))).toMatchObject({ code: 'base_url_foreign' });
    expect(await accepted('http://192.168.4.22:1', '192.168.4.21', '192.168.4.22:80')).toBe('http://192.168.4.22:1');
  });

  it('of a unit with TLS is encrypted, except on loopback', async () => {
    const of = (baseUrl: string | null, remote: string) => accepted(baseUrl, remote, undefined, 'https');
    expect(await of(null, '192.168.4.21')).toBe('https://192.168.4.21:4999');
    expect(await of('https://192.168.4.21:5000', '192.168.4.21')).toBe('https://192.168.4.21:5000');
    expect(await of('http://127.0.0.1:5000', '127.0.0.1')).toBe('http://127.0.0.1:5000');
    expect(await errorOf(of('http://192.168.4.21:5000', '192.168.4.21'))).toMatchObject({ code: 'invalid_body' });
  });

  it.each(['ftp://192.168.4.21:1', 'http://a@192.168.4.21:1', 'http://192.168.4.21:1/?x', 'rx01'])(
    'is no %s',
    async (baseUrl) => {
      expect(await errorOf(accepted(baseUrl, '192.168.4.21'))).toMatchObject({ code: 'invalid_body' });
    },
  );
});
