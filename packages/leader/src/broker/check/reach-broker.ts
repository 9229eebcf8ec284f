import { connect as connectTcp } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import { type Clock, isLoopback } from '@lcs/platform';
import type { BrokerFacts, EncryptionFacts } from './broker-facts.ts';

type Reached =
  | { readonly is: 'reached'; readonly encryption: EncryptionFacts }
  | Extract<BrokerFacts, { is: 'unreachable' | 'untrusted' }>;

const reachMs = 5_000;

/** Connects, and with TLS completes the handshake; no message is sent. */
export async function reachBroker({ protocol, hostname, port }: URL, wire: Clock): Promise<Reached> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const usesTls = protocol === 'mqtts:';
  const place = { host, port: Number(port) || (usesTls ? 8883 : 1883) };
  // A server name must not be an address (RFC 6066).
  const socket = usesTls
    ? connectTls({ ...place, ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }) })
    : connectTcp(place);
  const { promise, resolve } = Promise.withResolvers<Reached>();
  let isConnected = false;
  const fail = (cause: string, code?: string) =>
    resolve(isConnected ? { is: 'untrusted', cause, code } : { is: 'unreachable', cause });
  socket.once('connect', () => {
    isConnected = true;
    if (!usesTls)
      resolve({ is: 'reached', encryption: { is: 'none', isLoopback: isLoopback(host) || host === 'localhost' } });
  });
  socket.once('secureConnect', () => {
    if (!(socket instanceof TLSSocket)) return;
    const { valid_to } = socket.getPeerCertificate();
    const version = socket.getProtocol() ?? 'TLS';
    resolve({ is: 'reached', encryption: { is: 'tls', version, validToMs: Date.parse(valid_to) } });
  });
  socket.on('error', (error: NodeJS.ErrnoException) => fail(`${error.message}.`, error.code));
  socket.once('close', () => fail('The connection was closed during the handshake.', 'ECONNRESET'));
  const cancel = wire.after(reachMs, () => fail(`No answer within ${reachMs / 1000} s.`));
  const reached = await promise;
  cancel();
  socket.destroy();
  return reached;
}
