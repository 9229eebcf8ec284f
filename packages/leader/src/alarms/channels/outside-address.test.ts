import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { DeliveryFailed } from './delivery-failed.ts';
import { hostOf, OutsideAddresses } from './outside-address.ts';
import { sendPing } from './send-http.ts';

const servers: ReturnType<typeof createServer>[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A service on loopback, and what it was asked for. */
async function service(answer: RequestListener = (_request, response) => response.writeHead(204).end()) {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url ?? '');
    answer(request, response);
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { paths, port: address.port };
}

const cluster = new Set(['rx01.local', '192.168.7.20', 'fd00::20']);
const rules = (allowed = '') => new OutsideAddresses({ allowed, cluster });
const ping = (url: string, outside: OutsideAddresses) => sendPing(url, 'GET', outside, AbortSignal.timeout(5000));
const isRefused = (address: string, allowed = '', port = 80): boolean => {
  try {
    rules(allowed).check(address, address, port);
    return false;
  } catch (error) {
    if (error instanceof DeliveryFailed) return true;
    throw error;
  }
};

describe('webhooks and pings', () => {
  it.each([
    'http://127.0.0.1:PORT/',
    'http://127.1:PORT/',
    'http://0x7f000001:PORT/',
    'http://2130706433:PORT/',
    'http://localhost:PORT/',
    'http://0.0.0.0:PORT/',
    'http://[::]:PORT/',
    'http://[::1]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://[::127.0.0.1]:PORT/',
  ])('do not reach this machine by %s', async (url) => {
    const { paths, port } = await service();
    await expect(ping(url.replace('PORT', String(port)), rules())).rejects.toThrow(/allowed_addresses/);
    expect(paths).toEqual([]);
  });

  it.each([
    '169.254.1.1',
    'fe80::1',
    '224.0.0.1',
    '255.255.255.255',
    'ff02::1',
    '192.168.7.20',
    '::ffff:192.168.7.20',
    '::ffff:c0a8:714',
    'fd00::20',
    'fd00:0:0::20',
  ])('do not go to %s', (address) => expect(isRefused(address)).toBe(true));

  it.each(['192.168.7.21', '8.8.8.8', '2001:db8::1', 'fd00::21'])('go to %s', (address) =>
    expect(isRefused(address)).toBe(false),
  );

  it.each(['rx01.local', 'RX01.local.'])('do not go to a unit by its name: %s', (name) => {
    expect(() => rules().check(name, '10.9.9.9', 80)).toThrow(DeliveryFailed);
  });

  it('do not go to a unit by its IPv4 address as a URL writes it in IPv6', async () => {
    await expect(ping('http://[::ffff:192.168.7.20]:4999/', rules())).rejects.toThrow(/allowed_addresses/);
  });

  it.each([
    ['127.0.0.1', '127.0.0.1', 80, false],
    ['127.0.0.1:8123', '127.0.0.1', 8123, false],
    ['127.0.0.1:8123', '127.0.0.1', 4999, true],
    ['192.168.7.0/24', '192.168.7.20', 80, false],
    ['192.168.8.0/24, 127.0.0.0/8', '127.0.0.9', 80, false],
    ['192.168.8.0/24', '192.168.7.20', 80, true],
    ['[::1]:8123', '::1', 8123, false],
    ['[::1]:8123', '::1', 80, true],
    ['::1', '::1', 80, false],
    ['fd00::/64', 'fd00::20', 80, false],
  ])('are allowed by %j to %s port %i: refused %s', (allowed, address, port, refused) => {
    expect(isRefused(address, allowed, port)).toBe(refused);
  });

  it.each(['localhost', '127.0.0.1:99999', '127.0.0.1/33', 'a:b', '300.1.1.1'])('refuse the rule %j', (allowed) => {
    expect(() => rules(allowed)).toThrow(DeliveryFailed);
  });

  it('reach an allowed address, by its name too', async () => {
    const { paths, port } = await service();
    await ping(`http://127.0.0.1:${port}/a`, rules(`127.0.0.1:${port}`));
    await ping(`http://localhost:${port}/b`, rules('127.0.0.1,::1'));
    expect(paths).toEqual(['/a', '/b']);
  });

  it('go to the address that was checked, and check again at the next delivery: a name may change its address', async () => {
    const { paths, port } = await service();
    const answers = ['127.0.0.1', '127.0.0.2'].map((address) => [{ address, family: 4 }]);
    const asked: string[] = [];
    const resolve = async (host: string) => {
      asked.push(host);
      return answers[asked.length - 1] ?? [];
    };
    const outside = new OutsideAddresses({ allowed: `127.0.0.1:${port}`, cluster }, resolve);
    await ping(`http://hook.example:${port}/a`, outside);
    expect([asked, paths]).toEqual([['hook.example'], ['/a']]);
    await expect(ping(`http://hook.example:${port}/b`, outside)).rejects.toThrow(/hook\.example \(127\.0\.0\.2\)/);
    expect(paths).toEqual(['/a']);
  });

  it('do not go to a name with one address inside', async () => {
    const { paths, port } = await service();
    const resolve = async () => ['192.0.2.1', '127.0.0.1'].map((address) => ({ address, family: 4 }));
    await expect(
      ping(`http://two.example:${port}/`, new OutsideAddresses({ allowed: '', cluster }, resolve)),
    ).rejects.toThrow(/allowed_addresses/);
    expect(paths).toEqual([]);
  });

  it('do not follow a redirection', async () => {
    const inside = await service();
    const outside = await service((_request, response) =>
      response.writeHead(302, { location: `http://127.0.0.1:${inside.port}/unit_api/jobs/stop/all` }).end(),
    );
    await expect(ping(`http://127.0.0.1:${outside.port}/`, rules('127.0.0.1'))).rejects.toThrow(/302/);
    expect(inside.paths).toEqual([]);
  });

  it('know the host of an address', () => {
    expect(hostOf('http://[fd00::1]:80/x')).toBe('fd00::1');
    expect(hostOf('no address')).toBeUndefined();
  });
});
