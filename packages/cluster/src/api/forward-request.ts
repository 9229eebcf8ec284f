import { type Agent, request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream';
import { ApiError } from '@lcs/contract';
import type { PassOn, RequestOrigin, UpgradeHandler } from '@lcs/platform';

/** A node that answers in place of this one. */
export interface Target {
  readonly url: string;
  readonly agent: Agent;
}

/** Where requests go at the moment. @throws ApiError control_away */
export type FindTarget = () => Target;

/** Of one connection (RFC 9110, 7.6.1). */
const hopByHop: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'expect'],
]);
/** Written here: those of a client would say what they like. */
const ofProxies: ReadonlySet<string> = new Set(['forwarded', 'x-forwarded-for', 'x-forwarded-proto', 'x-real-ip']);

function endToEnd(headers: IncomingMessage['headers']): OutgoingHttpHeaders {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name) && !named.has(name)));
}

/** The headers of a request, with the origin of its client. */
function forwarded({ headers }: IncomingMessage, { address, isSecure }: RequestOrigin): OutgoingHttpHeaders {
  const kept = Object.entries(endToEnd(headers)).filter(([name]) => !ofProxies.has(name));
  return {
    ...Object.fromEntries(kept),
    'x-forwarded-for': address,
    'x-forwarded-proto': isSecure ? 'https' : 'http',
  };
}

const begin = ({ url, agent }: Target, request: IncomingMessage, headers: OutgoingHttpHeaders) => {
  const { protocol, hostname, port } = new URL(url);
  const send = protocol === 'https:' ? httpsRequest : httpRequest;
  return send({ hostname, port, agent, method: request.method, path: request.url, headers });
};

const away = () =>
  new ApiError('control_away', { cause: 'The active process does not answer; a standby may be taking over.' });

/** Sends requests to the target as they are, and its responses back, piece by piece: live streams too. */
export const forwardRequests =
  (target: FindTarget): PassOn =>
  (request, response, origin, fail) => {
    try {
      const upstream = begin(target(), request, forwarded(request, origin));
      upstream.on('response', (answer) => {
        response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
        // Events go at once, and not with the next bytes.
        response.flushHeaders();
        // An end before its time closes the connection of the client, which shows it.
        pipeline(answer, response, () => {});
      });
      upstream.on('error', () => {
        if (!response.destroyed) fail(away());
      });
      response.on('close', () => upstream.destroy());
      // Not a pipeline: it would close the connection of the client before it has the error.
      request.pipe(upstream);
    } catch (error) {
      fail(error);
    }
  };

const headOf = ({ statusCode, statusMessage }: IncomingMessage, headers: OutgoingHttpHeaders): string => {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((one) => `${name}: ${String(one)}`),
  );
  return `${[`HTTP/1.1 ${statusCode} ${statusMessage}`, ...lines].join('\r\n')}\r\n\r\n`;
};

const unavailable = 'HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n\r\n';

function connect(one: Duplex, other: Duplex): void {
  one.on('close', () => other.destroy()).pipe(other);
  other.on('close', () => one.destroy()).pipe(one);
}

/** The same for WebSockets. */
export const forwardUpgrades =
  (target: FindTarget): UpgradeHandler =>
  (request, socket, head, _caller, origin) => {
    socket.on('error', () => socket.destroy());
    const refuse = () => socket.end(unavailable);
    const upgrade = { connection: 'Upgrade', upgrade: request.headers.upgrade };
    try {
      const upstream = begin(target(), request, { ...forwarded(request, origin), ...upgrade });
      upstream.on('upgrade', (answer, peer, peerHead) => {
        peer.on('error', () => peer.destroy());
        socket.write(headOf(answer, answer.headers));
        if (peerHead.length > 0) socket.write(peerHead);
        if (head.length > 0) peer.write(head);
        upstream.off('error', refuse);
        connect(socket, peer);
      });
      // Refused: with the reason, then the end.
      upstream.on('response', (answer) => {
        socket.write(headOf(answer, { ...endToEnd(answer.headers), connection: 'close' }));
        answer.pipe(socket);
      });
      upstream.on('error', refuse);
      socket.on('close', () => upstream.destroy());
      upstream.end();
    } catch {
      refuse();
    }
  };
