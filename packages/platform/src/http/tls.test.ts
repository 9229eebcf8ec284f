import { generateKeyPairSync } from 'node:crypto';
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { get, type RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { localCaller } from '@lcs/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startToy, type ToyServer } from '../testing/toy-server.ts';
import { agentFetch } from '../tls/agent-fetch.ts';
import { type KeyedCertificate, machineCertificate } from '../tls/machine-certificate.ts';
import { PinnedAgent } from '../tls/pinned-agent.ts';
import { PeerKeyDiffers } from '../tls/pinned-connection.ts';
import { type PublicKeyText, publicKeyText } from '../tls/public-key.ts';
import type { RequestOrigin } from './request-origin.ts';
import { unixSocketAgent } from './unix-socket.ts';

interface Machine {
  readonly publicKey: PublicKeyText;
  readonly certificate: KeyedCertificate;
}

async function machine(): Promise<Machine> {
  const { privateKey } = generateKeyPairSync('ed25519');
  return { publicKey: publicKeyText(privateKey), certificate: await machineCertificate(privateKey) };
}

let folder = '';
let own: Machine;
let peer: Machine;
let browsers: Machine;
let toy: ToyServer;
const origins: RequestOrigin[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lcs-tls-'));
  [own, peer, browsers] = await Promise.all([machine(), machine(), machine()]);
  const unixSocket = join(folder, 'node.sock');
  // The file of a killed node.
  await writeFile(unixSocket, '');
  await chmod(unixSocket, 0o644);
  toy = await startToy(
    {},
    {
      unixSocket,
      tls: { machine: own.certificate, server: { current: () => browsers.certificate, onChange: () => () => {} } },
      identify: (_request, origin) => {
        origins.push(origin);
        return localCaller;
      },
    },
  );
});
afterAll(async () => {
  await toy[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const pinned = (peerKey: PublicKeyText | undefined) => new PinnedAgent({ peerKey, machine: peer.certificate });

const responseTo = (url: string, options: RequestOptions) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    get(url, options, resolve).on('error', reject);
  });

describe('a server with TLS', () => {
  it('knows a node by the key of its certificate, and is known by its own', async () => {
    expect(toy.url).toMatch(/^https:/);
    const response = await responseTo(`${toy.url}/api/plan`, { agent: pinned(own.publicKey) });
    expect(await json(response)).toMatchObject({ shelf: 'plan' });
    expect(response.headers['strict-transport-security']).toContain('max-age');
    expect(origins.at(-1)).toEqual({
      address: '127.0.0.1',
      isSecure: true,
      isUnixSocket: false,
      peerKey: peer.publicKey,
    });
  });

  it('receives nothing from a node that expects another key', async () => {
    const before = origins.length;
    const refused = responseTo(`${toy.url}/api/plan`, { agent: pinned(peer.publicKey) });
    await expect(refused).rejects.toThrow(PeerKeyDiffers);
    expect(origins).toHaveLength(before);
  });

  it('shows browsers a certificate of their own, and needs none of theirs', async () => {
    const socket = connectTls({ port: toy.server.port, servername: 'lab.example', rejectUnauthorized: false });
    await new Promise((resolve) => socket.once('secureConnect', resolve));
    const certificate = socket.getPeerX509Certificate();
    expect(certificate && publicKeyText(certificate.publicKey)).toBe(browsers.publicKey);
    socket.destroy();
    const response = await responseTo(`${toy.url}/api/plan`, { rejectUnauthorized: false });
    expect(response.statusCode).toBe(200);
    expect(origins.at(-1)).toMatchObject({ isSecure: true, peerKey: undefined });
    response.resume();
  });

  it('sends and receives bodies over a pinned fetch', async () => {
    const fetch = agentFetch(pinned(own.publicKey));
    const put = await fetch(`${toy.url}/api/shelves/a`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ label: 'x' }),
    });
    expect(await put.json()).toEqual({ shelf: 'a', echo: { label: 'x' } });
    const aborted = fetch(`${toy.url}/api/plan`, { signal: AbortSignal.abort(new Error('enough')) });
    await expect(aborted).rejects.toThrow();
    await expect(agentFetch(pinned(peer.publicKey))(`${toy.url}/api/plan`)).rejects.toThrow(PeerKeyDiffers);
  });
});

describe('the Unix socket of a server', () => {
  it('is for its owner alone, and known to be it', async () => {
    const path = join(folder, 'node.sock');
    const facts = await stat(path);
    expect([facts.isSocket(), facts.mode & 0o777]).toEqual([true, 0o600]);
    const response = await agentFetch(unixSocketAgent(path))('http://localhost/api/plan');
    expect(response.status).toBe(200);
    expect(response.headers.has('strict-transport-security')).toBe(false);
    expect(origins.at(-1)).toMatchObject({ address: '', isSecure: false, isUnixSocket: true });
  });
});

describe('forwarding headers', () => {
  const forwarded = { 'x-forwarded-for': '127.0.0.1, 192.0.2.7', 'x-forwarded-proto': 'https' };
  const seenBy = async (trustedProxies: readonly string[], headers: Record<string, string>) => {
    const seen: RequestOrigin[] = [];
    const identify = (_request: IncomingMessage, origin: RequestOrigin) => {
      seen.push(origin);
      return localCaller;
    };
    await using proxied = await startToy({}, { trustedProxies, identify });
    await proxied.fetch('/api/plan', { headers });
    return seen[0];
  };

  it.each<[readonly string[], Record<string, string>, object]>([
    [['127.0.0.0/8'], forwarded, { address: '192.0.2.7', isSecure: true }],
    [
      ['127.0.0.1', '192.0.2.7'],
      { 'x-forwarded-for': '198.51.100.9, 192.0.2.7' },
      { address: '198.51.100.9', isSecure: false },
    ],
    [['127.0.0.1'], { 'x-forwarded-for': 'unknown' }, { address: '127.0.0.1' }],
    [['192.0.2.1', 'fd00::/8'], forwarded, { address: '127.0.0.1', isSecure: false }],
    [[], forwarded, { address: '127.0.0.1', isSecure: false }],
  ])('count only from trusted proxies: %j', async (trusted, headers, origin) => {
    expect(await seenBy(trusted, headers)).toMatchObject(origin);
  });

  it('are refused with a list that is not one of addresses', async () => {
    await expect(seenBy(['proxy.example'], {})).rejects.toThrow('trusted_proxies');
  });
});
